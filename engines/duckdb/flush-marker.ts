import { access, rm, writeFile } from 'node:fs/promises';

/** A file beside a database file, present while that is flushed. */
export type FlushMarker = {
  /** True if an earlier flush did not end. */
  readonly wasCutOff: boolean;
  readonly write: () => Promise<void>;
  /** Removes the marker of a flush that ended; that of an earlier one stays. */
  readonly clear: () => Promise<void>;
};

export const flushMarkerPath = (path: string): string => `${path}.flushing`;

export const openFlushMarker = async (path: string): Promise<FlushMarker> => {
  const marker = flushMarkerPath(path);
  const wasCutOff = await access(marker).then(
    () => true,
    () => false,
  );
  return {
    wasCutOff,
    write: () => writeFile(marker, '', { mode: 0o600, flush: true }),
    clear: async () => {
      if (!wasCutOff) await rm(marker, { force: true });
    },
  };
};

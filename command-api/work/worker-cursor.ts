import { logStart, type EventReader, type Files, type Position } from '../../kernel/ports.js';

/**
 * Up to where a worker is done with the log, kept in a file. Losing it costs a look through the log
 * and nothing else; one that is beyond the log's head is of another log, and counts as lost, as one
 * that is damaged does.
 */
type WorkerCursor = {
  readonly read: () => Promise<Position>;
  /** Kept at most once a minute; `Infinity` keeps it now. */
  readonly write: (bookmark: Position, nowMs: number) => Promise<void>;
};

/** Twice, so that a byte that changes on the disk is seen; earlier builds wrote it once. */
const fileForm = /^([0-9a-f]{16})(?: \1)?$/;
const writeEveryMs = 60_000;

type Needs = {
  readonly files: Files;
  readonly log: Pick<EventReader, 'head'>;
  readonly path: string;
};

export const openWorkerCursor = ({ files, log, path }: Needs): WorkerCursor => {
  let known: Position | null = null;
  let at = -Infinity;
  return {
    read: async () => {
      const bytes = await files.read(path);
      const text = bytes === null ? '' : new TextDecoder().decode(bytes).trim();
      const found = (fileForm.exec(text)?.[1] ?? null) as Position | null;
      known = found !== null && found <= (await log.head()) ? found : null;
      return known ?? logStart;
    },
    write: async (bookmark, nowMs) => {
      if (bookmark === known || nowMs - at < writeEveryMs) return;
      await files.write(path, new TextEncoder().encode(`${bookmark} ${bookmark}\n`));
      known = bookmark;
      at = nowMs;
    },
  };
};

import { logStart, type EventReader, type Files, type Position } from '../../kernel/ports.js';

/**
 * Cursor of a worker: the log position it has completed, stored in a file. Losing it costs a scan
 * of the log and nothing else; one beyond the log's head (from another log) or a damaged one counts
 * as lost.
 */
type WorkerCursor = {
  readonly read: () => Promise<Position>;
  /** Writes at most once a minute; `Infinity` writes now. */
  readonly write: (position: Position, nowMs: number) => Promise<void>;
};

/** The position twice, to detect a damaged byte; earlier builds wrote it once. */
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
    write: async (position, nowMs) => {
      if (position === known || nowMs - at < writeEveryMs) return;
      await files.write(path, new TextEncoder().encode(`${position} ${position}\n`));
      known = position;
      at = nowMs;
    },
  };
};

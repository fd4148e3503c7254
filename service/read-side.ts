import { MessageChannel } from 'node:worker_threads';
import { proxy } from '../engines/node/thread.js';
import type { EngineChoice } from '../engines/open.js';
import type { BrokenFile } from '../engines/sqlite/document-damage.js';
import type { Incident, Records } from '../kernel/records/records.js';
import type { Ahead } from '../projections/exchanged-log.js';
import type { Projector } from '../projections/operate.js';
import type { RecordAnswers } from '../query-api/records/answers.js';
import { readSideThread } from './read-side-thread.js';
import type { Keeps, ReadSideStart } from './read-side-worker.js';

/**
 * The thread that folds the log, owns the records and makes the answers that consist of them:
 * nothing it does stands in the way of a request.
 */
export type ReadSide = {
  readonly records: Records;
  readonly answers: RecordAnswers;
  readonly projector: Projector;
  /** Resolves when the thread is gone; rejects with why it died when nobody asked it to. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
};

/** What happens in the thread that an operator should know. */
export type Heed = {
  /** The records' engine failed. */
  readonly incident?: (incident: Incident) => void;
  /** A file of documents could not be read: it was set aside, and is built anew. */
  readonly broken?: (broken: BrokenFile) => void;
  /** The log is not the one that was folded: the read models are built anew. */
  readonly exchanged?: (ahead: readonly Ahead[]) => void;
};

type Told =
  | 'following'
  | Incident
  | { readonly exchanged: readonly Ahead[] }
  | { readonly broken: BrokenFile };

/** `keeps`: absent = all. */
type Part = { readonly hintSpace: string | null; readonly keeps?: Keeps };

/**
 * Resolves once the thread has its engines open and follows the log. `hintSpace` as of Engines.bus.
 * What it does not keep answers nothing.
 */
export const startReadSide = async (
  choice: EngineChoice,
  { hintSpace, keeps = 'all' }: Part,
  heed: Heed = {},
): Promise<ReadSide> => {
  const records = new MessageChannel();
  const answers = new MessageChannel();
  const projector = new MessageChannel();
  const start: ReadSideStart = {
    choice,
    keeps,
    hintSpace,
    records: records.port2,
    answers: answers.port2,
    projector: projector.port2,
  };
  const worker = readSideThread();
  worker.postMessage(start, [records.port2, answers.port2, projector.port2]);
  await new Promise<void>((resolve, reject) => {
    worker.once('error', reject);
    worker.on('message', (message: Told) => {
      if (message === 'following') resolve();
      else if ('broken' in message) heed.broken?.(message.broken);
      else if ('exchanged' in message) heed.exchanged?.(message.exchanged);
      else heed.incident?.(message);
    });
  });
  const ended = new Promise<void>((resolve, reject) => {
    worker.once('error', reject);
    worker.once('exit', () => resolve());
  });
  // A rejection is the business of whoever asks for it; nobody asking is no crash.
  ended.catch(() => null);
  const operator = proxy<Projector>(projector.port1);
  return {
    records: proxy<Records>(records.port1, ['dump']),
    answers: proxy<RecordAnswers>(answers.port1),
    projector: operator,
    ended,
    stop: async () => {
      // A thread that died answers nothing any more.
      await Promise.race([operator.stop(), ended]).catch(() => null);
      worker.postMessage('close');
      await ended.catch(() => null);
    },
  };
};

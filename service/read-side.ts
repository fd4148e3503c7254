import { MessageChannel } from 'node:worker_threads';
import { callProxy } from '../engines/node/thread-rpc.js';
import type { EngineChoice } from '../engines/open.js';
import type { DamagedFile } from '../engines/sqlite/document-damage.js';
import type { Incident, Records } from '../kernel/records/records.js';
import type { AheadReadModel } from '../projections/read-model-reset.js';
import type { Projector } from '../projections/projector.js';
import type { RecordAnswers } from '../query-api/records/answers.js';
import { readSideThread } from './read-side-thread.js';
import type { FoldedModels, ReadSideStart } from './read-side-worker.js';

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
export type IncidentHandlers = {
  /** The records' engine failed. */
  readonly onIncident?: (incident: Incident) => void;
  /** A file of documents could not be read: it was set aside, and is built anew. */
  readonly onBrokenFile?: (broken: DamagedFile) => void;
  /** The log is not the one that was folded: the read models are built anew. */
  readonly onLogReplaced?: (ahead: readonly AheadReadModel[]) => void;
};

type ReadSideMessage =
  | 'following'
  | Incident
  | { readonly exchanged: readonly AheadReadModel[] }
  | { readonly broken: DamagedFile };

/** `models`: absent = all. */
type ReadSideOptions = {
  readonly notificationSpace: string | null;
  readonly models?: FoldedModels;
};

/**
 * Resolves once the thread has its engines open and follows the log. `notificationSpace` as of
 * Engines.bus. What it does not keep answers nothing.
 */
export const startReadSide = async (
  choice: EngineChoice,
  { notificationSpace, models = 'all' }: ReadSideOptions,
  heed: IncidentHandlers = {},
): Promise<ReadSide> => {
  const records = new MessageChannel();
  const answers = new MessageChannel();
  const projector = new MessageChannel();
  const start: ReadSideStart = {
    choice,
    models,
    notificationSpace,
    records: records.port2,
    answers: answers.port2,
    projector: projector.port2,
  };
  const worker = readSideThread();
  worker.postMessage(start, [records.port2, answers.port2, projector.port2]);
  await new Promise<void>((resolve, reject) => {
    worker.once('error', reject);
    worker.on('message', (message: ReadSideMessage) => {
      if (message === 'following') resolve();
      else if ('broken' in message) heed.onBrokenFile?.(message.broken);
      else if ('exchanged' in message) heed.onLogReplaced?.(message.exchanged);
      else heed.onIncident?.(message);
    });
  });
  const ended = new Promise<void>((resolve, reject) => {
    worker.once('error', reject);
    worker.once('exit', () => resolve());
  });
  // A rejection is the business of whoever asks for it; nobody asking is no crash.
  ended.catch(() => null);
  const operator = callProxy<Projector>(projector.port1);
  return {
    records: callProxy<Records>(records.port1, ['dump']),
    answers: callProxy<RecordAnswers>(answers.port1),
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

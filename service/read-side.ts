import { MessageChannel } from 'node:worker_threads';
import { callProxy } from '../engines/node/thread-rpc.js';
import type { EngineChoice } from '../engines/open.js';
import type { DamagedFile } from '../engines/sqlite/document-damage.js';
import type { Incident, ReadableRecords } from '../kernel/records/records.js';
import type { AheadReadModel } from '../projections/read-model-reset.js';
import type { Projector } from '../projections/projector.js';
import type { RecordAnswers } from '../query-api/records/answers.js';
import { readSideThread } from './read-side-thread.js';
import type { FoldedModels, ReadSideStart } from './read-side-worker.js';

/**
 * Read side of CQRS: the thread that folds the log, owns the records and makes answers of them, so
 * that none of it blocks a request.
 */
export type ReadSide = {
  readonly records: ReadableRecords;
  readonly answers: RecordAnswers;
  readonly projector: Projector;
  /** Resolves when the thread has ended; rejects with the reason when it died. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
};

/** Handlers of incidents in the thread that operators should see. */
export type IncidentHandlers = {
  /** The engine of the records failed. */
  readonly onIncident?: (incident: Incident) => void;
  /** An unreadable file of documents was set aside and is rebuilt. */
  readonly onBrokenFile?: (broken: DamagedFile) => void;
  /** Read models are ahead of the log, which was replaced or restored; they are rebuilt. */
  readonly onLogReplaced?: (ahead: readonly AheadReadModel[]) => void;
};

type ReadSideMessage =
  | 'following'
  | Incident
  | { readonly exchanged: readonly AheadReadModel[] }
  | { readonly broken: DamagedFile };

/** `models`: default `all`. */
type ReadSideOptions = {
  readonly notificationSpace: string | null;
  readonly models?: FoldedModels;
};

/**
 * Resolves once the thread has its engines open and follows the log. `notificationSpace` as in
 * Engines.bus. Calls to models that it does not fold are not answered.
 */
export const startReadSide = async (
  choice: EngineChoice,
  { notificationSpace, models = 'all' }: ReadSideOptions,
  handlers: IncidentHandlers = {},
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
      else if ('broken' in message) handlers.onBrokenFile?.(message.broken);
      else if ('exchanged' in message) handlers.onLogReplaced?.(message.exchanged);
      else handlers.onIncident?.(message);
    });
  });
  const ended = new Promise<void>((resolve, reject) => {
    worker.once('error', reject);
    worker.once('exit', () => resolve());
  });
  // Avoids an unhandled rejection while no caller awaits it.
  ended.catch(() => null);
  const operator = callProxy<Projector>(projector.port1);
  return {
    records: callProxy<ReadableRecords>(records.port1),
    answers: callProxy<RecordAnswers>(answers.port1),
    projector: operator,
    ended,
    stop: async () => {
      // A dead thread does not answer.
      await Promise.race([operator.stop(), ended]).catch(() => null);
      worker.postMessage('close');
      await ended.catch(() => null);
    },
  };
};

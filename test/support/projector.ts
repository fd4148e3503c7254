import { randomUUID } from 'node:crypto';
import { openRecords } from '../../engines/duckdb/records.js';
import { openBus } from '../../engines/memory/bus.js';
import { systemClock } from '../../engines/node/clock.js';
import { openDocuments } from '../../engines/sqlite/documents.js';
import { openEventLog } from '../../engines/sqlite/event-log.js';
import type { Freshness } from '../../contract/request-ports.js';
import type {
  Clock,
  EventLog,
  EventReader,
  NewEvent,
  Position,
  StreamName,
  Decode,
} from '../../kernel/ports.js';
import type { Documents } from '../../kernel/documents.js';
import { otelMapping, type OtelMapping } from '../../kernel/otel/mapping.js';
import type { Records } from '../../kernel/records/records.js';
import { documentsReadModel, type AnyProjection } from '../../projections/documents-model.js';
import { openFreshness } from '../../projections/freshness.js';
import { openProjector, type LocalProjector } from '../../projections/projector.js';
import { recordsReadModel } from '../../projections/records/model.js';
import type { ReadModel } from '../../projections/read-model.js';
import type { RunnerNeeds } from '../../projections/runner.js';
import { instantAt } from './random-trace-logs.js';

export type OpenProjector = {
  readonly log: EventLog;
  readonly documents: Documents;
  readonly records: Records;
  readonly projector: LocalProjector;
  readonly freshness: Freshness;
  /** Resolves when every read model has passed the log's head. */
  untilCaughtUp(): Promise<Position>;
  close(): Promise<void>;
};

export type ProjectorOptions = {
  readonly dir: string;
  readonly projections?: readonly AnyProjection[];
  readonly decode?: Decode;
  readonly clock?: Clock;
  readonly reader?: (log: EventLog) => EventReader;
  readonly records?: (found: Records) => Records;
  readonly documents?: (found: Documents) => Documents;
  readonly onLogReplaced?: RunnerNeeds['onLogReplaced'];
  readonly onReplaced?: () => void;
  /** Mapping of exporters' spans to records; default: that of the service. */
  readonly mapping?: OtelMapping;
  /** Read models of their own, over the same documents. */
  readonly more?: (documents: Documents) => readonly ReadModel[];
};

/** The projector on the embedded engines, all in this thread. */
export const projectorIn = async ({
  dir,
  projections = [],
  decode = (_type, _schema, data) => data,
  clock = systemClock,
  reader = (log) => log,
  records: through = (found) => found,
  documents: throughDocuments = (found) => found,
  onLogReplaced = () => undefined,
  onReplaced = () => undefined,
  mapping = otelMapping,
  more = () => [],
}: ProjectorOptions): Promise<OpenProjector> => {
  const bus = openBus(randomUUID());
  const log = await openEventLog({ dir, bus });
  const documents = throughDocuments(await openDocuments({ dir }));
  const records = through(await openRecords({ dir }));
  const sources = [
    recordsReadModel(records, { mapping }),
    ...projections.map((projection) => documentsReadModel(documents, projection)),
    ...more(documents),
  ];
  const projector = await openProjector({
    reader: reader(log),
    decode,
    checkedDecode: async () => decode,
    readModels: sources,
    documents,
    bus,
    clock,
    onLogReplaced,
    onFenced: onReplaced,
  });
  const freshness = openFreshness({
    reader: log,
    checkpoints: new Map(sources.map((source) => [source.name, () => source.checkpoint()])),
    bus,
    clock,
  });
  return {
    log,
    documents,
    records,
    projector,
    freshness,
    untilCaughtUp: async () => {
      const names = sources.map(({ name }) => name);
      return freshness.waitUntilApplied(names, await log.head());
    },
    close: async () => {
      await projector.stop();
      await Promise.all([log.close(), documents.close(), records.close(), bus.close()]);
    },
  };
};

export const newEvent = (type: string, data: unknown): NewEvent => ({
  id: randomUUID(),
  type,
  data,
  metadata: {
    actor: { type: 'service', id: 'assay', role: 'admin' },
    request_id: 'r',
    correlation_id: 'r',
    causation_id: null,
    at: instantAt(0),
    schema: 1,
  },
});

/** Appends one event; the stream must have `revision` events already. */
export const append = async (
  log: EventLog,
  stream: StreamName,
  revision: number,
  event: NewEvent,
): Promise<Position> => {
  const expected = revision === 0 ? 'none' : revision - 1;
  const [result] = await log.append([{ stream, expected, events: [event] }]);
  if (result === undefined || result === 'conflict') throw new Error(`conflict on ${stream}`);
  return result.position;
};

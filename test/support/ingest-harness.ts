import { openTraceRepository } from '../../command-api/traces/trace-repository.js';
import { persistentGet } from '../../command-api/traces/persistent-map.js';
import { traceStream } from '../../command-api/facts/traces.js';
import type { Trace } from '../../command-api/traces/trace.js';
import { systemClock } from '../../engines/node/clock.js';
import type { RecordContent } from '../../events/traces.js';
import type { Position } from '../../kernel/ports.js';
import type { RunId } from '../../kernel/schema-types.js';
import type { Client, Reply } from './client.js';
import { ingestService, type IngestService } from './ingest-service.js';
import { project } from './small-service.js';

type Answer = Readonly<Record<string, unknown>>;
type AnswerPromise = Promise<Reply<Answer>>;

/**
 * The ingest service for the tests of the suite that calls this, with one editor and one log
 * stream.
 */
type IngestHarness = {
  readonly service: () => IngestService;
  readonly run: () => RunId;
  readonly post: (
    path: string,
    body: object,
    headers?: Readonly<Record<string, string>>,
  ) => AnswerPromise;
  readonly patch: (path: string, body: object) => AnswerPromise;
  /** POST traces with this one, into the log stream. */
  readonly send: (trace: object, more?: object) => AnswerPromise;
  readonly head: () => Promise<Position>;
  /** State of a trace according to the log, and of one of its records. */
  readonly stateOf: (trace: string) => Promise<Trace | null>;
  readonly recordOf: (trace: string, id?: string) => Promise<RecordContent | undefined>;
};

export const ingestHarness = (): IngestHarness => {
  let held: { readonly service: IngestService; readonly editor: Client; readonly run: RunId };
  before(async () => {
    const service = await ingestService();
    held = { service, editor: service.as('editor'), run: await service.newRun() };
  });
  after(() => held.service.close());

  const post: IngestHarness['post'] = (path, body, headers = {}) =>
    held.editor.send('POST', held.service.at(path), { body, headers });
  const stateOf = async (id: string): Promise<Trace | null> => {
    const repository = openTraceRepository({
      log: held.service.log,
      clock: systemClock,
    });
    return (await repository.load(traceStream(project, id))).state;
  };
  return {
    service: () => held.service,
    run: () => held.run,
    post,
    patch: (path, body) => held.editor.send('PATCH', held.service.at(path), { body }),
    send: (trace, more = {}) =>
      post('traces', { log_stream_id: held.run, traces: [trace], ...more }),
    head: () => held.service.log.head(),
    stateOf,
    recordOf: async (trace, id = trace) => {
      const state = await stateOf(trace);
      return state === null ? undefined : persistentGet(state.records, id)?.now;
    },
  };
};

import { streamNameOf, logStart, type Position, type StoredEvent } from '../../kernel/ports.js';
import { openEventReader } from '../../engines/sqlite/event-log.js';
import { decode } from '../../events/codec.js';
import { openBus } from '../../engines/memory/bus.js';
import type { Client, Reply } from '../support/client.js';
import type { ObservedTrace } from './ledger.js';
import type { Target } from './load.js';

const pageEvents = 5_000;
const pageRows = 1_000;

export type LogObservation = {
  readonly events: number;
  readonly traces: ReadonlyMap<string, ObservedTrace>;
  readonly sessions: number;
  /** Sessions with a trace: a kill may leave one that was begun for a trace alone. */
  readonly sessionsOfTraces: number;
  /** Gaps, repeats, disorder. */
  readonly problems: readonly string[];
};

/**
 * Reads the whole log of a folder and checks what every log must keep, whatever happened to its
 * process.
 */
export const observeLog = async (dir: string, project: string): Promise<LogObservation> => {
  const bus = openBus('witness');
  const reader = await openEventReader({ dir, bus, decode });
  const revisions = new Map<string, number>();
  const ids = new Set<string>();
  const traces = new Map<string, { times: number; spans: string[]; tags: string[] }>();
  const sessions = new Set<string>();
  const sessionsOfTraces = new Set<string>();
  const problems: string[] = [];
  let last: Position = logStart;
  const take = (event: StoredEvent): void => {
    if (event.position <= last) problems.push(`position ${event.position} after ${last}`);
    last = event.position;
    const due = (revisions.get(event.stream) ?? -1) + 1;
    if (event.revision !== due)
      problems.push(`${event.stream} has revision ${event.revision} where ${due} is due`);
    revisions.set(event.stream, event.revision);
    if (ids.has(event.id)) problems.push(`event id ${event.id} is there twice`);
    ids.add(event.id);
    const told = event.data as Told;
    if (told.project_id !== project) return;
    if (event.type === 'SessionStarted') sessions.add(event.stream);
    if (told.trace_id === undefined) return;
    const seen = traces.get(told.trace_id) ?? { times: 0, spans: [], tags: [] };
    traces.set(told.trace_id, seen);
    if (event.type === 'TraceLogged') seen.times += 1;
    if (typeof told.session_id === 'string') sessionsOfTraces.add(told.session_id);
    if (event.stream !== streamNameOf('trace', project, told.trace_id))
      problems.push(`trace ${told.trace_id} is in ${event.stream}`);
    seen.spans.push(...(told.spans ?? []).map(({ id }) => id));
    seen.tags.push(...(told.changes?.tags ?? []));
  };
  try {
    for (let after: Position = logStart, more = true; more;) {
      const page = await reader.page(after, pageEvents);
      for (const event of page.events) take(event);
      more = page.through > after;
      after = page.through;
    }
  } finally {
    await reader.close();
    await bus.close();
  }
  return {
    events: ids.size,
    traces,
    sessions: sessions.size,
    sessionsOfTraces: sessionsOfTraces.size,
    problems,
  };
};
type Told = {
  readonly project_id?: string;
  readonly trace_id?: string;
  readonly session_id?: string | null;
  readonly spans?: readonly { readonly id: string }[];
  readonly changes?: { readonly tags?: readonly string[] };
};

export type HttpObservation = {
  readonly traces: ReadonlyMap<string, ObservedTrace>;
  readonly sessions: number;
  /** Numbers of records by `custom_search`. */
  readonly counted: { readonly traces: number; readonly sessions: number; readonly spans: number };
};

/** Every record of the run as the searches answer them, page by page. */
export const observeOverHttp = async (
  client: Client,
  { root, run }: Target,
): Promise<HttpObservation> => {
  const all = async (kind: string): Promise<readonly Row[]> => {
    const rows: Row[] = [];
    for (let from: number | null = 0; from !== null;) {
      const body = { log_stream_id: run, starting_token: from, limit: pageRows };
      const page: Reply<Page> = await client.call<Page>('POST', `${root}/${kind}/search`, { body });
      rows.push(...page.body.records);
      from = page.body.next_starting_token;
    }
    return rows;
  };
  const traces = new Map<string, { times: number; spans: string[]; tags: readonly string[] }>();
  for (const { id, tags } of await all('traces'))
    traces.set(id, { times: (traces.get(id)?.times ?? 0) + 1, spans: [], tags });
  for (const span of await all('spans')) traces.get(span.trace_id)?.spans.push(span.id);
  const body = {
    log_stream_id: run,
    start_time: '2000-01-01T00:00:00Z',
    end_time: '2100-01-01T00:00:00Z',
    interval_minutes: 1_440,
    metric_details: [],
  };
  const path = `${root}/metrics/custom_search`;
  const counts = (await client.call<Counted>('POST', path, { body })).body.aggregate_metrics;
  return {
    traces,
    sessions: (await all('sessions')).length,
    counted: {
      traces: counts.requests_count,
      sessions: counts.session_count,
      spans: counts.span_count,
    },
  };
};
type Row = { readonly id: string; readonly trace_id: string; readonly tags: readonly string[] };
type Page = { readonly records: readonly Row[]; readonly next_starting_token: number | null };
type Counted = {
  readonly aggregate_metrics: {
    readonly requests_count: number;
    readonly session_count: number;
    readonly span_count: number;
  };
};

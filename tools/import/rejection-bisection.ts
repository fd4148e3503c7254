import { hash } from 'node:crypto';
import { Fault } from '../../kernel/fault.js';
import type { Json, JsonObject } from '../../kernel/schema-types.js';
import type { PartialIngest } from '../../contract/partial-ingest.js';
import { problemDetail, messageAt, type ApiResponse, type ApiClient } from '../api-client.js';
import { runSelector, type RunTarget } from '../run-target.js';
import { splitTrace, type TraceParts } from './trace-splitting.js';
import type { ImportRecord, RefusedLine } from './records.js';

/** Counts of sent records. */
export type SentCounts = {
  traces: number;
  sessions: number;
  otlp_parts: number;
  /** New records as far as answers report them; none for a request sent in parts. */
  new_records: number;
  /** Texts over 1 MiB, which the service cut (contract 5.6, rule 9). */
  cut_texts: number;
};

export type RecordUpload = {
  /**
   * Resolves when each record is accepted or refused; they are of one kind and of equal requests.
   * Throws Fault `unavailable` for an answer that any other request would get too.
   */
  readonly upload: (records: readonly ImportRecord[]) => Promise<void>;
  readonly counts: SentCounts;
  /** Position of the last accepted write; null before one (contract 1.6). */
  readonly position: () => string | null;
  /** Members that the service ignored (contract 1.2), each once. */
  readonly ignored: ReadonlySet<string>;
};

/**
 * Sends records in one request. If it is refused because of its content, halves are sent again
 * (bisection) until the invalid record is found: that one is reported, the others are accepted.
 * Each request has an idempotency key made of its content (contract 1.8), and its records have ids,
 * so that a repeat changes nothing.
 */
export const openRecordUpload = (
  client: ApiClient,
  place: RunTarget,
  refused: (line: RefusedLine) => void,
): RecordUpload => {
  const counts: SentCounts = {
    traces: 0,
    sessions: 0,
    otlp_parts: 0,
    new_records: 0,
    cut_texts: 0,
  };
  const ignored = new Set<string>();
  let position: string | null = null;
  const post = async (request: ImportRequest): Promise<ApiResponse> => {
    const answer = await client.request(apiRequestOf(request));
    for (const name of ignoredIn(answer)) ignored.add(name);
    counts.cut_texts += partialIn(answer).truncated.length;
    const at = answer.headers['x-log-position'];
    // Positions compare as text.
    if (typeof at === 'string' && at > (position ?? '')) position = at;
    return answer;
  };

  const sentInParts = async (
    record: TraceRecord,
    { trace, spans }: TraceParts,
  ): Promise<ApiResponse> => {
    let answer = await post(requestOf(place, [{ ...record, trace }]));
    for (const some of spans) {
      if (!isOk(answer)) break;
      answer = await post(spansRequest(place, trace['id'] ?? null, some));
      for (const { loc, msg } of partialIn(answer).rejected) {
        refused({ line: record.line, problem: messageAt(loc, msg) });
      }
    }
    return isOk(answer) ? { ...answer, body: {} } : answer;
  };

  const sent = (records: readonly ImportRecord[]): Promise<ApiResponse> => {
    const [first] = records;
    if (records.length > 1 || first?.kind !== 'trace') return post(requestOf(place, records));
    const parts = splitTrace(first.trace, JSON.stringify(first.trace).length);
    return parts === null ? post(requestOf(place, records)) : sentInParts(first, parts);
  };

  const settle = async (records: readonly ImportRecord[]): Promise<void> => {
    const [first] = records;
    if (first === undefined) return;
    const answer = await sent(records);
    const partial = isOk(answer) && first.kind === 'otlp' ? partialOf(answer.body) : null;
    if (isOk(answer) && (partial === null || records.length === 1)) {
      if (partial !== null) refused({ line: first.line, problem: partial });
      return addToCounts(counts, acceptedOf(records, answer, refused), answer);
    }
    if (partial === null && !recordRejections.includes(answer.status))
      throw stoppedFault(answer, first.kind, client.url);
    if (records.length === 1) {
      return refused({
        line: first.line,
        problem: problemDetail(answer.body) || `${answer.status}`,
      });
    }
    const half = Math.ceil(records.length / 2);
    await settle(records.slice(0, half));
    await settle(records.slice(half));
  };
  return { upload: settle, counts, ignored, position: () => position };
};

type TraceRecord = Extract<ImportRecord, { kind: 'trace' }>;
type ImportRequest = {
  readonly path: string;
  readonly body: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
};

const addToCounts = (
  counts: SentCounts,
  records: readonly ImportRecord[],
  answer: ApiResponse,
): void => {
  const [first] = records;
  if (first === undefined) return;
  counts[countNames[first.kind]] += records.length;
  const isOld = answer.tries === 1 && answer.headers['idempotency-replayed'] === 'true';
  const { new_records_count: some } = answer.body as { readonly new_records_count?: number };
  if (!isOld) counts.new_records += some ?? 0;
};

/** The records of the request without the rejected ones, which are reported. */
const acceptedOf = (
  records: readonly ImportRecord[],
  answer: ApiResponse,
  refused: (line: RefusedLine) => void,
): readonly ImportRecord[] => {
  const problems = new Map(
    partialIn(answer).rejected.map(({ index, loc, msg }) => [index, messageAt(loc, msg)]),
  );
  for (const [index, problem] of problems) {
    const record = records[index];
    if (record !== undefined) refused({ line: record.line, problem });
  }
  return records.filter((_, index) => !problems.has(index));
};

/** Empty lists if the answer has none. */
const partialIn = ({ body }: ApiResponse): PartialIngest => {
  const { rejected = [], truncated = [] } = (body ?? {}) as Partial<PartialIngest>;
  return { rejected, truncated };
};

/** Counter of each kind of record. */
export const countNames = { trace: 'traces', session: 'sessions', otlp: 'otlp_parts' } as const;

const apiRequestOf = ({ path, body, headers }: ImportRequest) => {
  const text = JSON.stringify(body);
  const key = hash('sha256', `${path}\n${text}`);
  return {
    method: 'POST',
    path,
    body: text,
    headers: { 'Idempotency-Key': key, ...headers },
  } as const;
};

const requestOf = (place: RunTarget, records: readonly ImportRecord[]): ImportRequest => {
  const root = `/v2/projects/${place.project.id}`;
  const selector = runSelector(place);
  const [first] = records;
  if (first?.kind === 'session') {
    return { path: `${root}/sessions`, body: { ...selector, ...first.session } };
  }
  if (first?.kind === 'otlp') {
    const resourceSpans = records.flatMap((one) =>
      one.kind === 'otlp' ? [one.resourceSpans] : [],
    );
    return { path: otlpPath, body: { resourceSpans }, headers: otlpHeaders(place) };
  }
  const traces = records.flatMap((one) => (one.kind === 'trace' ? [one.trace] : []));
  const body = { ...selector, ...first?.request, traces, include_trace_ids: false };
  return { path: `${root}/traces`, body };
};

const spansRequest = (
  { project }: RunTarget,
  trace: Json,
  spans: readonly JsonObject[],
): ImportRequest => ({
  path: `/v2/projects/${project.id}/spans`,
  body: { trace_id: trace, parent_id: trace, spans },
});

const otlpPath = '/v2/otel/v1/traces';

const isOk = ({ status }: ApiResponse): boolean => status >= 200 && status <= 299;

/** Statuses caused by the content of a request; any other would meet every request alike. */
const recordRejections: readonly number[] = [400, 409, 413, 422, 500];

const otlpHeaders = ({ project, run }: RunTarget): Readonly<Record<string, string>> => ({
  projectid: project.id,
  ...(run !== null && { [run.kind === 'experiment' ? 'experimentid' : 'logstreamid']: run.id }),
});

type Members = { readonly [member: string]: unknown };
/** `partialSuccess` of an OTLP answer: rejected spans; null when all were accepted. */
const partialOf = (body: unknown): string | null => {
  const { partialSuccess, partial_success: snake = partialSuccess } = body as Members;
  if (typeof snake !== 'object' || snake === null) return null;
  const { rejectedSpans, rejected_spans: count = rejectedSpans } = snake as Members;
  const { errorMessage, error_message: why = errorMessage } = snake as Members;
  if (!(Number(count) > 0)) return null;
  const reason = typeof why === 'string' ? why : '';
  return `${String(count)} of its spans were not taken: ${reason}`;
};

const stoppedFault = ({ status, body }: ApiResponse, kind: string, url: string): Fault => {
  if (status === 404 && kind === 'otlp') {
    const why = `${url} has no ${otlpPath}: this service takes no OTLP (404)`;
    return new Fault('unavailable', why);
  }
  return new Fault('unavailable', `the service answers ${status}: ${problemDetail(body)}`);
};

/** Names without the indexes in the request. */
const ignoredIn = ({ headers }: ApiResponse): readonly string[] => {
  const said = headers['x-ignored-members'];
  if (typeof said !== 'string') return [];
  return said
    .split(', ')
    .map((path) => decodeURIComponent(path.replace(/\/\d+(?=\/)/g, '')))
    .filter((path) => path !== '...');
};

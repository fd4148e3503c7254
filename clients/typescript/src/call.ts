import { sendOnce, type Connection } from './connection.js';
import { downloadOf, type Download } from './download.js';
import { paged, type Paged } from './pages.js';
import { poll, type PollRules } from './polling.js';
import { isRepeatable, prepareRequest, type Input, type OperationFacts } from './request.js';
import { withRetries, type RetryRules } from './retry.js';
import { uuid } from './uuid.js';

export type { Download, Paged };
/** Input of an operation without members. */
export type NoInput = Readonly<Record<string, never>>;

/** Options of a single call. */
export type CallOptions = {
  readonly signal?: AbortSignal;
  /** Time limit of each try, its answer included; of a download, until it begins. */
  readonly timeoutMs?: number;
  /** Maximum number of tries. */
  readonly triesMax?: number;
  /**
   * Idempotency key of a write that takes one; by default one per call, the same for all its tries.
   */
  readonly idempotencyKey?: string;
  /**
   * Optimistic concurrency: the write applies only while the resource has this tag (contract 1.9).
   */
  readonly ifMatch?: string;
  /** Members that the service would ignore are a fault instead (contract 1.2). */
  readonly strict?: boolean;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Called with the status and the headers of a 2xx: tags, positions, ignored members. */
  readonly onAnswer?: (answer: { readonly status: number; readonly headers: Headers }) => void;
};
export type WaitOptions<T> = CallOptions & PollRules<T>;

/** Sends the requests of the nouns' methods. Each rejects with an AssayFault. */
export type Call = {
  readonly answer: <T>(facts: OperationFacts, input: Input, options?: CallOptions) => Promise<T>;
  readonly pages: <Page, Row>(
    facts: OperationFacts,
    input: Input,
    options: CallOptions | undefined,
    list: string,
  ) => Paged<Page, Row>;
  readonly download: (
    facts: OperationFacts,
    input: Input,
    options?: CallOptions,
  ) => Promise<Download>;
  readonly wait: <T>(facts: OperationFacts, input: Input, options?: WaitOptions<T>) => Promise<T>;
};

export type CallSettings = {
  readonly connection: Connection;
  /** The id of the default project; null if there is none. */
  readonly project: (signal?: AbortSignal) => Promise<string | null>;
  readonly timeoutMs: number;
  readonly retries: RetryRules;
  readonly memory: ClientPositions;
};

/** Writes of this client, for read-your-writes. */
export type ClientPositions = {
  /** Greatest position in the log; null before a write. */
  position: string | null;
  /** Flushes the logger before a read, within a time limit. */
  settle: (signal?: AbortSignal) => Promise<unknown>;
};

/**
 * Read-your-writes: flushes the logger before each read, and sends the greatest `X-Log-Position`
 * received so far along (contract 1.6, 1.7).
 */
export const openCall = (settings: CallSettings): Call => {
  const { memory } = settings;
  const send = async <T>(
    facts: OperationFacts,
    input: Input,
    options: CallOptions,
    take: (answer: Response) => Promise<T>,
  ): Promise<T> => {
    if (facts.isRead === true) await memory.settle(options.signal);
    const project = lacksProject(facts, input) ? await settings.project(options.signal) : null;
    const { path, body, contentType } = prepareRequest(facts, input, project);
    const headers = {
      ...credentials(facts, settings.connection),
      ...(contentType !== null && { 'Content-Type': contentType }),
      ...(facts.isKeyed === true && { 'Idempotency-Key': options.idempotencyKey ?? uuid() }),
      ...(facts.isRead === true &&
        memory.position !== null && { 'X-Min-Position': memory.position }),
      ...(options.ifMatch !== undefined && { 'If-Match': options.ifMatch }),
      ...(options.strict === true && { Prefer: 'handling=strict' }),
      ...options.headers,
    };
    const {
      timeoutMs = settings.timeoutMs,
      signal,
      triesMax = settings.retries.triesMax,
    } = options;
    const attempt = (): Promise<T> =>
      sendOnce(
        settings.connection,
        { method: facts.method, path, headers, body, timeoutMs, signal },
        async (answer) => {
          const result = await take(answer);
          if (facts.isRead !== true) recordPosition(memory, answer.headers);
          options.onAnswer?.({ status: answer.status, headers: answer.headers });
          return result;
        },
      );
    const rules = { ...settings.retries, triesMax: isRepeatable(facts) ? triesMax : 1 };
    return withRetries(attempt, rules, signal);
  };
  const answer = <T>(facts: OperationFacts, input: Input, options: CallOptions = {}): Promise<T> =>
    send(facts, input, options, async (reply) => bodyOf(reply) as T);
  return {
    answer,
    pages: <Page, Row>(facts: OperationFacts, input: Input, options = {}, list: string) =>
      paged<Page, Row>((next) => answer<Page>(facts, { ...input, ...next }, options), list),
    download: (facts, input, options = {}) =>
      send(facts, input, options, async (reply) => downloadOf(reply, options.signal)),
    wait: <T>(facts: OperationFacts, input: Input, options: WaitOptions<T> = {}) =>
      poll(() => answer<T>(facts, input, options), options, options.signal),
  };
};

const lacksProject = ({ path }: OperationFacts, input: Input): boolean =>
  path.includes('{project_id}') &&
  (input as { readonly project_id?: unknown }).project_id === undefined;

/** Undefined for a 204. */
const bodyOf = async (answer: Response): Promise<unknown> => {
  const text = await answer.text();
  return text === '' ? undefined : (JSON.parse(text) as unknown);
};

/** Positions compare as text (contract 1.6). */
export const recordPosition = (memory: ClientPositions, headers: Headers): void => {
  const told = headers.get('X-Log-Position');
  if (told !== null && told > (memory.position ?? '')) memory.position = told;
};

/** Headers of one credential, never two (contract 2.1); empty if the operation accepts none. */
export const credentials = (
  { schemes = 'KBP' }: Pick<OperationFacts, 'schemes'>,
  { apiKey, token }: Connection,
): Readonly<Record<string, string>> => {
  if (apiKey !== null && schemes.includes('K')) return { 'Service-API-Key': apiKey };
  if (token !== null && schemes.includes('B')) return { Authorization: `Bearer ${token}` };
  return {};
};

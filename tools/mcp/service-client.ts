import { parseJsonText } from '../../kernel/json-text.js';
import { readResponseText } from '../../engines/node/response-text.js';
import { Fault, redactedReason, type Complaint } from '../../kernel/fault.js';
import { serviceRoot } from '../api-client.js';

/** A response body, and the queried metrics that are not recorded (contract 1.6). */
type ServiceAnswer<T> = { readonly body: T; readonly unknownColumns: readonly string[] };

type ServiceCall = {
  readonly query?: Readonly<Record<string, string | number | boolean | null>>;
  readonly body?: unknown;
  readonly form?: FormData;
  /** Maps a path in the body to the argument of the tool. */
  readonly place?: (loc: readonly string[]) => string;
};

/**
 * Sends one request to the service. Throws Fault with a sentence for the model: the service's
 * error, the allowed values, and the next step; never with the key.
 */
export type CallService = <T>(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH',
  path: string,
  question?: ServiceCall,
) => Promise<ServiceAnswer<T>>;

/** The longest answer of the service is a trace of 64 MiB (contract 1.11). */
const bytesMax = 96 * 1_048_576;
/** The service times a request out after 20 s, and may queue it as long before. */
const responseTimeoutMs = 60_000;

/** Next steps for the caller, as the ends of sentences. */
export type NextSteps = {
  readonly unreached: string;
  readonly columns: string;
  readonly key: string;
  readonly names: string;
};

/** Steps for a language model, which has tools and no prompt. */
const stepsOfModel: NextSteps = {
  unreached:
    'Nothing is wrong with the call: ask the operator to start the service, or to correct ' +
    '--url of assay mcp',
  columns: 'list_columns says what there is',
  key: 'Only the user who starts assay mcp can set another, by ASSAY_API_KEY or --key',
  names: 'the list_ and search_ tools say what there is',
};

/** Throws Fault `invalid` for a malformed address or key; the key is not quoted. */
export const openServiceClient = (
  url: string,
  key: string | null,
  steps: NextSteps = stepsOfModel,
): ((signal: AbortSignal) => CallService) => {
  const root = rootOf(url);
  if (key === null || key === '') {
    throw new Fault('invalid', 'the API key is missing: set ASSAY_API_KEY, or give --key');
  }
  if (!/^[!-~]{1,512}$/.test(key)) {
    throw new Fault('invalid', 'the key has characters that no key has: blanks or line ends?');
  }
  return (signal) => async (method, path, question) => {
    const answer = await sendRequest({ root, key, signal, steps }, method, path, question ?? {});
    if (answer.status >= 200 && answer.status < 300) {
      const { unknown, text } = answer;
      return { body: (text === '' ? null : parseAnswer(root, answer)) as never, ...unknown };
    }
    const place = question?.place ?? ((loc) => loc.slice(1).join('.'));
    throw refusalFault(root, answer, { place, steps });
  };
};

const rootOf = (url: string): string => {
  const parsed = /^https?:/.test(url) ? URL.parse(url) : null;
  if (parsed === null || parsed.search !== '' || parsed.hash !== '') {
    throw new Fault('invalid', '--url takes an address like http://localhost:8080');
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw new Fault('invalid', '--url takes no credentials: the key goes into ASSAY_API_KEY');
  }
  return serviceRoot(url);
};

type Answer = {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | null;
  readonly unknown: { readonly unknownColumns: readonly string[] };
};
type Destination = {
  readonly root: string;
  readonly key: string;
  readonly signal: AbortSignal;
  readonly steps: NextSteps;
};

const sendRequest = async (
  { root, key, signal, steps }: Destination,
  method: string,
  path: string,
  { query, body, form }: ServiceCall,
): Promise<Answer> => {
  const address = new URL(`${root}/v2${path}`);
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== null) address.searchParams.set(name, String(value));
  }
  const payload = form ?? (body === undefined ? undefined : JSON.stringify(body));
  const late = AbortSignal.timeout(responseTimeoutMs);
  try {
    const response = await fetch(address, {
      method,
      headers: {
        'Service-API-Key': key,
        // An ignored member is a mistake of the model that it should see.
        Prefer: 'handling=strict',
        ...(typeof payload === 'string' && { 'Content-Type': 'application/json' }),
      },
      // The key must not follow a redirect.
      redirect: 'error',
      signal: AbortSignal.any([signal, late]),
      ...(payload !== undefined && { body: payload }),
    });
    const text = await readText(response);
    const named = response.headers.get('x-unknown-columns') ?? '';
    const unknownColumns = named.split(', ').filter((one) => one !== '');
    return {
      status: response.status,
      text,
      retryAfter: response.headers.get('retry-after'),
      unknown: { unknownColumns: unknownColumns.map(decodeText) },
    };
  } catch (error) {
    if (error instanceof Fault || signal.aborted) throw error;
    throw unreachableFault(root, { isLate: late.aborted, error, steps });
  }
};

const decodeText = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const readText = async (response: Response): Promise<string> => {
  const text = await readResponseText(response, bytesMax);
  if (text === null) throw new Fault('too-large', 'the service sends more than can be read');
  return text;
};

const unreachableFault = (
  root: string,
  { isLate, error, steps }: { isLate: boolean; error: unknown; steps: NextSteps },
): Fault => {
  if (isLate) {
    const why = `the service at ${root} has not answered within ${responseTimeoutMs / 1_000} s`;
    return new Fault('unavailable', `${why}; a narrower question may be quicker`);
  }
  return new Fault(
    'unavailable',
    `the service at ${root} cannot be reached (${redactedReason(error)}). ${steps.unreached}`,
    { cause: error },
  );
};

type Problem = {
  readonly detail?: string | readonly Complaint[];
  readonly code?: string;
  readonly request_id?: string;
};

const parseAnswer = (root: string, { status, text }: Answer): unknown => {
  try {
    return parseJsonText(text);
  } catch {
    throw new Fault('unavailable', `the server at ${root} is not Assay: ${status}, not JSON`);
  }
};

const complaintsShownMax = 10;

/** The service's error, with the next step where the caller has one. */
const refusalFault = (
  root: string,
  answer: Answer,
  { place, steps }: { place: (loc: readonly string[]) => string; steps: NextSteps },
): Fault => {
  const { status, retryAfter } = answer;
  const { detail, code, request_id } = (parseAnswer(root, answer) ?? {}) as Problem;
  if (typeof detail === 'object') {
    const said = detail.slice(0, complaintsShownMax).map(({ loc, msg }) => {
      const where = place(loc);
      return `${where === '' ? '' : `${where}: `}${msg.replace(/^Value error, /, '')}`;
    });
    const hint = /column/.test(said.join()) ? `. ${steps.columns}` : '';
    return new Fault('invalid', `not valid: ${said.join('; ')}${hint}`);
  }
  if (detail === undefined || code === undefined) {
    return new Fault('unavailable', `the server at ${root} is not Assay: status ${status}`);
  }
  const wait = retryAfter === null ? '' : `; try again in ${retryAfter} s`;
  switch (status) {
    case 401:
      return new Fault(
        'invalid-credentials',
        `the service does not take the key: ${detail}. ${steps.key}`,
      );
    case 403:
      return new Fault('forbidden', `the key may not do this: ${detail}`);
    case 404:
      return new Fault('not-found', `${detail}: ${steps.names}`);
    case 500:
      return new Fault('unavailable', `a defect of the service, request ${request_id}: ${detail}`);
    default:
      return new Fault('conflict', `${detail}${wait}`);
  }
};

import {
  egressFault,
  egressLimits,
  egressReasonOf,
  isEgressRefusal,
  isHeaderPermitted,
  judgeUrl,
  type Egress,
  type EgressLimits,
  type EgressReason,
  type EgressRefusal,
  type EgressRules,
} from '../../kernel/egress.js';
import type { CheckedClient, Resolver } from './checked-client.js';

type EgressNeeds = {
  readonly rules: EgressRules;
  /** Ports of this process, which are never called. */
  readonly ownPorts: () => ReadonlySet<number>;
  readonly onRefused: (reason: EgressRefusal) => void;
  readonly limits?: Partial<EgressLimits>;
  /** Default: the system's. */
  readonly resolve?: Resolver;
};

/** Opens the egress on undici, which is loaded by the first permitted call. */
export const openEgress = (
  needs: EgressNeeds,
): Egress & { readonly close: () => Promise<void> } => {
  const usual: EgressLimits = { ...egressLimits, ...needs.limits };
  const judgeTarget = (url: string) => judgeUrl(needs.rules, url);
  let opened: Promise<CheckedClient> | null = null;
  const client = (): Promise<CheckedClient> => (opened ??= open());
  const open = async (): Promise<CheckedClient> => {
    const [{ openCheckedClient }, { openAddressJudge }] = await Promise.all([
      import('./checked-client.js'),
      import('./addresses.js'),
    ]);
    const judgeAddress = openAddressJudge(needs.rules.networks, needs.ownPorts);
    const { resolve } = needs;
    return openCheckedClient({ judgeTarget, judgeAddress, limits: usual, resolve });
  };
  const fetchWithin: Egress['fetchWithin'] = (changed) => {
    const limits = { ...usual, ...changed };
    return async (input, init) => {
      const url = input instanceof Request ? input.url : String(input);
      try {
        const target = judgeTarget(url);
        if (typeof target === 'string') throw egressFault(target);
        return await exchange(await client(), requestOf(input, init), limits);
      } catch (error) {
        const reason = egressReasonOf(error);
        if (reason !== null && isEgressRefusal(reason)) needs.onRefused(reason);
        throw error;
      }
    };
  };
  return {
    fetch: fetchWithin({}),
    fetchWithin,
    close: async () => (await opened)?.close(),
  };
};

/** The request with valid headers; the platform's own error would quote the value of one. */
const requestOf = (...request: Parameters<typeof globalThis.fetch>): Request => {
  try {
    return new Request(...request);
  } catch {
    throw egressFault('header');
  }
};

/** Sends one request and reads the whole answer. */
const exchange = async (
  { send }: CheckedClient,
  request: Request,
  { firstByteMs, wholeMs, answerBytesMax }: EgressLimits,
): Promise<Response> => {
  const headers = Object.fromEntries(request.headers);
  if (!Object.keys(headers).every(isHeaderPermitted)) throw egressFault('header');
  const body = request.body === null ? null : new Uint8Array(await request.arrayBuffer());
  const whole = new AbortController();
  const timer = setTimeout(() => whole.abort(egressFault('whole_timeout')), wholeMs);
  const signal = AbortSignal.any([request.signal, whole.signal]);
  const { method, url } = request;
  try {
    const sent = { method, headers: { 'user-agent': 'assay', ...headers }, body };
    const answer = await send(url, { ...sent, signal, firstByteMs });
    if (redirects.has(answer.status)) throw egressFault('redirect');
    // A second coding could hide a thousandfold of what the limit sees.
    if (answer.headers.get('content-encoding')?.includes(',')) throw egressFault('unreachable');
    const bytes = await readAll(answer, answerBytesMax);
    const { status } = answer;
    return new Response(bytes, { status, headers: keptHeaders(answer.headers) });
  } catch (error) {
    request.signal.throwIfAborted();
    throw faultOf(error);
  } finally {
    clearTimeout(timer);
    // Ends a connection whose answer is not wanted.
    whole.abort();
  }
};
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Bytes of the decompressed body; null: none. */
const readAll = async (
  { body, status }: Pick<Response, 'status'> & { readonly body: AsyncIterable<Uint8Array> | null },
  bytesMax: number,
): Promise<Blob | null> => {
  if (body === null || status === 204 || status === 205 || status === 304) return null;
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) throw egressFault('answer_too_large');
    chunks.push(new Uint8Array(chunk));
  }
  return new Blob(chunks);
};

/** Headers that are true of the decompressed answer; cookies are dropped. */
const keptHeaders = (headers: Iterable<readonly [string, string]>): [string, string][] =>
  [...headers].flatMap(([name, value]): [string, string][] =>
    droppedHeaders.has(name) ? [] : [[name, value]],
  );
const droppedHeaders: ReadonlySet<string> = new Set([
  'content-encoding',
  'content-length',
  'set-cookie',
  'transfer-encoding',
]);

const codes: Readonly<Record<string, EgressReason>> = {
  UND_ERR_CONNECT_TIMEOUT: 'connect_timeout',
  UND_ERR_HEADERS_TIMEOUT: 'first_byte_timeout',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'answer_too_large',
};

/** Fault of what the client threw: ours, or by its code. */
const faultOf = (error: unknown): Error => {
  const reason = egressReasonOf(error);
  if (reason !== null) return egressFault(reason);
  for (let at = error; at instanceof Error; at = at.cause) {
    const known = 'code' in at && typeof at.code === 'string' ? codes[at.code] : undefined;
    if (known !== undefined) return egressFault(known, error);
  }
  return egressFault('unreachable', error);
};

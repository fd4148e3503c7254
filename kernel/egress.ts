import { Fault } from './fault.js';

/** `public`: any public host; `listed`: hosts of the list only; `off`: none. */
export const egressModes = ['public', 'listed', 'off'] as const;
export type EgressMode = (typeof egressModes)[number];

/** Hosts that the service may call for its tenants: `ASSAY_EGRESS`, `ASSAY_EGRESS_ALLOW`. */
export type EgressRules = EgressAllowList & { readonly mode: EgressMode };
export type EgressAllowList = {
  /** Host names, as URLs write them. */
  readonly names: readonly string[];
  /** `host:port`: may be http, have any port, and any address. */
  readonly endpoints: readonly string[];
  /** `address/bits`: their addresses are called although they are not public. */
  readonly networks: readonly string[];
};

/** Limits of one call. */
export const egressLimits = {
  connectMs: 10_000,
  /** From the sent request to the head of the answer. */
  firstByteMs: 60_000,
  /** From the call to the end of the answer. */
  wholeMs: 120_000,
  /** Decompressed: an answer of a model of 128,000 tokens is a tenth of it. */
  answerBytesMax: 8 * 1_024 * 1_024,
} as const;
export type EgressLimits = { readonly [Name in keyof typeof egressLimits]: number };

/**
 * Calls to hosts that tenants name. Both functions are `fetch`, but redirects are errors, the body
 * is complete once the promise resolves, and failures are Faults of `egressFault`. Cancelled by the
 * signal of the request, they reject with its reason.
 */
export interface Egress {
  readonly fetch: typeof globalThis.fetch;
  /** `fetch` with other limits, for all its calls. */
  fetchWithin(limits: Partial<Omit<EgressLimits, 'connectMs'>>): typeof globalThis.fetch;
}

/** Reasons of refusals: the rules forbid the call, or its answer; it is the same the next time. */
const refusals = {
  off: 'Calls to other hosts are switched off',
  url: 'The address is malformed or has user info',
  scheme: 'The address must be https, unless its host and port are listed',
  port: 'The port must be 443, unless host and port are listed',
  host: 'The host is not listed',
  address: 'The host has an address that is neither public nor listed',
  metadata: 'The host has the address of a metadata service',
  own_port: 'The address is one of this service',
  header: 'The request has a header that is malformed or belongs to the connection',
  redirect: 'The host answered with a redirect; redirects are not followed',
  answer_too_large: 'The answer is too large',
} as const;
export type EgressRefusal = keyof typeof refusals;

/** Reasons of failures of a permitted call. */
const failures = {
  connect_timeout: 'The host was not connected in time',
  first_byte_timeout: 'The host did not begin to answer in time',
  whole_timeout: 'The host did not finish its answer in time',
  unreachable: 'The host could not be reached, or its answer is malformed',
} as const;
export type EgressReason = EgressRefusal | keyof typeof failures;

const sentences: Readonly<Record<EgressReason, string>> = { ...refusals, ...failures };
export const isEgressRefusal = (reason: EgressReason): reason is EgressRefusal =>
  Object.hasOwn(refusals, reason);

/** Fault of a call: its message names neither host nor content. */
export const egressFault = (reason: EgressReason, cause?: unknown): Fault =>
  new Fault('unavailable', sentences[reason], { cause, members: { egress_reason: reason } });

/** Reason of a failed call, also where an error of others has it as a cause; null: none. */
export const egressReasonOf = (error: unknown): EgressReason | null => {
  for (let at = error, depth = 0; at instanceof Error && depth < causesMax; depth += 1) {
    const reason = at instanceof Fault ? at.members['egress_reason'] : undefined;
    if (typeof reason === 'string') return reason as EgressReason;
    at = at.cause;
  }
  return null;
};
const causesMax = 8;

/** Host of a call that the rules permit, as far as its URL says. */
export type EgressTarget = {
  readonly host: string;
  readonly port: number;
  /** True if host and port are listed: every address is permitted. */
  readonly isEndpoint: boolean;
  /** True if only addresses of listed networks are permitted. */
  readonly onlyNetworks: boolean;
};

/** Judges a URL before anything is looked up. */
export const judgeUrl = (rules: EgressRules, text: string): EgressTarget | EgressRefusal => {
  if (rules.mode === 'off') return 'off';
  if (!URL.canParse(text)) return 'url';
  const { protocol, hostname, port: written, username, password } = new URL(text);
  if (username !== '' || password !== '' || hostname === '') return 'url';
  const usual = usualPorts[protocol];
  if (usual === undefined) return 'scheme';
  const port = written === '' ? usual : Number(written);
  const host = withoutTrailingDot(hostname);
  const isEndpoint = rules.endpoints.includes(`${host}:${port}`);
  if (!isEndpoint && protocol !== 'https:') return 'scheme';
  if (!isEndpoint && port !== usual) return 'port';
  const isListed = isEndpoint || rules.names.includes(host);
  const onlyNetworks = rules.mode === 'listed' && !isListed;
  if (onlyNetworks && rules.networks.length === 0) return 'host';
  return { host, port, isEndpoint, onlyNetworks };
};
const usualPorts: Readonly<Partial<Record<string, number>>> = { 'https:': 443, 'http:': 80 };
/** `example.com.` is the host `example.com`. */
const withoutTrailingDot = (host: string): string => host.replace(/\.$/, '');

/** True if the service may call this URL by http: its host and port are listed. */
export const isHttpPermitted = (rules: EgressRules, text: string): boolean => {
  const target = judgeUrl(rules, text);
  return typeof target === 'object' && target.isEndpoint;
};

/**
 * Headers that the connection sets: one of the caller's would choose another virtual host, or where
 * the request ends. `content-length` is computed.
 */
const connectionHeaders: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'cookie',
  'cookie2',
  'expect',
  'forwarded',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
  'x-original-url',
  'x-real-ip',
  'x-rewrite-url',
]);
const connectionPrefixes = /^(?:proxy-|x-forwarded-)/;
/** True if a caller may set the header: it is well-formed, and not the connection's. */
export const isHeaderPermitted = (name: string): boolean => {
  const lower = name.toLowerCase();
  if (connectionHeaders.has(lower) || connectionPrefixes.test(lower)) return false;
  return /^[!#$%&'*+.^_`|~\w-]+$/.test(name);
};
/** True if the text fits into a header: Latin-1 without control characters but the tab. */
export const isHeaderValue = (text: string): boolean => /^[\t -~\x80-\xff]*$/.test(text);

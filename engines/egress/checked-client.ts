import { lookup as lookUp } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { Agent, Pool, buildConnector, fetch } from 'undici';
import {
  egressFault,
  type EgressLimits,
  type EgressRefusal,
  type EgressTarget,
} from '../../kernel/egress.js';
import type { AddressJudge } from './addresses.js';

/** All addresses of a host name. */
export type Resolver = (host: string) => Promise<readonly ResolvedAddress[]>;
type ResolvedAddress = { readonly address: string; readonly family: number };

/** Addresses by the system's resolver, the hosts file included. */
const systemResolver: Resolver = (host) => lookUp(host, { all: true });

/** Hosts with open connections at a time; closed ones are forgotten. */
const originsMax = 1_024;

type ClientNeeds = {
  readonly judgeTarget: (url: string) => EgressTarget | EgressRefusal;
  readonly judgeAddress: AddressJudge;
  readonly limits: EgressLimits;
  readonly resolve?: Resolver | undefined;
};
export type CheckedClient = {
  readonly send: (url: string, request: ClientRequest) => ReturnType<typeof fetch>;
  readonly close: () => Promise<void>;
};
type ClientRequest = {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
  readonly signal: AbortSignal;
  readonly firstByteMs: number;
};

/**
 * HTTP client that connects to judged addresses only: a name is resolved within the connector, all
 * of its addresses are judged, and those are connected to, so that no second answer of a resolver
 * counts (DNS rebinding). TLS verifies the name. HTTP/1.1; no proxy, no cookies, no redirects.
 */
export const openCheckedClient = (needs: ClientNeeds): CheckedClient => {
  // The deadline of the whole call bounds the body.
  const options = { allowH2: false, maxResponseSize: needs.limits.answerBytesMax, bodyTimeout: 0 };
  const agent = new Agent({
    ...options,
    maxOrigins: originsMax,
    factory: (origin) =>
      new Pool(origin, { ...options, connect: connectorTo(String(origin), needs) }),
  });
  return {
    send: (url, { firstByteMs, ...request }) => {
      const dispatcher = agent.compose(
        (dispatch) => (call, handler) =>
          dispatch({ ...call, headersTimeout: firstByteMs }, handler),
      );
      return fetch(url, { ...request, redirect: 'manual', dispatcher });
    },
    close: () => agent.destroy(),
  };
};

/** Connector of one origin; judges for each connection. */
const connectorTo = (origin: string, needs: ClientNeeds): buildConnector.connector => {
  const target = needs.judgeTarget(origin);
  if (typeof target === 'string') throw egressFault(target);
  const judge = (address: string): void => {
    const refusal = needs.judgeAddress(target, address);
    if (refusal !== null) throw egressFault(refusal);
  };
  const connect = buildConnector({
    allowH2: false,
    timeout: needs.limits.connectMs,
    lookup: checkedLookup(needs.resolve ?? systemResolver, judge),
  });
  return (options, callback) => {
    try {
      const literal = literalOf(options.hostname);
      // The resolver is not asked for a literal.
      if (literal !== null) judge(literal);
    } catch (error) {
      callback(error as Error, null);
      return;
    }
    connect(options, callback);
  };
};

/** Address of a URL's host that is a literal; null: a name. */
const literalOf = (host: string): string | null => {
  if (host.startsWith('[')) return host.slice(1, -1);
  return host.includes(':') || /^\d+(\.\d+){3}\.?$/.test(host) ? host.replace(/\.$/, '') : null;
};

const checkedLookup =
  (resolve: Resolver, judge: (address: string) => void): LookupFunction =>
  (host, { all }, callback) => {
    const answer = async (): Promise<readonly ResolvedAddress[]> => {
      const addresses = await resolve(host);
      for (const { address } of addresses) judge(address);
      return addresses;
    };
    answer().then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined) callback(new Error('the name has no address'), '');
        else if (all === true) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error as Error, ''),
    );
  };

import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { TLSSocket } from 'node:tls';
import { memoizeByObject } from '../../kernel/memoize-by-object.js';

/** Origin of a request, as far as it can be trusted. */
export type Peer = {
  /** Client address: behind configured proxies, the last address that is not one of theirs. */
  readonly address: string;
  /** True if the client used TLS, to the service or to such a proxy. */
  readonly isSecure: boolean;
};

/**
 * Matches addresses of these proxies, named by address or `address/bits`. Throws for any other
 * name.
 */
export const proxyMatcher = (proxies: readonly string[]): ((address: string) => boolean) => {
  const trusted = new BlockList();
  for (const proxy of proxies) addTrusted(trusted, proxy);
  return (address) =>
    (isIPv4(address) && trusted.check(address, 'ipv4')) ||
    (isIPv6(address) && trusted.check(address, 'ipv6'));
};

/**
 * Reads `X-Forwarded-For` and `X-Forwarded-Proto` only from the named proxies; other clients can
 * forge them, and `undeclared` is called with their address. Throws as `proxyMatcher` does.
 */
export const openPeerResolver = (
  proxies: readonly string[],
  undeclared: (address: string) => void = () => undefined,
): ((message: IncomingMessage) => Peer) => {
  const isTrusted = proxyMatcher(proxies);
  const of = ({ socket, headers }: IncomingMessage): Peer => {
    const nearest = unmappedAddress(socket.remoteAddress ?? '');
    const encrypted = socket instanceof TLSSocket;
    if (proxies.length === 0 || !isTrusted(nearest)) {
      if (headers['x-forwarded-for'] !== undefined) undeclared(nearest);
      return { address: nearest, isSecure: encrypted };
    }
    const hops = splitList(headers['x-forwarded-for']).map(unmappedAddress);
    const proto = splitList(headers['x-forwarded-proto'])[0];
    return {
      address: hops.findLast((hop) => !isTrusted(hop)) ?? hops[0] ?? nearest,
      isSecure: encrypted || proto?.toLowerCase() === 'https',
    };
  };
  // Memoized: it is called several times per request, also for a refused one.
  return memoizeByObject(of);
};

const addTrusted = (trusted: BlockList, proxy: string): void => {
  const [address = '', bits] = proxy.split('/', 2);
  const family = isIPv4(address) ? 'ipv4' : isIPv6(address) ? 'ipv6' : null;
  if (family === null) throw new Error(`${proxy} is not an IP address`);
  if (bits === undefined) trusted.addAddress(address, family);
  else trusted.addSubnet(address, Number(bits), family);
};

const splitList = (header: string | readonly string[] | undefined): readonly string[] =>
  (header === undefined ? '' : String(header))
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** IPv4 address as such, also of an IPv6 socket. */
export const unmappedAddress = (address: string): string => {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  return mapped?.[1] ?? address;
};

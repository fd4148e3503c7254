import type { EgressAllowList } from './egress.js';

/** Entries of a list at most: each call compares its host with all of them. */
const entriesMax = 256;

/**
 * Allow-list from a comma list of names, `host:port` and networks; a plain address is a network of
 * one. Returns the entry that is malformed instead, `too many` beyond 256.
 */
export const parseAllowList = (text: string): EgressAllowList | { readonly malformed: string } => {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  if (entries.length > entriesMax) return { malformed: `more than ${entriesMax} entries` };
  const found = {
    names: new Set<string>(),
    endpoints: new Set<string>(),
    networks: new Set<string>(),
  };
  for (const entry of entries) {
    const parsed = parseEntry(entry);
    if (parsed === null) return { malformed: entry };
    found[parsed.kind].add(parsed.value);
  }
  return {
    names: [...found.names],
    endpoints: [...found.endpoints],
    networks: [...found.networks],
  };
};

type Entry = { readonly kind: keyof EgressAllowList; readonly value: string };

const parseEntry = (text: string): Entry | null => {
  const [address = '', bits, ...rest] = text.split('/');
  if (rest.length > 0) return null;
  if (bits !== undefined) return networkOf(address, bits);
  const [, host = text, port] = /^(\[[^\]]*\]|[^:]*):(\d{1,5})$/.exec(text) ?? [];
  if (port !== undefined) return endpointOf(host, Number(port));
  const bare = literalOf(text);
  if (bare !== null) return { kind: 'networks', value: `${bare.address}/${bare.bitsMax}` };
  const name = hostOf(text);
  return name === null || literalOf(name) !== null ? null : { kind: 'names', value: name };
};

const networkOf = (address: string, bits: string): Entry | null => {
  const literal = literalOf(address);
  if (literal === null || !/^\d{1,3}$/.test(bits) || Number(bits) > literal.bitsMax) return null;
  return { kind: 'networks', value: `${literal.address}/${Number(bits)}` };
};

const endpointOf = (text: string, port: number): Entry | null => {
  const host = hostOf(text);
  if (host === null || port < 1 || port > 65_535) return null;
  return { kind: 'endpoints', value: `${host}:${port}` };
};

/** Host in the form of URLs, lower case and IDNA; null: malformed. */
const hostOf = (text: string): string | null => {
  if (!/^(?:\[[0-9a-f:.]+\]|[\p{L}\p{M}\p{N}._-]+)$/iu.test(text)) return null;
  if (!URL.canParse(`http://${text}/`)) return null;
  const host = new URL(`http://${text}/`).hostname.replace(/\.$/, '');
  return host === '' || host.includes('..') ? null : host;
};

/** Address in its usual form; a decimal or hexadecimal IPv4 address is none. */
const literalOf = (text: string): { readonly address: string; readonly bitsMax: number } | null => {
  const plain = /^\[.*\]$/.test(text) ? text.slice(1, -1) : text;
  if (plain.includes(':')) {
    const host = hostOf(`[${plain}]`);
    return host === null ? null : { address: host.slice(1, -1), bitsMax: 128 };
  }
  return /^\d+(\.\d+){3}$/.test(plain) && hostOf(plain) === plain
    ? { address: plain, bitsMax: 32 }
    : null;
};

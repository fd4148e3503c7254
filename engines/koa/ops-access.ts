import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { hostname } from 'node:os';
import { BlockList, isIP } from 'node:net';
import { Fault } from '../../kernel/fault.js';
import { unmappedAddress } from './peer.js';

/** Access checks of the operators' listener. */
export type OpsAccess = {
  /**
   * Throws Fault `forbidden` for an unexpected Host header, as a page sends after DNS rebinding.
   */
  readonly checkHost: (request: IncomingMessage) => void;
  /**
   * Throws Fault `unauthenticated` or `forbidden` for a client without the right to run commands.
   */
  readonly checkCommandRights: (request: IncomingMessage) => void;
};

/**
 * Commands require the token; without a configured one, they are accepted from this machine only.
 * Every request must name an address, or a name that only this machine has: a page whose name was
 * pointed to this address after it was loaded (DNS rebinding) sends its own name.
 */
export const openOpsAccess = (host: string, token: string | null): OpsAccess => {
  const names = new Set(['localhost', host.toLowerCase(), hostname().toLowerCase()]);
  return {
    checkHost: ({ headers }) => {
      const name = hostnameIn(headers.host ?? 'localhost');
      if (name !== null && (isIP(name) !== 0 || names.has(name))) return;
      throw new Fault(
        'forbidden',
        "Unexpected Host header: use the listener's address or configured name",
      );
    },
    checkCommandRights: ({ headers, socket }) => {
      if (token === null) {
        if (isLoopback(unmappedAddress(socket.remoteAddress ?? ''))) return;
        throw new Fault(
          'forbidden',
          'Without ASSAY_OPS_TOKEN commands are accepted from this machine only',
        );
      }
      if (isEqualInConstantTime(headers.authorization ?? '', `Bearer ${token}`)) return;
      throw new Fault(
        'unauthenticated',
        'Commands need the token of this service: set ASSAY_OPS_TOKEN to the same',
      );
    },
  };
};

/** Hostname without port and brackets; null when it is malformed. */
const hostnameIn = (host: string): string | null => {
  const url = /^[\w.:[\]-]+$/.test(host) ? URL.parse(`http://${host}`) : null;
  return url?.hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase() ?? null;
};

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');
const isLoopback = (address: string): boolean =>
  isIP(address) !== 0 && loopback.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');

/** Takes as long for every text, so that the time reveals nothing about the token. */
const isEqualInConstantTime = (given: string, wanted: string): boolean =>
  timingSafeEqual(sha256Of(given), sha256Of(wanted));
const sha256Of = (text: string): Buffer => hash('sha256', text, 'buffer');

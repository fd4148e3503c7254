import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { hostname } from 'node:os';
import { BlockList, isIP } from 'node:net';
import { Fault } from '../../kernel/fault.js';
import { unmappedAddress } from './peer.js';

/** What the operators' listener asks of whoever comes. */
export type OpsAccess = {
  /** Throws Fault `forbidden` for a page that another name led here. */
  readonly checkHost: (request: IncomingMessage) => void;
  /** Throws Fault `unauthenticated` or `forbidden` for whoever may not give commands. */
  readonly checkCommandRights: (request: IncomingMessage) => void;
};

/**
 * Commands come with the token; where there is none, from this machine alone. Every request is for
 * an address, or for a name that only this machine has: a page whose name was turned to this
 * address after it was loaded (DNS rebinding) asks for that name.
 */
export const openOpsAccess = (host: string, token: string | null): OpsAccess => {
  const names = new Set(['localhost', host.toLowerCase(), hostname().toLowerCase()]);
  return {
    checkHost: ({ headers }) => {
      const asked = hostnameIn(headers.host ?? 'localhost');
      if (asked !== null && (isIP(asked) !== 0 || names.has(asked))) return;
      throw new Fault('forbidden', 'Ask for this listener by its address, or by the name it is at');
    },
    checkCommandRights: ({ headers, socket }) => {
      if (token === null) {
        if (isLoopback(unmappedAddress(socket.remoteAddress ?? ''))) return;
        throw new Fault(
          'forbidden',
          'Without ASSAY_OPS_TOKEN commands are taken from this machine alone',
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

/** Without port and brackets; null when it is no host. */
const hostnameIn = (host: string): string | null => {
  const url = /^[\w.:[\]-]+$/.test(host) ? URL.parse(`http://${host}`) : null;
  return url?.hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase() ?? null;
};

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');
const isLoopback = (address: string): boolean =>
  isIP(address) !== 0 && loopback.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');

/** Takes as long for every text: nothing is learnt from how far it was right. */
const isEqualInConstantTime = (given: string, wanted: string): boolean =>
  timingSafeEqual(sha256Of(given), sha256Of(wanted));
const sha256Of = (text: string): Buffer => hash('sha256', text, 'buffer');

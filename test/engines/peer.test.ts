import { expect } from 'chai';
import type { IncomingMessage } from 'node:http';
import { openPeerResolver, type Peer } from '../../engines/koa/peer.js';

const from = (
  remoteAddress: string,
  headers: Readonly<Record<string, string>>,
  ...proxies: readonly string[]
): Peer =>
  openPeerResolver(proxies)({ socket: { remoteAddress }, headers } as unknown as IncomingMessage);

describe('peer of a request', () => {
  const forwarded = { 'x-forwarded-for': '1.2.3.4', 'x-forwarded-proto': 'https' };

  it("is the socket's address, unless a configured proxy names another", () => {
    const stranger = { address: '9.9.9.9', isSecure: false };
    expect(from('9.9.9.9', forwarded)).to.deep.equal(stranger);
    expect(from('9.9.9.9', forwarded, '10.0.0.0/8')).to.deep.equal(stranger);
    const client = { address: '1.2.3.4', isSecure: true };
    expect(from('10.1.2.3', forwarded, '10.0.0.0/8')).to.deep.equal(client);
    expect(from('::ffff:10.1.2.3', forwarded, '10.0.0.0/8')).to.deep.equal(client);
    expect(from('fd00::1', forwarded, 'fd00::/8')).to.deep.equal(client);
  });

  it('is the nearest address outside the proxies: earlier ones may be forged', () => {
    const chain = { 'x-forwarded-for': '6.6.6.6, 1.2.3.4, 10.0.0.7' };
    expect(from('10.0.0.8', chain, '10.0.0.0/8').address).to.equal('1.2.3.4');
    expect(from('10.0.0.8', { 'x-forwarded-for': '10.0.0.7' }, '10.0.0.0/8').address).to.equal(
      '10.0.0.7',
    );
    expect(from('10.0.0.8', {}, '10.0.0.0/8').address).to.equal('10.0.0.8');
  });

  it('reports X-Forwarded-For from an address outside the configured proxies', () => {
    const seen: string[] = [];
    const peers = openPeerResolver(['10.0.0.8'], (address) => seen.push(address));
    for (const remoteAddress of ['10.0.0.8', '10.0.0.9']) {
      peers({ socket: { remoteAddress }, headers: forwarded } as unknown as IncomingMessage);
      peers({ socket: { remoteAddress }, headers: {} } as unknown as IncomingMessage);
    }
    expect(seen).to.deep.equal(['10.0.0.9']);
  });

  it('rejects a proxy that is not an IP address', () => {
    expect(() => openPeerResolver(['proxy.example'])).to.throw('not an IP address');
  });
});

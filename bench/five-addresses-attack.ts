import { attack, holdSockets } from './attackers.js';

/** One more than takes all connections, each with as many as one address may have. */
const addresses = Array.from({ length: 5 }, (_address, n) => `127.0.0.${n + 11}`);
const socketsEach = 512;

/** Logins whose body does not arrive, without a credential. */
export const fiveAddresses = attack(
  'five-addresses',
  () => Promise.resolve(),
  async (stage, _, signal) => {
    const head = [
      'POST /v2/login HTTP/1.1',
      'Host: localhost',
      'Content-Type: application/x-www-form-urlencoded',
      'Content-Length: 100',
      '\r\nu',
    ].join('\r\n');
    const each = { count: socketsEach, bytes: head, reads: true } as const;
    await Promise.all(addresses.map((from) => holdSockets(stage, { ...each, from }, signal)));
  },
);

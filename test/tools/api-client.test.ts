import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { openApiClient } from '../../tools/api-client.js';

type Reply = (response: ServerResponse) => void;
const answer =
  (status: number, body: object, headers: Readonly<Record<string, string>> = {}): Reply =>
  (response) =>
    void response
      .writeHead(status, { 'Content-Type': 'application/json', ...headers })
      .end(JSON.stringify(body));
const cut: Reply = (response) => void response.destroy();
const cutAmid: Reply = (response) => {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '9' });
  response.write('{"a"', () => response.destroy());
};
const ok = answer(200, { done: true });

/** Answers in turn, and the waits of a client that asks until it has one. */
const asked = async (replies: readonly Reply[], patienceMs = 60_000) => {
  const waits: number[] = [];
  const left = [...replies];
  const server = createServer((_request, response) => (left.shift() ?? ok)(response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  let now = 0;
  const client = openApiClient(
    {
      url: `http://127.0.0.1:${port}`,
      apiKey: 'k',
      retryForMs: patienceMs,
      waitsForFirstContact: false,
    },
    {
      pause: async (ms) => {
        waits.push(ms);
        now += ms;
      },
      now: () => now,
      onRetry: () => undefined,
    },
  );
  try {
    // It is reached once before: an address that never answered is not waited for.
    await client.request({ method: 'GET', path: '/' });
    const found = await client.request({ method: 'POST', path: '/x', body: '{}' }).then(
      ({ status, tries }) => ({ status, tries }),
      (error: unknown) => (error as Error).message.replace(/http:\S+ /, ''),
    );
    return { found, waits };
  } finally {
    client.close();
    server.close();
  }
};

describe('the API client of commands', () => {
  it('retries transient failures: overload, a cut connection, a busy key', async () => {
    const busy = answer(
      409,
      { code: 'idempotency_in_progress', detail: '' },
      { 'Retry-After': '1' },
    );
    const replies = [ok, answer(503, { code: 'unavailable', detail: '' }), cut, cutAmid, busy, ok];
    expect(await asked(replies)).to.deep.equal({
      found: { status: 200, tries: 5 },
      waits: [200, 400, 800, 1_600],
    });
  });

  it('waits as long as Retry-After says, up to its limit', async () => {
    const full = answer(429, { detail: 'too many' }, { 'Retry-After': '7' });
    expect(await asked([ok, full, full])).to.deep.equal({
      found: { status: 200, tries: 3 },
      waits: [7_000, 7_000],
    });
    expect(await asked([ok, full, full], 10_000)).to.deep.equal({
      found: 'was waited for in vain: 429 too many',
      waits: [7_000],
    });
  });

  it('waits for a service that never answered only if configured to', async () => {
    const client = (waitsAtFirst: boolean) => {
      let now = 0;
      const pause = async (ms: number): Promise<void> => void (now += ms);
      const waiting = { pause, now: () => now, onRetry: () => undefined };
      const access = {
        url: 'http://127.0.0.1:1',
        apiKey: 'k',
        retryForMs: 10_000,
        waitsForFirstContact: waitsAtFirst,
      };
      return openApiClient(access, waiting)
        .request({ method: 'GET', path: '/' })
        .catch((error: unknown) => (error as Error).message);
    };
    expect(await client(false)).to.match(/^no service answers at /);
    expect(await client(true)).to.match(/ was waited for in vain: /);
  });

  it('does not retry permanent failures', async () => {
    const damaged = answer(503, { code: 'log_damaged', detail: 'the log is damaged' });
    expect(await asked([ok, damaged])).to.deep.equal({
      found: { status: 503, tries: 1 },
      waits: [],
    });
    const conflict = answer(409, { code: 'conflict', detail: 'taken' });
    expect(await asked([ok, conflict])).to.deep.include({ found: { status: 409, tries: 1 } });
  });
});

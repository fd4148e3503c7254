import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { validationProblem } from '../../tools/import/record-validation.js';
import { importFormats } from '../../tools/import/formats.js';
import { isRefused } from '../../tools/import/records.js';
import { sharedApp } from '../support/app.js';
import { refusal, scriptedServer } from '../support/scripted-server.js';
import { waitForTraces, spansUnder } from '../support/sender-runs.js';
import { asLines, recordsOf, runTransfer } from '../support/transfer-commands.js';

const span = (at: number): object => ({
  traceId: '1'.repeat(32),
  spanId: String(at).padStart(16, '0'),
  name: `span ${at}`,
  startTimeUnixNano: '1772355600000000000',
});
const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'chat' } }] };
const requestOf = (spans: readonly object[]): object => ({
  resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 's' }, spans }] }],
});

type Taken = { readonly path: string; readonly headers: IncomingMessage['headers'] } & {
  readonly body: { readonly resourceSpans: readonly { readonly scopeSpans: readonly Scope[] }[] };
};
type Scope = { readonly spans: readonly { readonly name: string; readonly spanId: string }[] };

/** A receiver of OTLP as contract 5.12 has it, which refuses a request with the span `spoilt`. */
const receiver = async () => {
  const taken: Taken[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const answer = (status: number, value: unknown): void =>
        void response
          .writeHead(status, { 'Content-Type': 'application/json' })
          .end(JSON.stringify(value));
      const path = request.url ?? '';
      if (path.startsWith('/v2/projects?')) return answer(200, [{ id: 'p1', name: 'chat' }]);
      const text = Buffer.concat(chunks).toString('utf8');
      if (text.includes('spoilt')) return answer(422, { detail: 'a spoilt span' });
      taken.push({ path, headers: request.headers, body: JSON.parse(text) as Taken['body'] });
      const partialSuccess = { rejectedSpans: '1', errorMessage: 'bad id' };
      answer(200, text.includes('half') ? { partialSuccess } : {});
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { taken, url: `http://127.0.0.1:${port}`, close: () => server.close() };
};

describe('a file of OTLP', () => {
  it('is parsed as requests or as single spans, and split into parts', async () => {
    const { read } = importFormats.otlp;
    const spans = Array.from({ length: 250 }, (_, at) => span(at));
    const found = await recordsOf(read, [requestOf(spans), span(1), { resourceSpans: [7] }, {}]);
    const counts = found.map((one) => {
      if (isRefused(one) || one.kind !== 'otlp') return one;
      expect(validationProblem(one)).to.equal(null);
      const scopes = one.resourceSpans['scopeSpans'] as unknown as readonly Scope[];
      return [one.line, scopes.reduce((sum, { spans: some }) => sum + some.length, 0)];
    });
    expect(counts).to.deep.equal([
      [1, 100],
      [1, 100],
      [1, 50],
      [2, 1],
      { line: 3, problem: 'an item of resourceSpans must be an object' },
      { line: 4, problem: 'it has neither resourceSpans nor a span' },
    ]);
    const [wrong] = await recordsOf(read, [{ traceId: 'AAAA', spanId: '0'.repeat(16) }]);
    if (wrong === undefined || isRefused(wrong)) throw new Error();
    expect(validationProblem(wrong)).to.equal('a span has no traceId in hex');
  });

  it('is sent to the OTLP route; lines refused wholly or in part are reported', async () => {
    const { taken, url, close } = await receiver();
    try {
      const names = ['a', 'b', 'spoilt', 'c', 'half of it', 'd'];
      const lines = asLines(names.map((name, at) => ({ ...span(at), name })));
      const args = ['import', '-', '--json', '--project', 'chat'];
      const ran = await runTransfer({ url, apiKey: 'k' }, args, lines);
      const { refusals } = JSON.parse(ran.stdout) as { readonly refusals: readonly object[] };
      expect(refusals).to.deep.equal([
        { line: 3, problem: 'a spoilt span' },
        { line: 5, problem: '1 of its spans were not taken: bad id' },
      ]);
      expect(ran.code).to.equal(1);
      const sent = taken.flatMap(({ body }) =>
        body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      );
      const all = ['a', 'b', 'c', 'd', 'half of it'];
      expect([...new Set(sent.map(({ name }) => name))].sort()).to.deep.equal(all);
      for (const { path, headers } of taken) {
        expect(path).to.equal('/v2/otel/v1/traces');
        expect(headers['projectid']).to.equal('p1');
        expect(headers['content-type']).to.equal('application/json');
        expect(headers['idempotency-key']).to.match(/^[0-9a-f]{64}$/);
      }
    } finally {
      close();
    }
  });

  it('fails with the reason if the service has no OTLP route', async () => {
    const elsewhere = await scriptedServer(({ path }) =>
      path.startsWith('/v2/projects?')
        ? { status: 200, body: [{ id: 'p1', name: 'chat' }] }
        : refusal(404, 'not_found'),
    );
    const args = ['import', '-', '--project', 'chat'];
    const ran = await runTransfer({ url: elsewhere.url, apiKey: 'k' }, args, asLines([span(1)]));
    await elsewhere.close();
    expect([ran.code, ran.stderr.split('\n').at(-2)]).to.deep.equal([
      1,
      `assay: ${elsewhere.url} has no /v2/otel/v1/traces: this service takes no OTLP (404)`,
    ]);
  });

  it('is recorded once however often it is imported', async () => {
    const app = await sharedApp();
    const lines = asLines([
      requestOf([span(1), { ...span(2), parentSpanId: '0'.repeat(15) + '1' }]),
      { ...span(3), traceId: '2'.repeat(32) },
      { ...span(4), spanId: 'short' },
    ]);
    const args = ['import', '-', '--json', '--project', 'collected', '--log-stream', 'nightly'];
    for (const time of ['first', 'again']) {
      const { code, stdout } = await runTransfer(app, args, lines);
      const { refusals } = JSON.parse(stdout) as { readonly refusals: readonly { line: number }[] };
      expect([code, refusals.map(({ line }) => line)], time).to.deep.equal([1, [3]]);
    }
    const sent = await waitForTraces(app.client, 'collected', 2);
    const spans = sent.flatMap((one) => spansUnder(one).map(({ name }) => name));
    expect(spans.sort()).to.deep.equal(['span 1', 'span 2', 'span 3']);
    expect(sent.flatMap((one) => one['user_metadata'])).to.deep.include({ 'service.name': 'chat' });
  });
});

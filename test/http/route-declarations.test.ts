import { Writable } from 'node:stream';
import { expect } from 'chai';
import { Type } from 'typebox';
import { operation, readRoute, writeRoute, type Operation } from '../../contract/operation.js';
import { secretMembers } from '../../contract/secrets.js';
import { startOpsServer } from '../../engines/koa/ops-server.js';
import { openLogger } from '../../engines/pino/logger.js';
import { openMetrics } from '../../engines/prometheus/metrics.js';
import { secret } from '../../kernel/schema-types.js';
import { clientOf } from '../support/client.js';
import { operationDefaults, smallService } from '../support/small-service.js';

const fine = operation({
  ...operationDefaults,
  operationId: 'fine',
  method: 'GET',
  path: '/v2/fine',
  kind: 'r',
  response: Type.Object({ ok: Type.Boolean() }),
});
const routeTo = (operation: Operation) =>
  writeRoute(operation, async () => ({ body: { ok: true } }));

describe('the start of the service', () => {
  const refusal = async (...operations: readonly Partial<Operation>[]) => {
    const routes = operations.map((one) => routeTo({ ...fine, ...one }));
    const error: unknown = await smallService(routes, { collections: ['things'] }).then(
      (service) => service.close(),
      (error: unknown) => error,
    );
    return error instanceof Error ? error.message : 'it started';
  };
  it('fails without a requirement on every route', async () =>
    expect(await refusal({ requires: undefined as never })).to.include('has no requirement'));
  it('fails for a project role on a path without a project', async () =>
    expect(await refusal({ requires: 'editor' })).to.include('names no project'));
  it('fails for a public operation with a credential, or the other way round', async () => {
    expect(await refusal({ requires: 'public' })).to.include('public');
    expect(await refusal({ schemes: [] })).to.include('public');
  });
  it('fails for two operations at one path or of one name', async () => {
    const path = '/v2/x/{a}';
    expect(await refusal({ path }, { path: '/v2/x/{b}', operationId: 'other' })).to.include(
      'shares',
    );
    expect(await refusal({}, { path })).to.include('shares fine');
  });
  it('fails for a read of an unknown collection', async () => {
    const routes = [readRoute(fine, [{ name: 'nothing' }], async () => ({ body: { ok: true } }))];
    const error: unknown = await smallService(routes, { collections: ['things'] }).catch(
      (error: unknown) => error,
    );
    expect(String(error)).to.include('reads nothing');
  });
});

describe('a loaded service', () => {
  it('sheds requests beyond capacity with Retry-After', async () => {
    const gates: (() => void)[] = [];
    const slow = readRoute(fine, [], async () => {
      await new Promise<void>((resolve) => gates.push(resolve));
      return { body: { ok: true } };
    });
    const service = await smallService([slow], { load: { requests: { size: 1 } } });
    const first = service.as('editor').send('GET', '/v2/fine');
    while (gates.length === 0) await new Promise((resolve) => void setImmediate(resolve));
    const second = await service.as('editor').send('GET', '/v2/fine');
    expect([second.status, second.headers['retry-after']]).to.deep.equal([503, '1']);
    gates[0]?.();
    expect((await first).status).to.equal(200);
    expect(await service.metrics.text()).to.include('assay_shed_requests_total 1');
    await service.close();
  });
  it('answers running requests when it closes', async () => {
    const gates: (() => void)[] = [];
    const slow = readRoute(fine, [], async () => {
      await new Promise<void>((resolve) => gates.push(resolve));
      return { body: { ok: true } };
    });
    const service = await smallService([slow]);
    const headers = { 'Service-API-Key': 'editor' };
    const running = fetch(`${service.url}/v2/fine`, { headers });
    while (gates.length === 0) await new Promise((resolve) => void setImmediate(resolve));
    const closed = service.close();
    gates[0]?.();
    expect((await running).status).to.equal(200);
    await closed;
  });
});

describe('a service in production', () => {
  it('sends a response unlike its schema, logs its paths and counts it', async () => {
    const routes = [
      readRoute(fine, [], async () => ({ body: { ok: true, canary: 'canary7f3a' } })),
    ];
    const service = await smallService(routes, { strict: false });
    const reply = await service.as('editor').send('GET', '/v2/fine');
    expect(reply.status).to.equal(200);
    expect(service.lines.join('')).to.include('canary: extra_forbidden');
    expect(service.lines.join('')).not.to.include('canary7f3a');
    expect(await service.metrics.text()).to.include(
      'assay_undeclared_answers_total{operation="fine"} 1',
    );
    await service.close();
  });
});

describe('the log', () => {
  const written = (fields: Record<string, unknown>, secrets: readonly string[]): string => {
    const lines: string[] = [];
    const destination = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        lines.push(chunk.toString('utf8'));
        done();
      },
    });
    openLogger({ level: 'info', secrets, destination }).info(fields, 'text');
    return lines.join('');
  };
  const keyed = operation({
    ...operationDefaults,
    operationId: 'keyed',
    method: 'POST',
    path: '/v2/keyed',
    kind: 'w',
    body: Type.Object({ list: Type.Array(Type.Object({ api_key: Type.Optional(secret()) })) }),
    response: Type.Object({ pin: Type.Union([secret(), Type.Null()]) }),
  });
  it('redacts what operations mark as secret', () => {
    const secrets = secretMembers([keyed]);
    expect(secrets).to.deep.equal(['api_key', 'pin']);
    const line = written(
      { api_key: 'canary', a: { pin: 'canary', b: { api_key: 'canary', c: [{ pin: 'canary' }] } } },
      secrets,
    );
    expect(line).to.include('[redacted]').and.not.to.include('canary');
  });
  it('limits the length of its lines, whatever an engine reports', () => {
    const long = 'x'.repeat(1_000_000);
    const deep = { a: { b: { c: { d: { e: long } } } } };
    const many = Array.from({ length: 10_000 }, () => 'y');
    const fields = { request_id: 'r', cause: long, nested: { cause: long }, deep, many, count: 3 };
    const line = written(fields, ['x']);
    expect(line.length).to.be.lessThan(10_000);
    expect(JSON.parse(line)).to.include({ request_id: 'r', count: 3 });
    expect(line).to.contain('(1000000)');
  });
  it('refuses to open with nothing to redact', () =>
    expect(() => written({}, [])).to.throw('x-secret'));
});

describe('the listener for operators', () => {
  it('serves health, readiness and metrics, and takes commands', async () => {
    const metrics = openMetrics();
    metrics.lag('traces', 3, 0.5);
    let status = 'ready';
    const ops = await startOpsServer({
      host: '127.0.0.1',
      port: 0,
      token: null,
      ready: async () => ({ status }),
      metrics,
      logger: openLogger({ level: 'silent', secrets: ['x'] }),
      operate: async (command, request) =>
        command === 'echo' ? { asked: request as never } : null,
    });
    const client = clientOf({ url: `http://127.0.0.1:${ops.port}`, apiKey: null });
    expect((await client.send('GET', '/healthz')).status).to.equal(200);
    expect((await client.send('GET', '/readyz')).status).to.equal(200);
    status = 'stalled';
    const red = await client.send('GET', '/readyz');
    expect([red.status, red.body]).to.deep.equal([503, { status: 'stalled' }]);
    const figures = await client.send<string>('GET', '/metrics');
    expect(figures.body).to.include('assay_projection_lag_events{projection="traces"} 3');
    expect((await client.send('POST', '/operate/echo', { body: { a: 1 } })).body).to.deep.equal({
      asked: { a: 1 },
    });
    expect((await client.send('POST', '/operate/nothing', { body: {} })).status).to.equal(404);
    const form = { body: 'a=1', headers: { 'Content-Type': 'text/plain' } };
    expect((await client.send('POST', '/operate/echo', form)).status).to.equal(415);
    expect((await client.send('GET', '/nothing')).status).to.equal(404);
    client.close();
    await ops.close();
  });
});

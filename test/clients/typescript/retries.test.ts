import { expect } from 'chai';
import * as fc from 'fast-check';
import { AssayFault, isFault } from '../../../clients/typescript/src/fault.js';
import { Assay, type AssayOptions } from '../../../clients/typescript/src/node.js';
import { isRetryable, backoffMs } from '../../../clients/typescript/src/retry.js';
import { drawSeed } from '../../support/test-environment.js';
import { runs } from '../../support/runs.js';
import { refusal, scriptedServer, type Scripted } from '../../support/scripted-server.js';

const project = '11111111-1111-4111-8111-111111111111';
const quick = { firstWaitMs: 1, waitMaxMs: 30_000 };

/** Result of the work against a scripted server, and the requests received. */
const against = async <T>(
  script: Parameters<typeof scriptedServer>[0],
  work: (assay: Assay) => Promise<T>,
  options: AssayOptions = {},
) => {
  const server = await scriptedServer(script);
  const assay = new Assay({
    url: server.url,
    apiKey: 'a-key',
    project,
    retries: quick,
    ...options,
  });
  try {
    const result = await work(assay).then(
      (value) => ({ value, fault: null }),
      (fault: unknown) => ({ value: null, fault: fault as AssayFault }),
    );
    return { ...result, received: server.received };
  } finally {
    await server.close();
  }
};

const done: Scripted = { status: 200, headers: { 'X-Log-Position': '7' }, body: { id: 'one' } };
const create = (assay: Assay) => assay.experiments.create({ name: 'first' });

describe('a call of the TypeScript client', () => {
  it('throws the error in the last line of a cut file, and only there', async () => {
    const body = '{"a":1}\n{"ended_early":{"code":"unavailable","detail":"made up"}}\n';
    const kind = { 'Content-Type': 'application/x-ndjson' };
    const cut = { ...kind, 'Content-Length': '900', Connection: 'close' };
    const read = async (headers: Readonly<Record<string, string>>) => {
      const lines: string[] = [];
      const { fault } = await against([{ status: 200, headers, body }], async (assay) => {
        for await (const line of (await assay.traces.export()).lines()) lines.push(line);
      });
      return { lines: lines.length, said: fault?.message ?? null };
    };
    expect((await read(cut)).lines).to.equal(1);
    expect((await read(cut)).said).to.contain('ends early: made up');
    // A tenant may name a column so.
    expect(await read(kind)).to.deep.equal({ lines: 2, said: null });
  });

  it('is retried under one key when the response is lost, 503 or cut', async () => {
    const script = [null, refusal(503, 'unavailable'), refusal(502, 'bad'), done];
    const { value, received } = await against(script, create);
    expect(value).to.deep.equal({ id: 'one' });
    expect(received.length).to.equal(4);
    const keys = new Set(received.map(({ headers }) => headers['idempotency-key']));
    expect(keys.size).to.equal(1);
    expect([...keys][0]).to.match(/^[0-9a-f-]{36}$/);
    expect(new Set(received.map(({ body }) => body))).to.deep.equal(new Set(['{"name":"first"}']));
  });

  it('has an idempotency key of its own, or the given one', async () => {
    const { received } = await against([done], async (assay) => {
      await create(assay);
      await create(assay);
      await assay.experiments.create({ name: 'x' }, { idempotencyKey: 'mine' });
    });
    const keys = received.map(({ headers }) => headers['idempotency-key']);
    expect(keys[2]).to.equal('mine');
    expect(new Set(keys).size).to.equal(3);
  });

  it('waits as long as Retry-After says', async () => {
    const begun = performance.now();
    const busy = refusal(429, 'too_many_requests', { 'Retry-After': '1' });
    const { value } = await against([busy, done], create);
    expect(value).to.deep.equal({ id: 'one' });
    expect(performance.now() - begun).to.be.greaterThan(990);
  });

  it('gives up if Retry-After exceeds its limit, and names it', async () => {
    const busy = refusal(503, 'unavailable', { 'Retry-After': '60' });
    const { fault, received } = await against([busy], create);
    expect(fault).to.include({ code: 'unavailable', status: 503, retryAfterMs: 60_000, tries: 1 });
    expect(received.length).to.equal(1);
  });

  it('gives up after its tries with the last error', async () => {
    const options = { retries: { ...quick, triesMax: 3 } };
    const { fault, received } = await against([refusal(504, 'x')], create, options);
    expect(isFault(fault)).to.equal(true);
    expect(fault).to.include({ code: 'unreadable', status: 504, tries: 3 });
    expect(received.length).to.equal(3);
  });

  it('is sent once when a repeat could act twice, or would mend nothing', async () => {
    const login = (assay: Assay) => assay.logins.withPassword({ username: 'a', password: 'b' });
    const once = await against([refusal(503, 'unavailable')], login);
    expect(once.received.length).to.equal(1);
    expect(once.received[0]?.body).to.equal('username=a&password=b');
    expect(once.received[0]?.headers['service-api-key']).to.equal(undefined);
    for (const answer of [refusal(503, 'log_damaged'), refusal(409, 'conflict')]) {
      expect((await against([answer], create)).received.length).to.equal(1);
    }
  });

  it('sends PUT, DELETE and reads again without a key', async () => {
    const lost = [null, done];
    const put = await against(lost, (assay) =>
      assay.logStreams.rename({ log_stream_id: 'a/b', name: 'x' }),
    );
    expect(put.received.map(({ path }) => path)).to.deep.equal(
      Array.from({ length: 2 }, () => `/v2/projects/${project}/log_streams/a%2Fb`),
    );
    expect(put.received[0]?.headers['idempotency-key']).to.equal(undefined);
    const read = await against(lost, (assay) => assay.traces.get({ trace_id: 'x' }));
    expect(read.received.length).to.equal(2);
  });

  it('reads its own writes: sends the greatest position with each read', async () => {
    let told = 0;
    const positions = ['5', '9', '7'];
    const script = (): Scripted => {
      const position = positions[told++];
      return { status: 200, ...(position && { headers: { 'X-Log-Position': position } }) };
    };
    const { received } = await against(script, async (assay) => {
      for (const _ of positions) await create(assay);
      await assay.traces.get({ trace_id: 'x' });
      await create(assay);
    });
    const sent = received.map(({ headers }) => headers['x-min-position']);
    expect(sent).to.deep.equal([undefined, undefined, undefined, '9', undefined]);
  });

  it('fails with a typed fault whatever the response is', async () => {
    const html = '<html>502 from a proxy</html>';
    const cases: readonly (readonly [Scripted, string, number | null])[] = [
      [{ status: 418, body: html }, 'unreadable', 418],
      [{ status: 200, body: html }, 'unreadable', null],
      [{ status: 422, body: { detail: 'no list' } }, 'unreadable', 422],
      [{ status: 404, body: [] }, 'unreadable', 404],
      [null, 'unreachable', null],
      ['never', 'timeout', null],
    ];
    for (const [answer, code, status] of cases) {
      const timeoutMs = answer === 'never' ? 60 : 30_000;
      const options = { timeoutMs, retries: { triesMax: 1 } };
      const { fault } = await against([answer], create, options);
      expect(fault, JSON.stringify(answer)).to.be.instanceOf(AssayFault);
      expect(fault, JSON.stringify(answer)).to.include({ code, status });
    }
  });

  it('stops at once on abort, also while it waits', async () => {
    for (const answer of ['never' as const, refusal(503, 'unavailable', { 'Retry-After': '25' })]) {
      const stop = new AbortController();
      const begun = performance.now();
      const { fault } = await against([answer], (assay) => {
        setTimeout(() => stop.abort(new Error('enough')), 50);
        return assay.experiments.create({ name: 'x' }, { signal: stop.signal });
      });
      expect(fault).to.include({ code: 'aborted' });
      expect(String(fault?.cause)).to.equal('Error: enough');
      expect(performance.now() - begun).to.be.lessThan(20_000);
    }
  });

  it('refuses a missing path parameter before sending, like a 422', async () => {
    const { fault, received } = await against([done], (assay) =>
      assay.traces.get({ trace_id: '' }),
    );
    expect(fault).to.include({ code: 'invalid_request', status: null });
    expect(fault?.complaints[0]?.loc).to.deep.equal(['path', 'trace_id']);
    expect(received.length).to.equal(0);
  });

  it('backs off exponentially with jitter, within its limits and Retry-After', () => {
    const seed = drawSeed('waits');
    const bound = fc.integer({ min: 1, max: 60_000 });
    fc.assert(
      fc.property(
        fc.record({ tries: fc.integer({ min: 1, max: 2_000 }), first: bound, most: bound }),
        fc.option(fc.integer({ min: 0, max: 100_000 })),
        fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
        ({ tries, first, most }, asked, chance) => {
          const fault = new AssayFault('x', {
            code: 'unavailable',
            status: 503,
            retryAfterMs: asked,
          });
          const rules = { triesMax: 1_000, firstWaitMs: first, waitMaxMs: most };
          const wait = backoffMs(fault, tries, rules, () => chance);
          const isOver = tries >= rules.triesMax || (asked ?? 0) > most;
          expect(wait === null).to.equal(isOver);
          if (wait === null) return;
          expect(wait).to.be.at.least(Math.max(asked ?? 0, Math.min(most, first) / 2));
          expect(wait).to.be.at.most(most);
        },
      ),
      { seed, numRuns: runs(500) },
    );
  });

  it('retries exactly the codes that the contract calls transient', () => {
    const of = (status: number, code: 'unavailable' | 'log_damaged' | 'forbidden') =>
      isRetryable(new AssayFault('x', { status, code }));
    expect([408, 429, 502, 503, 504].every((status) => of(status, 'unavailable'))).to.equal(true);
    expect([400, 401, 403, 404, 412, 422, 500].some((one) => of(one, 'forbidden'))).to.equal(false);
    expect(of(503, 'log_damaged')).to.equal(false);
  });
});

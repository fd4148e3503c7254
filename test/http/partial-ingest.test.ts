import { randomUUID as id } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { RejectedItem } from '../../contract/partial-ingest.js';
import { sharedApp, type App } from '../support/app.js';
import type { Ask, Reply } from '../support/client.js';
import { pollUntil } from '../support/poll-until.js';

type Logged = {
  readonly traces_count: number;
  readonly spans_count: number;
  readonly records_count: number;
  readonly trace_ids: readonly string[];
  readonly rejected: readonly RejectedItem[];
  readonly truncated: readonly (readonly string[])[];
  readonly detail: unknown;
};
const strict = { Prefer: 'handling=strict' };
const mebibyte = 1_048_576;

/** Registers the hook that makes a project, and asks below its path. */
const inNewProject = () => {
  let app: App;
  let root = '';
  before(async () => {
    app = await sharedApp();
    const { body } = await app.client.call<{ readonly id: string }>('POST', '/v2/projects', {
      body: { name: `partial ingest ${id()}` },
    });
    root = `/v2/projects/${body.id}`;
  });
  const send = <T>(method: string, path: string, ask: Ask = {}): Promise<Reply<T>> =>
    app.client.send<T>(method, `${root}${path}`, ask);
  const post = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    send<Logged>('POST', path, { body, headers });
  return { send, post };
};

describe('a partly malformed ingest request', () => {
  const { send, post } = inNewProject();
  const read = async (trace: string): Promise<number> =>
    (await send('GET', `/traces/${trace}`)).status;

  it('records the well-formed traces and names the others', async () => {
    const [good, bad, late] = [id(), id(), id()];
    const { status, body } = await post('/traces', {
      traces: [
        { id: good, input: 'a' },
        { id: bad, input: 'b', tags: [5] },
        7,
        { id: late, input: 'c', metrics: { reward: {} } },
        { id: 'x', input: 'd' },
      ],
    });
    expect([status, body.traces_count, body.trace_ids]).to.deep.equal([200, 1, [good]]);
    expect(body.rejected.map(({ index, id: sent, loc }) => [index, sent, loc])).to.deep.equal([
      [1, bad, ['body', 'traces', '1', 'tags', '0']],
      [2, null, ['body', 'traces', '2']],
      [3, late, ['body', 'traces', '3', 'metrics', 'reward']],
      [4, 'x', ['body', 'traces', '4', 'id']],
    ]);
    expect(body.rejected[0]?.msg).to.equal('Input should be a valid string');
    await pollUntil('the accepted one is readable', 30_000, async () => (await read(good)) === 200);
    expect(await read(bad)).to.equal(404);
  });

  it('records the well-formed spans of a trace and names the others', async () => {
    const trace = id();
    await post('/traces', { traces: [{ id: trace }] });
    const span = { type: 'tool', input: 'a' };
    const { status, body } = await post('/spans', {
      trace_id: trace,
      parent_id: trace,
      spans: [{ ...span, spans: [{ type: 'nothing' }] }, span, { ...span, trace_id: id() }],
    });
    expect([status, body.records_count]).to.deep.equal([200, 1]);
    expect(body.rejected.map(({ loc }) => loc)).to.deep.equal([
      ['body', 'spans', '0', 'spans', '0'],
      ['body', 'spans', '2', 'trace_id'],
    ]);
  });

  it('is refused whole when all items or a member beside the list are malformed', async () => {
    const none = await post('/traces', { traces: [{ tags: 1 }, { tags: 2 }] });
    expect(none.status).to.equal(422);
    expect(none.body.detail).to.have.length(2);
    const trace = id();
    const beside = await post('/traces', { is_complete: 1, traces: [{ id: trace }, { tags: 2 }] });
    expect([beside.status, await read(trace)]).to.deep.equal([422, 404]);
  });

  it('is refused whole under strict handling', async () => {
    const trace = id();
    const traces = [{ id: trace }, { tags: 2 }];
    expect((await post('/traces', { traces }, strict)).status).to.equal(422);
    expect(await read(trace)).to.equal(404);
  });

  it('rejects all malformed traces of 1,000, however many complaints each has', async () => {
    const malformed = { tags: Array.from({ length: 90 }, () => 1) };
    const traces = Array.from({ length: 1_000 }, (_, at) => (at === 500 ? {} : malformed));
    const { status, body } = await post('/traces', { traces });
    expect([status, body.traces_count, body.rejected.length]).to.deep.equal([200, 1, 999]);
  });

  it('rejects the traces that do not fit into 5,000 spans beside those before them', async () => {
    const spans = (length: number) => Array.from({ length }, () => ({ type: 'tool' }));
    const { status, body } = await post('/traces', {
      traces: [{ spans: spans(3_000) }, { spans: spans(2_001) }, { spans: spans(2_000) }],
    });
    expect([status, body.spans_count]).to.deep.equal([200, 5_000]);
    expect(body.rejected.map(({ loc }) => loc)).to.deep.equal([['body', 'traces', '1', 'spans']]);
  });

  it('says in a conflict that records were rejected too', async () => {
    const trace = id();
    await post('/traces', { traces: [{ id: trace, input: 'a' }] });
    const { status, body } = await post('/traces', {
      traces: [{ id: trace, input: 'b' }, { tags: 1 }],
    });
    expect(status).to.equal(409);
    expect(body.detail).to.contain(trace).and.to.contain('1 malformed record rejected too');
    expect(body.detail).to.contain('traces/1/tags');
  });

  it('keeps the names of ignored members at their places in the request', async () => {
    const { headers } = await post('/traces', { traces: [{ tags: 1 }, { inptu: 'a' }] });
    expect(headers['x-ignored-members']).to.equal('traces/1/inptu');
  });
});

describe('a long text of an ingest request', () => {
  const { send, post } = inNewProject();
  const inputOf = async (trace: string): Promise<string> => {
    let found = '';
    await pollUntil('the trace is readable', 30_000, async () => {
      const { status, body } = await send<{ readonly input: string }>('GET', `/traces/${trace}`);
      found = body.input;
      return status === 200;
    });
    return found;
  };

  it('is cut to 1 MiB with a mark, and named', async () => {
    const trace = id();
    const text = `${'a'.repeat(mebibyte - 30)}${'€'.repeat(40)}`;
    const sent = { id: trace, input: text, spans: [{ type: 'tool', output: text }] };
    const { status, body, headers } = await post('/traces', { traces: [{}, sent] });
    expect([status, body.rejected]).to.deep.equal([200, []]);
    expect(body.truncated).to.deep.equal([
      ['traces', '1', 'input'],
      ['traces', '1', 'spans', '0', 'output'],
    ]);
    expect(headers['x-truncated']).to.equal('traces/1/input, traces/1/spans/0/output');
    const kept = await inputOf(trace);
    const mark = `… [cut: ${Buffer.byteLength(text)} bytes]`;
    expect(kept.endsWith(mark)).to.equal(true);
    expect(text.startsWith(kept.slice(0, -mark.length))).to.equal(true);
    expect(Buffer.byteLength(kept)).to.be.within(mebibyte - 3, mebibyte);
    // Sent again it is the same record.
    expect((await post('/traces', { traces: [{}, sent] })).status).to.equal(200);
  });

  it('is refused under strict handling, and where a member takes less', async () => {
    const text = 'a'.repeat(mebibyte + 1);
    expect((await post('/traces', { traces: [{ input: text }] }, strict)).status).to.equal(422);
    const { body } = await post('/traces', { traces: [{}, { name: text }] });
    expect(body.rejected.map(({ loc }) => loc)).to.deep.equal([['body', 'traces', '1', 'name']]);
    expect(body.truncated).to.deep.equal([]);
  });

  it('fits 31 times into one request', async () => {
    const text = 'b'.repeat(mebibyte);
    const ids = Array.from({ length: 31 }, () => id());
    const traces = ids.map((trace) => ({ id: trace, input: text }));
    const bytes = gzipSync(JSON.stringify({ traces }));
    const { status } = await send('POST', '/traces', {
      body: bytes,
      headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
    });
    expect(status).to.equal(200);
    expect((await inputOf(ids[30] ?? '')).length).to.equal(mebibyte);
  });
});

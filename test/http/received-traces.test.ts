import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { TraceLogged } from '../../events/traces.js';
import { logStart, type Evidence } from '../../kernel/ports.js';
import { ingestService, type IngestService } from '../support/ingest-service.js';

const secret = 'not-a-member-4711';
const oddTrace = String.raw`{ "name" :"b\u006fok","user_metadata":{"\n":"x","__proto__":"y"},
  "spans" : [{"type":"llm","input":"a flight","metrics":{"reward":1.50}},
    {"type":"tool", "created_at":"2026-03-01 10:00+01:00" } ]}`;

describe('traces as they are stored', () => {
  let service: IngestService;
  let run: string;
  before(async () => {
    service = await ingestService();
  });
  after(() => service.close());
  beforeEach(async () => {
    run = await service.newRun();
  });

  const post = async (traces: string, headers: Readonly<Record<string, string>> = {}) => {
    const body = Buffer.from(`{"log_stream_id":"${run}","traces":${traces}}`);
    const answer = await fetch(`${service.url}${service.at('traces')}`, {
      method: 'POST',
      headers: { 'Service-API-Key': 'editor', 'Content-Type': 'application/json', ...headers },
      body: headers['Content-Encoding'] === 'gzip' ? gzipSync(body) : body,
    });
    return {
      status: answer.status,
      ...((await answer.json()) as { trace_ids: string[]; new_records_count: number }),
    };
  };
  /** Stored events of the run's traces. */
  const stored = async (): Promise<readonly Evidence[]> =>
    (await service.log.evidence(logStart, 1_000)).events.filter(
      ({ type, data }) => type === 'TraceLogged' && data?.includes(run) === true,
    );
  const schemasOf = (events: readonly Evidence[]) => events.map(({ metadata }) => metadata.schema);

  it('has each trace byte for byte as it was sent, also in a compressed body', async () => {
    expect((await post(`[${oddTrace}, {"name":"two"}]`)).status).to.equal(200);
    expect((await post(`[${oddTrace}]`, { 'Content-Encoding': 'gzip' })).status).to.equal(200);
    const events = await stored();
    expect(schemasOf(events)).to.deep.equal([2, 2, 2]);
    expect(events.map(({ data }) => data?.includes(`"sent":${oddTrace}}`))).to.deep.equal([
      true,
      false,
      true,
    ]);
  });

  it('is read as the records of the trace, with the ids of the answer', async () => {
    const { trace_ids: ids } = await post(`[${oddTrace}]`);
    const event = (await service.history()).find(({ stream }) => stream.endsWith(`-${ids[0]}`));
    if (event === undefined) throw new Error('the trace is not in the log');
    const { trace, spans } = event.data as TraceLogged;
    expect([trace.id, trace.name, trace.user_metadata?.['\n']]).to.deep.equal([
      ids[0],
      'book',
      'x',
    ]);
    expect(Object.keys(trace.user_metadata ?? {})).to.include('__proto__');
    const [first, second] = spans;
    expect(first?.metrics).to.deep.equal({ reward: 1.5 });
    expect([first?.minted, second?.minted]).to.deep.equal([['id', 'created_at'], ['id']]);
    expect(second?.created_at).to.equal('2026-03-01T09:00:00.000000Z');
  });

  it('takes a repeat of the same trace, written in another way, for the same', async () => {
    const named = (text: string) => `[{"id":"${run}",${text}}]`;
    await post(named('"name":"one","tags":["a"]'));
    const again = await post(named('"tags" : [ "a" ] , "name":"on\\u0065", "input":null'));
    expect([again.status, again.new_records_count]).to.deep.equal([200, 0]);
    expect((await post(named('"name":"two"'))).status).to.equal(409);
    expect((await stored()).length).to.equal(1);
  });

  it('never has what an operation does not name, or did not accept', async () => {
    const bodies = [
      `[{"name":"a","not_a_member":"${secret}"}]`,
      `[{"name":"a","spans":[{"type":"tool","model":"${secret}"}]}]`,
      `[{"name":"${secret}","name":"a"}]`,
      `[{"name":"a"},{"name":"b","status_code":"${secret}"}]`,
    ];
    for (const body of bodies) expect((await post(body)).status, body).to.equal(200);
    const events = await stored();
    expect(schemasOf(events)).to.deep.equal([1, 1, 1, 1]);
    expect(events.filter(({ data }) => data?.includes(secret))).to.deep.equal([]);
  });
});

import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { expectReplayEqual, sharedApp, type App } from '../support/app.js';
import type { Ask, Reply } from '../support/client.js';
import {
  nineNs,
  otelBytes,
  otelRequest,
  otelSpan,
  otelSpanId,
  otelTraceId,
  readMessage,
} from '../support/otlp.js';
import { spanRecordId, traceRecordId } from '../support/otel-records.js';

type View = {
  readonly id: string;
  readonly type: string;
  readonly parent_id?: string;
  readonly spans?: readonly View[];
  readonly [member: string]: unknown;
};
type Answer = {
  readonly partialSuccess?: { readonly rejectedSpans: string; readonly errorMessage: string };
  readonly [member: string]: unknown;
};

const chat = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.request.model': 'model-a',
  'gen_ai.input.messages': JSON.stringify([
    { role: 'user', parts: [{ type: 'text', content: 'a flight, please' }] },
  ]),
  'gen_ai.output.messages': JSON.stringify([
    { role: 'assistant', parts: [{ type: 'text', content: 'booked' }], finish_reason: 'stop' },
  ]),
  'gen_ai.usage.input_tokens': 9,
  'gen_ai.usage.output_tokens': 2,
  'app.tier': 'gold',
};

describe('OTLP', () => {
  let app: App;
  let project: string;
  let traces = 0;
  const nextTrace = (): number => {
    traces += 1;
    return traces;
  };

  before(async () => {
    app = await sharedApp();
    const { body } = await app.client.call<{ id: string }>('POST', '/v2/projects', {
      body: { name: 'otlp' },
    });
    project = body.id;
  });

  const post = (request: unknown, ask: Ask = {}, path = '/v1/traces'): Promise<Reply<Answer>> =>
    app.client.send<Answer>('POST', path, {
      body: request,
      ...ask,
      headers: { projectid: project, ...ask.headers },
    });
  const posted = async (spans: readonly object[]): Promise<Answer> => {
    const reply = await post(otelRequest(spans));
    expect(reply.status, JSON.stringify(reply.body)).to.equal(200);
    return reply.body;
  };
  const trace = async (number: number): Promise<View> => {
    const path = `/v2/projects/${project}/traces/${traceRecordId(number)}`;
    return (await app.client.call<View>('GET', path)).body;
  };
  const raw = async (
    bytes: Uint8Array,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> =>
    fetch(`${app.url}/v1/traces`, {
      method: 'POST',
      body: bytes,
      headers: {
        'service-api-key': app.apiKey,
        'content-type': 'application/x-protobuf',
        projectid: project,
        ...headers,
      },
    });

  it('makes a trace of spans, complete with its root, at each of the three addresses', async () => {
    for (const path of ['/v1/traces', '/v2/otel/v1/traces', '/otel/v1/traces', '/v2/otel/traces']) {
      const number = nextTrace();
      const spans = [
        otelSpan({
          trace: number,
          id: 1,
          attributes: { 'input.value': 'Rome', 'output.value': 'ok' },
        }),
        otelSpan({ trace: number, id: 2, parent: 1, attributes: chat }),
      ];
      const reply = await post(otelRequest(spans), {}, path);
      expect([reply.status, reply.body]).to.deep.equal([200, {}]);
      const shown = await trace(number);
      expect(shown).to.deep.include({
        id: traceRecordId(number),
        type: 'trace',
        name: 'span 1',
        input: 'Rome',
        output: 'ok',
        created_at: '2026-03-01T09:00:01.000000Z',
        external_id: otelTraceId(number),
        is_complete: true,
        user_metadata: { 'service.name': 'booking' },
        updated_at: null,
      });
      expect(shown['metrics']).to.deep.equal({ duration_ns: 2e9 });
      const [root] = shown.spans ?? [];
      expect(root).to.include({
        id: spanRecordId(number, 1),
        type: 'workflow',
        parent_id: shown.id,
      });
      const [llm] = root?.spans ?? [];
      expect(llm).to.deep.include({
        id: spanRecordId(number, 2),
        type: 'llm',
        model: 'model-a',
        input: [{ role: 'user', content: 'a flight, please' }],
        output: { role: 'assistant', content: 'booked' },
        external_id: otelSpanId(2),
        user_metadata: { 'app.tier': 'gold' },
        metrics: {
          duration_ns: 2e9,
          num_input_tokens: 9,
          num_output_tokens: 2,
          num_total_tokens: 11,
        },
      });
    }
  });

  it('takes spans in any order: the root last, parents after children', async () => {
    const number = nextTrace();
    await posted([otelSpan({ trace: number, id: 3, parent: 2, attributes: chat })]);
    const early = await trace(number);
    expect(early).to.include({ is_complete: false, name: '', input: '' });
    expect(early.spans?.map(({ id, parent_id }) => [id, parent_id])).to.deep.equal([
      [spanRecordId(number, 3), traceRecordId(number)],
    ]);
    await posted([otelSpan({ trace: number, id: 2, parent: 1 })]);
    await posted([
      otelSpan({
        trace: number,
        id: 1,
        status: { code: 2, message: 'no' },
        attributes: { 'input.value': 'Rome' },
      }),
    ]);
    const shown = await trace(number);
    expect(shown).to.include({
      is_complete: true,
      name: 'span 1',
      input: 'Rome',
      status_code: 500,
      created_at: '2026-03-01T09:00:01.000000Z',
    });
    expect(shown.spans?.[0]?.spans?.[0]?.spans?.[0]?.id).to.equal(spanRecordId(number, 3));
    await expectReplayEqual(app);
  });

  it('records a repeat once, and refuses other content under an id that is known', async () => {
    const number = nextTrace();
    const first = otelSpan({ trace: number, id: 1, attributes: { 'output.value': 'one' } });
    await posted([first]);
    expect(await posted([first, first])).to.deep.equal({});
    const other = otelSpan({ trace: number, id: 1, attributes: { 'output.value': 'two' } });
    const answer = await posted([other, otelSpan({ trace: number, id: 2, parent: 1 })]);
    expect(answer.partialSuccess).to.deep.equal({
      rejectedSpans: '1',
      errorMessage: 'a span with this id came before with other content',
    });
    const shown = await trace(number);
    expect(shown['output']).to.equal('one');
    expect(shown.spans?.[0]?.spans).to.have.length(1);
  });

  it('records what several exporters send at once, each span once', async () => {
    const number = nextTrace();
    const ids = Array.from({ length: 12 }, (_, at) => at + 1);
    await Promise.all(
      ids.flatMap((id) => {
        const span = otelSpan({ trace: number, id, ...(id > 1 && { parent: 1 }) });
        return [posted([span]), posted([span])];
      }),
    );
    const shown = await trace(number);
    expect(shown['is_complete']).to.equal(true);
    expect(shown.spans?.[0]?.spans).to.have.length(11);
  });

  it('accepts and answers protobuf, also gzipped', async () => {
    for (const zipped of [false, true]) {
      const number = nextTrace();
      const bytes = otelBytes(otelRequest([otelSpan({ trace: number, id: 1, attributes: chat })]));
      const reply = await raw(
        zipped ? gzipSync(bytes) : bytes,
        zipped ? { 'content-encoding': 'gzip' } : {},
      );
      expect(reply.status).to.equal(200);
      expect(reply.headers.get('content-type')).to.equal('application/x-protobuf');
      expect((await reply.arrayBuffer()).byteLength).to.equal(0);
      const [span] = (await trace(number)).spans ?? [];
      expect(span).to.deep.include({ type: 'llm', model: 'model-a' });
      expect(span?.['metrics']).to.include({ num_input_tokens: 9 });
    }
  });

  it('stores the same, whichever encoding it came in', async () => {
    const number = nextTrace();
    const span = otelSpan({
      trace: number,
      id: 1,
      kind: 3,
      flags: 257,
      traceState: 'a=b',
      status: { code: 1 },
      attributes: { ...chat, deep: { list: [1, 2.5, true, 'x'] } },
      events: [{ timeUnixNano: String(nineNs), name: 'e', attributes: [] }],
      links: [{ traceId: otelTraceId(9), spanId: otelSpanId(9) }],
    });
    await posted([span]);
    const reply = await raw(otelBytes(otelRequest([span])));
    expect((await reply.arrayBuffer()).byteLength).to.equal(0);
  });

  it('shows the attributes received of a trace or a span on request', async () => {
    const number = nextTrace();
    const [root, child] = [
      otelSpan({ trace: number, id: 1, kind: 2, attributes: { tier: 'gold' } }),
      otelSpan({ trace: number, id: 2, parent: 1, attributes: { list: ['a', 1, 0.5] } }),
    ];
    await posted([root]);
    await posted([child]);
    const at = `/v2/projects/${project}`;
    const shown = await app.client.call<View>(
      'GET',
      `${at}/traces/${traceRecordId(number)}?otel=true`,
    );
    const attributes = [{ key: 'service.name', value: { stringValue: 'booking' } }];
    const sent = (span: object) => ({
      resource: { attributes },
      scopeSpans: [{ scope: { name: 'agent', version: '1' }, spans: [span] }],
    });
    expect(shown.body['otel']).to.deep.equal([sent(root), sent(child)]);
    const one = await app.client.call<View>(
      'GET',
      `${at}/spans/${spanRecordId(number, 2)}?otel=true`,
    );
    expect(one.body['otel']).to.deep.equal([sent(child)]);
    expect(await trace(number)).to.not.have.property('otel');
  });

  it('refuses single spans and records the others', async () => {
    const number = nextTrace();
    const answer = await posted([
      otelSpan({ trace: number, id: 1 }),
      { ...otelSpan({ trace: number, id: 2 }), traceId: 'abc' },
      { ...otelSpan({ trace: number, id: 3 }), spanId: '0000000000000000' },
      { ...otelSpan({ trace: number, id: 4 }), startTimeUnixNano: '-5' },
    ]);
    expect(answer.partialSuccess?.rejectedSpans).to.equal('3');
    expect((await trace(number)).spans).to.have.length(1);
    const bytes = otelBytes(otelRequest([{ ...otelSpan({ id: 1 }), traceId: 'abcd' }]));
    const reply = await raw(bytes);
    expect(reply.status).to.equal(200);
    expect(
      readMessage('ExportTraceServiceResponse', new Uint8Array(await reply.arrayBuffer())),
    ).to.deep.equal({
      partialSuccess: {
        rejectedSpans: '1',
        errorMessage: 'traceId is not 16 bytes, or all zeros',
      },
    });
  });

  it('refuses with a google.rpc.Status in the encoding of the request', async () => {
    const refused = await post({ resourceSpans: 'none' });
    expect(refused.status).to.equal(422);
    expect(refused.body).to.include({ code: 3 });
    const gone = await post(otelRequest([]), { headers: { projectid: traceRecordId(0) } });
    expect(gone.status).to.equal(404);
    expect(gone.body).to.include({ code: 5, status: 404, message: 'Project not found' });
    expect(gone.body['type']).to.equal('urn:assay:problem:not_found');
    const reply = await raw(new Uint8Array([10, 200, 1, 2]));
    expect(reply.status).to.equal(400);
    expect(reply.headers.get('content-type')).to.equal('application/x-protobuf');
    expect(readMessage('Status', new Uint8Array(await reply.arrayBuffer()))).to.deep.equal({
      code: 3,
      message: 'The body is not a valid protobuf message of this operation',
    });
    const stranger = await raw(new Uint8Array(), { 'service-api-key': 'nobody' });
    expect(stranger.status).to.equal(401);
    expect(readMessage('Status', new Uint8Array(await stranger.arrayBuffer()))).to.include({
      code: 16,
    });
  });

  it('routes by headers, and creates missing projects and log streams', async () => {
    const names = { project: 'made by OTLP ü', logstream: 'nightly' };
    const number = nextTrace();
    const headers = Object.fromEntries(
      Object.entries(names).map(([name, value]) => [
        name,
        Buffer.from(value, 'utf8').toString('latin1'),
      ]),
    );
    const send = (more: Readonly<Record<string, string>>) =>
      app.client.send<Answer>('POST', '/v1/traces', {
        // Beside a text Node would write the headers as UTF-8, a second time.
        body: Buffer.from(JSON.stringify(otelRequest([otelSpan({ trace: number, id: 1 })]))),
        headers: more,
      });
    const replies = await Promise.all([send(headers), send(headers), send(headers)]);
    expect(replies.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    const { body } = await app.client.call<readonly { name: string }[]>('GET', '/v2/projects/all');
    expect(body.filter(({ name }) => name === names.project)).to.have.length(1);
    expect((await send({ projectid: project, experiment: 'nobody made it' })).status).to.equal(404);
    expect((await send({ projectid: 'no id' })).status).to.equal(422);
    expect((await send({ logstream: 'a', experiment: 'b' })).status).to.equal(422);
  });

  it('puts a trace into the session that its first spans name', async () => {
    const [one, two] = [nextTrace(), nextTrace()];
    const attributes = { 'session.id': 'call-17' };
    await posted([otelSpan({ trace: one, id: 1, attributes })]);
    await posted([
      otelSpan({ trace: two, id: 1, attributes: { 'gen_ai.conversation.id': 'call-17' } }),
    ]);
    const [first, second] = [await trace(one), await trace(two)];
    expect(first['session_id']).to.equal(second['session_id']);
    expect(first['session_id']).to.not.equal(first.id);
  });

  it('is searched, counted and deleted as any other', async () => {
    const number = nextTrace();
    await posted([otelSpan({ trace: number, id: 1, attributes: { ...chat, marker: 'here' } })]);
    const filters = [{ type: 'id', column_id: 'id', operator: 'eq', value: traceRecordId(number) }];
    const at = `/v2/projects/${project}/traces`;
    const found = await app.client.call<{ records: readonly View[] }>('POST', `${at}/search`, {
      body: { filters },
    });
    expect(found.body.records.map(({ id }) => id)).to.deep.equal([traceRecordId(number)]);
    await app.client.call('POST', `${at}/delete`, { body: { filters } });
    expect((await app.client.send('GET', `${at}/${traceRecordId(number)}`)).status).to.equal(404);
    const answer = await posted([otelSpan({ trace: number, id: 2 })]);
    expect(answer.partialSuccess?.errorMessage).to.equal('the trace was deleted and keeps its id');
  });
});

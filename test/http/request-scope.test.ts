import { once } from 'node:events';
import { request, type ClientRequest } from 'node:http';
import { expect } from 'chai';
import { Type } from 'typebox';
import { operation, readRoute, writeRoute } from '../../contract/operation.js';
import { Fault } from '../../kernel/fault.js';
import { raceAbort } from '../../kernel/query-context.js';
import { streamNameOf, type EventLog } from '../../kernel/ports.js';
import { pollUntil } from '../support/poll-until.js';
import { operationDefaults, smallService, type SmallService } from '../support/small-service.js';

const hang = operation({
  ...operationDefaults,
  operationId: 'hang',
  method: 'GET',
  path: '/v2/hang',
  kind: 'r',
  response: Type.Object({}),
});

describe('request scope', () => {
  let service: SmallService;
  let asked: Promise<AbortSignal>;
  const started = async (options: Parameters<typeof smallService>[1] = {}): Promise<void> => {
    const { promise, resolve: tell } = Promise.withResolvers<AbortSignal>();
    asked = promise;
    const route = readRoute(hang, [], ({ signal }) => {
      tell(signal);
      return new Promise(() => undefined);
    });
    service = await smallService([route], options);
  };
  const ask = (): ClientRequest => {
    const headers = { 'Service-API-Key': 'editor' };
    const sent = request(`${service.url}/v2/hang`, { headers, agent: false });
    sent.on('error', () => undefined);
    sent.end();
    return sent;
  };
  const aborted = (signal: AbortSignal): Promise<unknown> =>
    signal.aborted ? Promise.resolve() : once(signal, 'abort');

  type RequestLine = {
    readonly msg: string;
    readonly operation?: string;
    readonly status?: number;
  };
  const lineOf = (operationId: string): RequestLine | undefined =>
    service.lines
      .map((line) => JSON.parse(line) as RequestLine)
      .find(({ msg, operation: name }) => msg === 'request' && name === operationId);

  it('ends a query whose client disconnected', async () => {
    await started();
    const sent = ask();
    const signal = await asked;
    expect(signal.aborted).to.equal(false);
    sent.destroy();
    await aborted(signal);
    await service.close();
  });

  it('logs and counts a request whose connection closed as 499, without a warning', async () => {
    const storing = operation({
      ...operationDefaults,
      operationId: 'store',
      method: 'POST',
      path: '/v2/store',
      kind: 'w',
      body: Type.Object({}),
      response: Type.Object({}),
    });
    const begun = Promise.withResolvers<void>();
    // As engines do, whose error names the cause of what was cancelled.
    const failing = async (signal: AbortSignal): Promise<never> => {
      begun.resolve();
      await aborted(signal);
      throw new Fault('unavailable', 'The query was cancelled', { cause: new Error('INTERRUPT') });
    };
    service = await smallService([
      readRoute(hang, [], ({ signal }) => failing(signal)),
      writeRoute(storing, async () => ({ body: {} })),
    ]);
    const sent = ask();
    await begun.promise;
    sent.destroy();
    const headers = { 'Service-API-Key': 'editor', 'Content-Type': 'application/json' };
    const upload = request(`${service.url}/v2/store`, {
      method: 'POST',
      headers: { ...headers, 'Content-Length': '100' },
      agent: false,
    });
    upload.on('error', () => undefined);
    await new Promise((written) => upload.write('{"half":', written));
    upload.destroy();
    await pollUntil('the log line of both', 20_000, async () =>
      ['hang', 'store'].every((name) => lineOf(name) !== undefined),
    );
    await service.close();
    expect(['hang', 'store'].map((name) => lineOf(name)?.status)).to.deep.equal([499, 499]);
    const entries = service.lines.map((line) => JSON.parse(line) as { readonly level: number });
    expect(entries.filter(({ level }) => level > 30)).to.deep.equal([]);
    const counts = (await service.metrics.text()).match(/^assay_request_seconds_count.*$/gm) ?? [];
    expect(counts.filter((line) => /hang|store/.test(line)).sort()).to.deep.equal([
      'assay_request_seconds_count{operation="hang",status="499"} 1',
      'assay_request_seconds_count{operation="store",status="499"} 1',
    ]);
  });

  it('reports that a timed-out write may be recorded in part', async () => {
    const storing = operation({
      ...operationDefaults,
      operationId: 'hang',
      method: 'POST',
      path: '/v2/hang',
      kind: 'w',
      body: Type.Object({}),
      response: Type.Object({}),
    });
    const waiting = writeRoute(storing, ({ signal }) =>
      raceAbort({ signal }, () => new Promise<never>(() => undefined)),
    );
    service = await smallService([waiting], {
      answerWithinMs: () => 4,
    });
    const { status, body } = await service.as('editor').send('POST', '/v2/hang', { body: {} });
    expect(status).to.equal(503);
    expect((body as { detail: string }).detail).to.match(
      /write took longer than 0\.004 s and may be recorded in part\. Retry it with the same ids/,
    );
    await service.close();
  });

  it('answers 503 with advice when the time is up, and ends the query', async () => {
    await started({ answerWithinMs: ({ operation: { operationId } }) => operationId.length });
    const { status, body, headers } = await service.as('editor').send('GET', '/v2/hang');
    expect(status).to.equal(503);
    expect(body).to.deep.include({ code: 'unavailable' });
    expect((body as { detail: string }).detail).to.match(
      /longer than 0\.004 s\. Narrow it: a shorter time/,
    );
    expect(headers['retry-after']).to.equal('10');
    expect((await asked).aborted).to.equal(true);
    await service.close();
  });

  it('answers 503 on shutdown before connections are cut', async () => {
    await started({ abortAfterMs: 1 });
    const sent = ask();
    const signal = await asked;
    const answered = once(sent, 'response') as Promise<[{ statusCode: number }]>;
    await service.close();
    expect((await answered)[0].statusCode).to.equal(503);
    expect(signal.aborted).to.equal(true);
  });

  it('keeps the log open until the running handlers have ended', async () => {
    let found: string | null = null;
    const { promise: begun, resolve: tell } = Promise.withResolvers<void>();
    const routes = (log: EventLog) => [
      readRoute(hang, [], async ({ signal }) => {
        tell();
        await aborted(signal);
        // As long as a handler takes that asks a few things more.
        for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate);
        found = await log.read(streamNameOf('room', 'a')).then(() => 'nothing', String);
        return { body: {} };
      }),
    ];
    service = await smallService(routes, { abortAfterMs: 1 });
    const sent = ask();
    await begun;
    sent.destroy();
    await service.close();
    expect(found).to.equal('nothing');
  });
});

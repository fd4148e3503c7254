import { expect } from 'chai';
import { Type } from 'typebox';
import { operation, writeRoute, type Route } from '../../contract/operation.js';
import { Fault } from '../../kernel/fault.js';
import type { Position } from '../../kernel/ports.js';
import { id, secret } from '../../kernel/schema-types.js';
import { operationDefaults, smallService, type SmallService } from '../support/small-service.js';

const makeKey = operation({
  ...operationDefaults,
  operationId: 'makeKey',
  method: 'POST',
  path: '/v2/keys/{owner}',
  kind: 'w',
  params: Type.Object({ owner: Type.String() }),
  query: Type.Object({ mode: Type.Optional(Type.String()) }),
  body: Type.Object({ name: Type.Optional(Type.String()) }),
  response: Type.Object({ id: id('KeyId'), parts: Type.Array(Type.Object({ api_key: secret() })) }),
  faults: ['conflict'],
});

describe('Idempotency-Key', () => {
  let service: SmallService;
  let effects = 0;
  let failing: Fault | null = null;
  const minted: string[] = [];
  before(async () => {
    const routes: readonly Route[] = [
      writeRoute(makeKey, async ({ mint, cause }) => {
        effects += 1;
        const keyId = mint('KeyId');
        minted.push(keyId, cause.eventId('s' as never, 0));
        if (failing !== null) throw failing;
        return {
          body: { id: keyId, parts: [{ api_key: 'asy_secret' }] },
          position: '0000000000000009' as Position,
        };
      }),
    ];
    service = await smallService(routes);
  });
  after(() => service.close());

  const send = (key: string | null, body: unknown = { name: 'a' }, path = '/v2/keys/me') =>
    service.as('editor').send<Record<string, unknown>>('POST', path, {
      body,
      headers: key === null ? {} : { 'Idempotency-Key': key },
    });

  it('answers a repeat with the stored answer, no secrets and no second effect', async () => {
    const before = effects;
    const first = await send('one', { name: 'a', more: [1] });
    // The order of members is no difference, nor is an unescaped spelling.
    const again = await send('one', '{"more":[1],"n\\u0061me":"a"}', '/keys/me');
    expect(effects - before).to.equal(1);
    expect(first.body['parts']).to.deep.equal([{ api_key: 'asy_secret' }]);
    expect(again.body).to.deep.equal({ ...first.body, parts: [{ api_key: '' }] });
    expect(again.status).to.equal(200);
    expect(again.headers).to.include({
      'idempotency-replayed': 'true',
      'x-log-position': '0000000000000009',
    });
    expect(first.headers).not.to.have.property('idempotency-replayed');
  });
  it('refuses another body or another query under the same key', async () => {
    await send('two');
    for (const reply of [
      await send('two', { name: 'b' }),
      await send('two', { name: 'a' }, '/v2/keys/me?mode=x'),
    ]) {
      expect([reply.status, reply.body]).to.deep.equal([
        422,
        {
          detail: [
            {
              loc: ['header', 'Idempotency-Key'],
              msg: 'Value error, this key was used with another request',
              type: 'value_error',
            },
          ],
        },
      ]);
    }
  });
  it('is independent per path and caller', async () => {
    const before = effects;
    await send('three');
    await send('three', { name: 'b' }, '/v2/keys/you');
    expect(effects - before).to.equal(2);
  });
  it('stores a refusal on state, answered under the id of the repeat', async () => {
    failing = new Fault('conflict', 'In use');
    const first = await send('four');
    failing = null;
    const again = await send('four');
    expect([first.status, again.status]).to.deep.equal([409, 409]);
    expect(again.body).to.deep.equal({
      ...first.body,
      request_id: again.headers['x-request-id'],
    });
    expect(again.headers['idempotency-replayed']).to.equal('true');
  });
  it('repeats a request that failed, with the same ids', async () => {
    minted.length = 0;
    failing = new Fault('unavailable', 'Not now');
    expect((await send('five')).status).to.equal(503);
    failing = null;
    expect((await send('five')).status).to.equal(200);
    expect(minted.slice(0, 2)).to.deep.equal(minted.slice(2));
  });
  it('answers simultaneous duplicates with 409 and Retry-After', async () => {
    const before = effects;
    const replies = await Promise.all(Array.from({ length: 5 }, () => send('six')));
    expect(effects - before).to.equal(1);
    for (const { status, body, headers } of replies.filter(({ status }) => status !== 200)) {
      expect([status, body['code'], headers['retry-after']]).to.deep.equal([
        409,
        'idempotency_in_progress',
        '1',
      ]);
    }
    expect(replies.some(({ status }) => status === 200)).to.equal(true);
  });
  it('makes new ids for each request without it', async () => {
    const [one, other] = [await send(null), await send(null)];
    expect(one.body['id']).not.to.equal(other.body['id']);
  });
  it('keeps secrets out of the log', async () => {
    const { events } = await service.log.page('0000000000000000' as Position, 1_000);
    expect(events.filter(({ type }) => type === 'IdempotencyAnswered')).not.to.have.length(0);
    expect(JSON.stringify(events)).not.to.include('asy_secret');
  });
});

import { expect } from 'chai';
import { Fault } from '../../kernel/fault.js';
import type { Position } from '../../kernel/ports.js';
import { sampleRoutes } from '../support/sample-routes.js';
import {
  colleague,
  foreignProject,
  project,
  smallService,
  type SmallService,
} from '../support/small-service.js';

describe('the HTTP engine', () => {
  let service: SmallService;
  before(async () => {
    service = await smallService(sampleRoutes, {
      reached: async (_reads, min) => {
        if (min !== null && min > 'f') throw new Fault('read-model-behind', 'Not there yet');
        return '00000000000000aa' as Position;
      },
    });
  });
  after(() => service.close());

  const send = (
    method: string,
    path: string,
    ask: Parameters<ReturnType<SmallService['as']>['send']>[2] = {},
  ) => service.as('editor').send<Record<string, unknown>>(method, path, ask);
  const codeOf = async (reply: ReturnType<typeof send>) => {
    const { status, body } = await reply;
    return [status, body['code']];
  };

  describe('finds the route', () => {
    it('with and without the prefix', async () => {
      for (const path of ['/v2/public', '/public']) {
        expect((await send('GET', path)).body).to.deep.equal({ ok: true });
      }
    });
    it('of the most specific path, whose other methods are 405 with Allow', async () => {
      expect((await send('DELETE', '/v2/things/all')).status).to.equal(204);
      const reply = await send('PUT', '/v2/things/all');
      expect([reply.status, reply.headers.allow, reply.body['code']]).to.deep.equal([
        405,
        'DELETE',
        'method_not_allowed',
      ]);
    });
    it('not when a slash trails, a letter has another case or nothing is there', async () => {
      for (const path of ['/v2/public/', '/v2/Public', '/nothing', '/v2', '/']) {
        expect(await codeOf(send('GET', path)), path).to.deep.equal([404, 'not_found']);
      }
    });
    it('for HEAD where GET is, without a body', async () => {
      const reply = await send('HEAD', '/v2/public');
      expect([reply.status, reply.body]).to.deep.equal([200, null]);
      expect((await send('GET', '/v2/echo')).headers.allow).to.equal('POST');
      expect((await send('POST', '/v2/public')).headers.allow).to.equal('GET, HEAD');
    });
    it('and decodes its segments once', async () => {
      const reply = await send('GET', `/v2/projects/${project}/things/a%2Fb%2520c`);
      expect(reply.body['name']).to.equal('a/b%20c');
      expect(await codeOf(send('GET', `/v2/projects/${project}/things/%ff`))).to.deep.equal([
        400,
        'malformed_request',
      ]);
      expect((await send('GET', '/v2/public?a=%zz')).status).to.equal(400);
    });
  });

  describe('answers', () => {
    it('every request with the headers of contract 1.1 and no others of its kind', async () => {
      for (const path of ['/v2/public', '/nothing']) {
        const { headers } = await send('GET', path);
        expect(headers).to.include({
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
          'content-security-policy': "default-src 'none'",
          'content-type': 'application/json; charset=utf-8',
        });
        expect(headers).not.to.have.any.keys('x-powered-by', 'access-control-allow-origin');
      }
    });
    it('under the request id that was sent, when it is well-formed', async () => {
      const asked = { headers: { 'X-Request-Id': 'abcd-1234' } };
      const kept = await send('GET', '/nothing', asked);
      expect(kept.headers['x-request-id']).to.equal('abcd-1234');
      expect(kept.body).to.deep.equal({
        detail: 'No such route',
        type: 'urn:assay:problem:not_found',
        title: 'Not Found',
        status: 404,
        code: 'not_found',
        request_id: 'abcd-1234',
      });
      const replaced = await send('GET', '/v2/public', { headers: { 'X-Request-Id': 'a b' } });
      expect(replaced.headers['x-request-id']).to.match(/^[0-9a-f-]{36}$/);
    });
    it('reads with the position they were folded to, writes with their last event’s', async () => {
      const read = await send('POST', '/v2/echo', { body: {} });
      expect(read.headers['x-projection-position']).to.equal('00000000000000aa');
      const written = await send('POST', `/v2/projects/${project}/things`, { body: { name: 'x' } });
      expect(written.headers['x-log-position']).to.equal('0000000000000007');
    });
    it('503 and when to come back while a position is not reached, 422 out of form', async () => {
      const behind = await send('POST', '/v2/echo', { headers: { 'X-Min-Position': 'zzz' } });
      expect([behind.status, behind.body['code'], behind.headers['retry-after']]).to.deep.equal([
        503,
        'read_model_behind',
        '1',
      ]);
      const ill = await send('POST', '/v2/echo', { headers: { 'X-Min-Position': 'a b' } });
      expect(ill.status).to.equal(422);
      expect(ill.body).to.have.nested.property('detail[0].loc[1]', 'X-Min-Position');
    });
    it('500 without the cause: a defect, an undeclared fault, an answer off schema', async () => {
      for (const how of ['defect', 'fault', 'not-a-uuid']) {
        const reply = await send('POST', '/v2/wrong', { body: { how } });
        expect(reply.status, how).to.equal(500);
        expect(reply.body).to.include({ code: 'internal_error', detail: 'Internal error' });
        const { 'x-request-id': requestId } = reply.headers;
        expect(service.lines.join('')).to.include(`"request_id":"${String(requestId)}"`);
      }
    });
  });

  describe('asks for a credential', () => {
    const challenge = async (headers: Record<string, string>, path = '/v2/echo') => {
      const reply = await service.as(null).send<{ code: string }>('POST', path, { headers });
      return [reply.status, reply.body.code, reply.headers['www-authenticate']];
    };
    const token = 'Bearer realm="assay", error="invalid_token"';
    const plain = 'Bearer realm="assay"';
    const basic = 'Basic realm="assay", charset="UTF-8"';
    it('and says what is wrong with it', async () => {
      expect(await challenge({})).to.deep.equal([401, 'unauthenticated', plain]);
      expect(await challenge({ 'Service-API-Key': 'nobody' })).to.deep.equal([
        401,
        'invalid_credentials',
        plain,
      ]);
      expect(await challenge({ 'Service-API-Key': 'expired' })).to.deep.equal([
        401,
        'token_expired',
        plain,
      ]);
      expect(await challenge({ Authorization: 'Bearer x.y.z' })).to.deep.equal([
        401,
        'invalid_credentials',
        token,
      ]);
    });
    it('of a scheme that the operation lists', async () => {
      const encoded = Buffer.from('a@b.c:secret').toString('base64');
      expect(await challenge({ Authorization: `Basic ${encoded}` })).to.deep.equal([
        401,
        'unauthenticated',
        basic,
      ]);
      expect(await challenge({ Authorization: 'Digest x' })).to.deep.equal([
        401,
        'unauthenticated',
        plain,
      ]);
    });
    it('and says which header carries what', async () => {
      const reply = await service.as(null).send<{ detail: string }>('DELETE', '/v2/things/all');
      expect([reply.status, reply.body.detail]).to.deep.equal([
        401,
        'Send a credential: an API key in the header Service-API-Key, or ' +
          'Authorization: Bearer with an access token',
      ]);
    });
    it('and takes only one', async () =>
      expect(
        await challenge({ 'Service-API-Key': 'editor', Authorization: 'Bearer x' }),
      ).to.deep.equal([401, 'ambiguous_credentials', token]));
    it('but not for a public operation, whatever is sent', async () => {
      const headers = { 'Service-API-Key': 'nobody', Authorization: 'Bearer x' };
      expect((await service.as(null).send('GET', '/v2/public', { headers })).status).to.equal(200);
    });
  });

  describe('allows by role, after the object is in sight', () => {
    const things = `/v2/projects/${project}/things`;
    it('404 for a project out of sight, 403 for a role too low', async () => {
      const ask = { body: { name: 'x' } };
      const foreign = `/v2/projects/${foreignProject}/things`;
      expect(await codeOf(send('POST', foreign, ask))).to.deep.equal([404, 'not_found']);
      const refused = await service
        .as('viewer')
        .send<{ code: string; detail: string }>('POST', things, ask);
      expect([refused.status, refused.body.code]).to.deep.equal([403, 'forbidden']);
      expect(refused.body.detail).to.equal(
        'This needs the role editor in the project; yours is viewer',
      );
      const unbound = await service
        .as('bound')
        .send<{ detail: string }>('PUT', `/v2/things/${foreignProject}`);
      expect([unbound.status, unbound.body.detail]).to.deep.equal([
        403,
        'This needs the role admin in the organisation; a bound key has no rights there. ' +
          'This key sees only the project airline',
      ]);
      expect((await service.as('viewer').send('GET', `${things}/x`)).status).to.equal(200);
    });
    it('404 naming the project of a bound key, for foreign and unknown ones alike', async () => {
      for (const other of [foreignProject, '99999999-9999-4999-8999-999999999999']) {
        const { status, body } = await service
          .as('bound')
          .send<{ detail: string }>('POST', `/v2/projects/${other}/things`, {
            body: { name: 'x' },
          });
        expect([status, body.detail]).to.deep.equal([
          404,
          'Project not found. This key sees only the project airline',
        ]);
      }
    });
    it('422 before either', async () => {
      const foreign = `/v2/projects/${foreignProject}/things`;
      expect((await send('POST', foreign, { body: {} })).status).to.equal(422);
      expect((await service.as('viewer').send('POST', things, { body: {} })).status).to.equal(422);
    });
    it('no organisation rights to a bound key, however great its maker', async () => {
      const thing = `/v2/things/${foreignProject}`;
      expect((await service.as('bound').send('PUT', thing)).status).to.equal(403);
      expect((await service.as('editor').send('PUT', thing)).status).to.equal(403);
      expect((await service.as('admin').send('PUT', thing)).status).to.equal(200);
    });
    it('an object of another noun as that noun sees it: unseen is 404, forbidden 403', async () => {
      expect((await send('GET', `/v2/datasets/${project}`)).status).to.equal(200);
      expect(await codeOf(send('GET', `/v2/datasets/${colleague}`))).to.deep.equal([
        403,
        'forbidden',
      ]);
      expect(await codeOf(send('GET', `/v2/datasets/${foreignProject}`))).to.deep.equal([
        404,
        'not_found',
      ]);
    });
    it('oneself, and managers for others: a stranger is 404, a colleague 403', async () => {
      const own = '/v2/users/44444444-4444-4444-8444-444444444444';
      const ask = async (key: 'editor' | 'admin' | 'bound', path: string) =>
        (await service.as(key).send('GET', path)).status;
      expect(await ask('editor', own)).to.equal(200);
      expect(await ask('bound', own)).to.equal(403);
      expect(await ask('editor', `/v2/users/${colleague}`)).to.equal(403);
      expect(await ask('editor', `/v2/users/${foreignProject}`)).to.equal(404);
      expect(await ask('admin', `/v2/users/${colleague}`)).to.equal(200);
    });
  });

  describe('validates the request alone', () => {
    it('in the order path, query, header, body', async () => {
      const reply = await send('POST', '/v2/projects/x/things', {
        body: { name: 5 },
        headers: { 'Idempotency-Key': 'ä b' },
      });
      const { detail } = reply.body as { detail: { loc: string[] }[] };
      expect([reply.status, detail.map(({ loc }) => loc)]).to.deep.equal([
        422,
        [
          ['path', 'project_id'],
          ['header', 'Idempotency-Key'],
          ['body', 'name'],
        ],
      ]);
      expect(Object.keys(reply.body)).to.deep.equal(['detail']);
    });
    it('and asks the route what its schemas cannot say', async () =>
      expect((await send('POST', '/v2/echo', { body: { text: 'unlucky' } })).body).to.deep.equal({
        detail: [{ loc: ['body', 'text'], msg: 'Value error, unlucky', type: 'value_error' }],
      }));
    it('with parameters parsed', async () => {
      const thing = `/v2/projects/${project}/things/x`;
      expect((await send('GET', `${thing}?limit=7&more=1`)).body).to.include({ limit: 7 });
      expect((await send('GET', `${thing}?limit=x`)).status).to.equal(422);
      expect((await send('GET', `${thing}?limit=11`)).status).to.equal(422);
    });
  });
});

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

  describe('routing', () => {
    it('finds a route with and without the prefix', async () => {
      for (const path of ['/v2/public', '/public']) {
        expect((await send('GET', path)).body).to.deep.equal({ ok: true });
      }
    });
    it('prefers the most specific path and answers 405 with Allow for other methods', async () => {
      expect((await send('DELETE', '/v2/things/all')).status).to.equal(204);
      const reply = await send('PUT', '/v2/things/all');
      expect([reply.status, reply.headers.allow, reply.body['code']]).to.deep.equal([
        405,
        'DELETE',
        'method_not_allowed',
      ]);
    });
    it('answers 404 for a trailing slash, another case and unknown paths', async () => {
      for (const path of ['/v2/public/', '/v2/Public', '/nothing', '/v2', '/']) {
        expect(await codeOf(send('GET', path)), path).to.deep.equal([404, 'not_found']);
      }
    });
    it('answers HEAD where GET exists, without a body', async () => {
      const reply = await send('HEAD', '/v2/public');
      expect([reply.status, reply.body]).to.deep.equal([200, null]);
      expect((await send('GET', '/v2/echo')).headers.allow).to.equal('POST');
      expect((await send('POST', '/v2/public')).headers.allow).to.equal('GET, HEAD');
    });
    it('decodes path segments once', async () => {
      const reply = await send('GET', `/v2/projects/${project}/things/a%2Fb%2520c`);
      expect(reply.body['name']).to.equal('a/b%20c');
      expect(await codeOf(send('GET', `/v2/projects/${project}/things/%ff`))).to.deep.equal([
        400,
        'malformed_request',
      ]);
      expect((await send('GET', '/v2/public?a=%zz')).status).to.equal(400);
    });
  });

  describe('responses', () => {
    it('have the headers of contract 1.1 and no others of their kind', async () => {
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
    it('repeat the request id that was sent if it is well-formed', async () => {
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
    it('have the position folded for reads and the last event’s for writes', async () => {
      const read = await send('POST', '/v2/echo', { body: {} });
      expect(read.headers['x-projection-position']).to.equal('00000000000000aa');
      const written = await send('POST', `/v2/projects/${project}/things`, { body: { name: 'x' } });
      expect(written.headers['x-log-position']).to.equal('0000000000000007');
    });
    it('are 503 with Retry-After below the position required, 422 if it is malformed', async () => {
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
    it('are 500 without the cause: defect, undeclared fault, schema mismatch', async () => {
      for (const how of ['defect', 'fault', 'not-a-uuid']) {
        const reply = await send('POST', '/v2/wrong', { body: { how } });
        expect(reply.status, how).to.equal(500);
        expect(reply.body).to.include({ code: 'internal_error', detail: 'Internal error' });
        const { 'x-request-id': requestId } = reply.headers;
        expect(service.lines.join('')).to.include(`"request_id":"${String(requestId)}"`);
      }
    });
  });

  describe('authentication', () => {
    const challenge = async (headers: Record<string, string>, path = '/v2/echo') => {
      const reply = await service.as(null).send<{ code: string }>('POST', path, { headers });
      return [reply.status, reply.body.code, reply.headers['www-authenticate']];
    };
    const token = 'Bearer realm="assay", error="invalid_token"';
    const plain = 'Bearer realm="assay"';
    const basic = 'Basic realm="assay", charset="UTF-8"';
    it('says what is wrong with a refused credential', async () => {
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
    it('accepts only schemes that the operation lists', async () => {
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
    it('names the header of each credential', async () => {
      const reply = await service.as(null).send<{ detail: string }>('DELETE', '/v2/things/all');
      expect([reply.status, reply.body.detail]).to.deep.equal([
        401,
        'Send a credential: an API key in the header Service-API-Key, or ' +
          'Authorization: Bearer with an access token',
      ]);
    });
    it('refuses two credentials in one request', async () =>
      expect(
        await challenge({ 'Service-API-Key': 'editor', Authorization: 'Bearer x' }),
      ).to.deep.equal([401, 'ambiguous_credentials', token]));
    it('ignores credentials sent to a public operation', async () => {
      const headers = { 'Service-API-Key': 'nobody', Authorization: 'Bearer x' };
      expect((await service.as(null).send('GET', '/v2/public', { headers })).status).to.equal(200);
    });
  });

  describe('authorization', () => {
    const things = `/v2/projects/${project}/things`;
    it('answers 404 for an invisible project, 403 for a role that is too low', async () => {
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
    it('names the project of a bound key in the 404 for foreign and unknown projects', async () => {
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
    it('answers 422 before 404 and 403', async () => {
      const foreign = `/v2/projects/${foreignProject}/things`;
      expect((await send('POST', foreign, { body: {} })).status).to.equal(422);
      expect((await service.as('viewer').send('POST', things, { body: {} })).status).to.equal(422);
    });
    it('gives a bound key no organisation rights, whatever its creator’s role', async () => {
      const thing = `/v2/things/${foreignProject}`;
      expect((await service.as('bound').send('PUT', thing)).status).to.equal(403);
      expect((await service.as('editor').send('PUT', thing)).status).to.equal(403);
      expect((await service.as('admin').send('PUT', thing)).status).to.equal(200);
    });
    it('checks an object of another noun by its rules: invisible 404, forbidden 403', async () => {
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
    it('admits oneself and managers: an unknown user is 404, a colleague 403', async () => {
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

  describe('request validation', () => {
    it('lists complaints in the order path, query, header, body', async () => {
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
    it('runs the checks of the route after its schemas', async () =>
      expect((await send('POST', '/v2/echo', { body: { text: 'unlucky' } })).body).to.deep.equal({
        detail: [{ loc: ['body', 'text'], msg: 'Value error, unlucky', type: 'value_error' }],
      }));
    it('passes parsed parameters to the handler', async () => {
      const thing = `/v2/projects/${project}/things/x`;
      expect((await send('GET', `${thing}?limit=7&more=1`)).body).to.include({ limit: 7 });
      expect((await send('GET', `${thing}?limit=x`)).status).to.equal(422);
      expect((await send('GET', `${thing}?limit=11`)).status).to.equal(422);
    });
  });
});

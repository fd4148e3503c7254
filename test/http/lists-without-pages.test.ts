import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { startApp, type App } from '../support/app.js';

describe('a list without pages', function () {
  this.timeout(240_000);
  let app: App;
  before(async () => {
    app = await startApp();
  });
  after(() => app.close());

  it('says when more rows follow those that it has', async () => {
    const { body } = await app.client.call<{ id: string }>('POST', '/v2/projects', {
      body: { name: randomUUID() },
    });
    const path = `/v2/projects/${body.id}/log_streams`;
    const create = async (count: number) => {
      for (let left = count; left > 0; left -= 20) {
        await Promise.all(
          Array.from({ length: Math.min(20, left) }, () =>
            app.client.call('POST', path, { body: { name: randomUUID() } }),
          ),
        );
      }
    };
    const listed = async () => {
      const reply = await app.client.call<readonly unknown[]>('GET', path);
      return [reply.body.length, reply.headers['x-more-rows']];
    };
    const [before = 0] = await listed();
    await create(1_000 - Number(before));
    expect(await listed()).to.deep.equal([1_000, undefined]);
    await create(1);
    expect(await listed()).to.deep.equal([1_000, 'true']);
  });
});

import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { sharedApp, type App } from '../support/app.js';
import type { Client } from '../support/client.js';
import { expectInvalid, expectRefused, keyRing, type KeyRing } from '../support/key-ring.js';

type Template = {
  readonly id: string;
  readonly name: string;
  readonly position: number;
  readonly created_at: string;
  readonly created_by: string;
  readonly [member: string]: unknown;
};
const stars = { annotation_type: 'star' };

describe('annotation templates over HTTP', () => {
  let app: App;
  let keys: KeyRing;
  let project: string;
  before(async () => {
    app = await sharedApp();
    keys = keyRing(app);
  });
  beforeEach(async () => {
    project = await keys.project(`templates ${randomUUID()}`);
  });
  after(async () => {
    keys.close();
    const [verified] = await app.projector.verify('annotation_template_list');
    expect(verified).to.include({ difference: null });
  });

  const path = (rest = '') => `/v2/projects/${project}/annotation/templates${rest}`;
  const create = (name: string, constraints: object = stars, more: object = {}) =>
    app.client.send<Template>('POST', path(), { body: { name, constraints, ...more } });
  const list = async () => (await app.client.call<Template[]>('GET', path())).body;
  const viewer = async (): Promise<Client> =>
    (await keys.make({ project_id: project, project_role: 'viewer' })).as;
  const elsewhere = () => `/v2/projects/${randomUUID()}/annotation/templates`;

  it('answers a template as it is read afterwards', async () => {
    const made = await create(' helpful ', { annotation_type: 'tags', tags: ['b', 'a', 'b'] });
    const { id, created_at: at, created_by: by, ...rest } = made.body;
    expect(made.status).to.equal(200);
    expect([id, at, by].map((one) => typeof one)).to.deep.equal(['string', 'string', 'string']);
    expect(rest).to.deep.equal({
      name: 'helpful',
      include_explanation: false,
      criteria: null,
      constraints: { annotation_type: 'tags', tags: ['b', 'a'], allow_other: false },
      position: 0,
      usage_count: 0,
    });
    expect((await app.client.send('GET', path(`/${id}`))).body).to.deep.equal(made.body);
    expect(await list()).to.deep.equal([made.body]);
  });

  it('takes each of the six kinds, with its own members and no other', async () => {
    const constraints = [
      { annotation_type: 'like_dislike' },
      { annotation_type: 'star' },
      { annotation_type: 'text' },
      { annotation_type: 'score', min: 0, max: 0 },
      { annotation_type: 'tags', tags: ['a'], allow_other: true },
      { annotation_type: 'choice', choices: ['x', 'y'], allow_other: false },
    ];
    for (const one of constraints) {
      const more = { include_explanation: true, criteria: 'be fair' };
      const made = await create(one.annotation_type, { ...one, surplus: 1 }, more);
      expect(made.body).to.deep.include({ ...more, constraints: one });
    }
    expect((await list()).map(({ position }) => position)).to.deep.equal([0, 1, 2, 3, 4, 5]);
  });

  it('refuses invalid constraints', async () => {
    const at = (...rest: readonly string[]) => ['body', 'constraints', ...rest];
    const wrong: readonly (readonly [object, readonly string[], string])[] = [
      [{ annotation_type: 'stars' }, at(), 'union_tag_invalid'],
      [{}, at(), 'union_tag_not_found'],
      [{ annotation_type: 'score', min: 2, max: 1 }, at('max'), 'value_error'],
      [{ annotation_type: 'score', min: -1, max: 1 }, at('min'), 'greater_than_equal'],
      [{ annotation_type: 'score', min: 1 }, at('max'), 'missing'],
      [{ annotation_type: 'tags', tags: [] }, at('tags'), 'too_short'],
      [{ annotation_type: 'choice', choices: [''] }, at('choices', '0'), 'string_too_short'],
      [{ annotation_type: 'choice', choices: Array(101).fill('x') }, at('choices'), 'too_long'],
    ];
    for (const [constraints, loc, type] of wrong) {
      expectInvalid(await create('wrong', constraints), loc, type);
    }
    expect(await list()).to.deep.equal([]);
  });

  it('answers 409 for a name that the project has, 200 for the same name elsewhere', async () => {
    expect((await create('twice')).status).to.equal(200);
    expectRefused(await create('twice'), 409, 'already_exists');
    project = await keys.project(`other ${randomUUID()}`);
    expect((await create('twice')).status).to.equal(200);
  });

  it('gives a name to exactly one of many concurrent requests', async () => {
    const replies = await Promise.all(Array.from({ length: 4 }, () => create('race')));
    const won = replies.filter(({ status }) => status === 200);
    expect(won).to.have.length(1);
    for (const reply of replies.filter((one) => one !== won[0])) {
      expectRefused(reply, 409, 'already_exists');
    }
  });

  it('is refused by the limit of a project', async () => {
    const made = Array.from({ length: 200 }, (_, at) => create(`template ${at}`));
    for (const { status } of await Promise.all(made)) expect(status).to.equal(200);
    expect(await list()).to.have.length(200);
    expectRefused(await create('one more'), 409, 'conflict');
  });

  it('changes name and criteria, and never the constraints', async () => {
    const { id } = (await create('old')).body;
    await create('taken');
    const patch = (body: object) => app.client.send<Template>('PATCH', path(`/${id}`), { body });
    const ignoring = await patch({ name: 'new', criteria: 'words', constraints: { x: 1 } });
    expect(ignoring.body).to.deep.include({
      name: 'new',
      criteria: 'words',
      constraints: stars,
      ignored_members: ['constraints'],
    });
    const changed = await patch({ name: 'new' });
    expect((await patch({ name: null })).body).to.deep.equal(changed.body);
    expect((await app.client.send('GET', path(`/${id}`))).body).to.deep.equal(changed.body);
    expectRefused(await patch({ name: 'taken' }), 409, 'already_exists');
    expectInvalid(await patch({ name: '' }), ['body', 'name'], 'string_too_short');
    expect((await create('old')).status).to.equal(200);
  });

  it('is put in order by naming all of them', async () => {
    const [a, b, c] = await Promise.all(
      ['a', 'b', 'c'].map(async (name) => {
        const made = await create(name);
        return made.body.id;
      }),
    );
    const reorder = (ordering: unknown) =>
      app.client.send<Template[]>('POST', path('/reorder'), { body: { ordering } });
    const ordered = await reorder([c, a, b]);
    expect(ordered.body.map(({ id }) => id)).to.deep.equal([c, a, b]);
    expect(ordered.body.map(({ position }) => position)).to.deep.equal([0, 1, 2]);
    expect(await list()).to.deep.equal(ordered.body);
    for (const wrong of [[], [a, b], [a, b, b], [a, b, c, randomUUID()]]) {
      expectInvalid(await reorder(wrong), ['body', 'ordering'], 'value_error');
    }
    expectInvalid(await reorder(['x']), ['body', 'ordering', '0'], 'uuid_parsing');
  });

  it('is gone at once when it is deleted, and its name is free', async () => {
    const { id } = (await create('gone')).body;
    const reply = await app.client.send<{ message: string }>('DELETE', path(`/${id}`));
    expect(reply).to.deep.include({ status: 200 });
    expect(reply.body.message).to.be.a('string');
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const ask = method === 'PATCH' ? { body: { name: 'x' } } : {};
      expectRefused(await app.client.send(method, path(`/${id}`), ask), 404, 'not_found');
    }
    expect(await list()).to.deep.equal([]);
    expect((await create('gone')).status).to.equal(200);
  });

  it('answers 404 for one of another project, and in a project out of sight', async () => {
    const { id } = (await create('hidden')).body;
    const body = { name: 'x', constraints: stars };
    const ordering = { ordering: [] };
    const asked: readonly (readonly [string, string, object])[] = [
      ['POST', elsewhere(), { body }],
      ['GET', elsewhere(), {}],
      ['POST', `${elsewhere()}/reorder`, { body: ordering }],
      ['GET', `${elsewhere()}/${id}`, {}],
      ['PATCH', `${elsewhere()}/${id}`, { body }],
      ['DELETE', `${elsewhere()}/${id}`, {}],
    ];
    for (const [method, at, ask] of asked) {
      expectRefused(await app.client.send(method, at, ask), 404, 'not_found');
    }
    project = await keys.project(`another ${randomUUID()}`);
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const ask = method === 'PATCH' ? { body } : {};
      expectRefused(await app.client.send(method, path(`/${id}`), ask), 404, 'not_found');
    }
  });

  it('answers 403 to a caller who sees it but may not', async () => {
    const { id } = (await create('seen')).body;
    const as = await viewer();
    expect((await as.send('GET', path())).status).to.equal(200);
    expect((await as.send('GET', path(`/${id}`))).status).to.equal(200);
    const body = { name: 'x', constraints: stars };
    expectRefused(await as.send('POST', path(), { body }), 403, 'forbidden');
    expectRefused(await as.send('PATCH', path(`/${id}`), { body }), 403, 'forbidden');
    expectRefused(await as.send('DELETE', path(`/${id}`)), 403, 'forbidden');
    const ordering = { ordering: [id] };
    expectRefused(await as.send('POST', path('/reorder'), { body: ordering }), 403, 'forbidden');
  });
});

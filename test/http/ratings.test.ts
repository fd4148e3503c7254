import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { expectReplayEqual, type App } from '../support/app.js';
import { startCast, type Cast } from '../support/cast.js';
import type { Client } from '../support/client.js';
import { expectInvalid, expectRefused, keyRing, type KeyRing } from '../support/key-ring.js';

type Result = {
  readonly operation: string;
  readonly success: boolean;
  readonly message: string;
  readonly selector: string;
  readonly index: number;
  readonly trace: string;
};
type View = { readonly id: string; readonly [member: string]: unknown };
type Page = { readonly records: readonly View[] };

const like = { annotation_type: 'like_dislike', value: true };

describe('ratings over HTTP', () => {
  let cast: Cast;
  let app: App;
  let keys: KeyRing;
  let project: string;
  let run: string;
  let me: string;
  before(async () => {
    cast = await startCast();
    ({ app } = cast);
    keys = keyRing(app);
  });
  beforeEach(async () => {
    project = await keys.project(`ratings ${randomUUID()}`);
    const body = { name: 'run' };
    run = (await app.client.call<View>('POST', at('/log_streams'), { body })).body.id;
  });
  after(async () => {
    keys.close();
    await expectReplayEqual(app);
    await cast.close();
  });

  const at = (rest: string) => `/v2/projects/${project}${rest}`;
  const template = async (constraints: object, name = randomUUID()): Promise<string> => {
    const made = await app.client.call<View>('POST', at('/annotation/templates'), {
      body: { name, constraints },
    });
    me = String(made.body['created_by']);
    return made.body.id;
  };
  const trace = async (more: object = {}, members: object = {}): Promise<string> => {
    const id = randomUUID();
    const spans = [{ type: 'tool', input: 'x' }];
    await app.client.call('POST', at('/traces'), {
      body: { log_stream_id: run, traces: [{ id, input: 'a', spans, ...more }], ...members },
    });
    return id;
  };
  const bulk = (operations: readonly object[], traces: readonly string[], by = app.client) =>
    by.send<Result[]>('POST', at('/annotation/ratings'), {
      body: { operations, selector: { selector_type: 'traces', traces } },
    });
  const messages = async (operations: readonly object[], traces: readonly string[]) =>
    (await bulk(operations, traces)).body.map(({ message }) => message);
  const create = (id: string, rating: object, more: object = {}) => ({
    operation_type: 'create',
    annotation_template_id: id,
    rating,
    ...more,
  });
  const withdraw = (id: string) => ({ operation_type: 'delete', annotation_template_id: id });
  const read = async (id: string) => (await app.client.call<View>('GET', at(`/traces/${id}`))).body;
  const annotator = async (): Promise<Client> =>
    (await keys.make({ project_id: project, project_role: 'annotator' })).as;
  const viewer = async (): Promise<Client> =>
    (await keys.make({ project_id: project, project_role: 'viewer' })).as;

  describe('in bulk', () => {
    it('answers one result per operation and trace, operations outermost, repeats included', async () => {
      const [one, other] = [await template({ annotation_type: 'like_dislike' }), randomUUID()];
      const [first, second] = [await trace(), await trace()];
      const reply = await bulk(
        [create(one, like), create(other, like), withdraw(one)],
        [first, second, first],
      );
      expect(reply.status).to.equal(200);
      const expected = (
        index: number,
        operation: string,
        success: boolean,
        said: readonly string[],
      ) =>
        [first, second, first].map((id, place) => ({
          operation,
          success,
          message: said[place],
          selector: 'traces',
          index,
          trace: id,
        }));
      const none = Array<string>(3).fill('annotation template not found');
      expect(reply.body).to.deep.equal([
        ...expected(0, 'create', true, ['rating recorded', 'rating recorded', 'rating unchanged']),
        ...expected(1, 'create', false, none),
        ...expected(2, 'delete', true, [
          'rating withdrawn',
          'rating withdrawn',
          'no rating to withdraw',
        ]),
      ]);
    });

    it('has no second effect when it is repeated', async () => {
      const id = await template({ annotation_type: 'star' });
      const traces = [await trace(), await trace()];
      const operations = [create(id, { annotation_type: 'star', value: 3 }, { explanation: 'ok' })];
      const first = await bulk(operations, traces);
      expect(first.body.map(({ message }) => message)).to.deep.equal(
        Array(2).fill('rating recorded'),
      );
      const again = await bulk(operations, traces);
      expect(again.body.map(({ message }) => message)).to.deep.equal(
        Array(2).fill('rating unchanged'),
      );
      expect(again.position).to.equal(first.position);
    });

    it('fails per item where stored state says no, with 200 even when every item fails', async () => {
      const score = await template({ annotation_type: 'score', min: 1, max: 3 });
      const tags = await template({ annotation_type: 'tags', tags: ['a'] });
      const choice = await template({ annotation_type: 'choice', choices: ['a'] });
      const traces = [await trace()];
      const failing = [
        create(score, { annotation_type: 'score', value: 4 }),
        create(score, like),
        create(tags, { annotation_type: 'tags', value: ['b'] }),
        create(choice, { annotation_type: 'choice', value: 'b' }),
        withdraw(randomUUID()),
      ];
      expect(await messages(failing, traces)).to.deep.equal([
        'score is outside the range of the template',
        'annotation type does not match the template',
        'tag is not in the template',
        'choice is not in the template',
        'annotation template not found',
      ]);
      expect(await messages([create(score, like)], [randomUUID()])).to.deep.equal([
        'trace not found',
      ]);
      const mixed = [...failing, create(score, { annotation_type: 'score', value: 2 })];
      expect((await messages(mixed, traces)).at(-1)).to.equal('rating recorded');
    });

    it('says that a trace of another project, of a deleted run or an erased one is not found', async () => {
      const elsewhere = await trace();
      const mine = project;
      project = await keys.project(`ratings ${randomUUID()}`);
      const id = await template({ annotation_type: 'like_dislike' });
      expect(await messages([create(id, like)], [elsewhere])).to.deep.equal(['trace not found']);
      project = mine;
      const here = await template({ annotation_type: 'like_dislike' });
      await app.client.call('DELETE', at(`/log_streams/${run}`));
      expect(await messages([create(here, like)], [elsewhere])).to.deep.equal(['trace not found']);
    });

    it('keeps all of many that come at once', async () => {
      const ids = await Promise.all(
        Array.from({ length: 8 }, () => template({ annotation_type: 'text' })),
      );
      const traces = await Promise.all(Array.from({ length: 5 }, () => trace()));
      const replies = await Promise.all(
        ids.map((id) => bulk([create(id, { annotation_type: 'text', value: 'w' })], traces)),
      );
      for (const { body } of replies) {
        expect(body.map(({ message }) => message)).to.deep.equal(Array(5).fill('rating recorded'));
      }
      for (const one of traces) {
        expect((await read(one))['annotations']).to.have.all.keys(ids);
      }
    });

    it('is refused whole when it is wrong by itself', async () => {
      const id = await template({ annotation_type: 'star' });
      const traces = [await trace()];
      const star = (value: unknown) => create(id, { annotation_type: 'star', value });
      const place = (...rest: readonly string[]) => ['body', 'operations', '1', ...rest];
      const wrong: readonly (readonly [object, readonly string[], string])[] = [
        [star(6), place('rating', 'value'), 'less_than_equal'],
        [star(0), place('rating', 'value'), 'greater_than_equal'],
        [star(1.5), place('rating', 'value'), 'int_from_float'],
        [star('1'), place('rating', 'value'), 'int_type'],
        [create(id, { annotation_type: 'stars' }), place('rating'), 'union_tag_invalid'],
        [{ annotation_template_id: id }, place('rating'), 'missing'],
        [{ annotation_template_id: id, rating: null }, place('rating'), 'dict_type'],
        [{ rating: like }, place('annotation_template_id'), 'missing'],
        [{ ...withdraw(id), operation_type: 'update' }, place(), 'union_tag_invalid'],
        [{ ...star(1), explanation: '' }, place('explanation'), 'string_too_short'],
        [{ ...star(1), explanation: 'x'.repeat(4_097) }, place('explanation'), 'string_too_long'],
      ];
      for (const [operation, loc, type] of wrong) {
        expectInvalid(await bulk([star(1), operation], traces), loc, type);
      }
      expectInvalid(await bulk([], traces), ['body', 'operations'], 'too_short');
      const many = Array<object>(21).fill(star(1));
      expectInvalid(await bulk(many, traces), ['body', 'operations'], 'too_long');
      expectInvalid(await bulk([star(1)], []), ['body', 'selector', 'traces'], 'too_short');
      const ids = Array.from({ length: 1_001 }, () => randomUUID());
      expectInvalid(await bulk([star(1)], ids), ['body', 'selector', 'traces'], 'too_long');
      const six = Array<object>(6).fill(star(1));
      expectInvalid(await bulk(six, ids.slice(1)), ['body'], 'value_error');
      expect((await read(traces[0] ?? ''))['annotations']).to.deep.equal({});
      expect(await messages([{ ...star(1), operation_type: undefined }], traces)).to.deep.equal([
        'rating recorded',
      ]);
      const reply = await app.client.send('POST', at('/annotation/ratings'), {
        body: { operations: [star(1)], selector: { selector_type: 'spans', traces } },
      });
      expectInvalid(reply, ['body', 'selector', 'selector_type'], 'literal_error');
    });

    it('answers 404 out of sight, 403 to a viewer, 200 to an annotator', async () => {
      const id = await template({ annotation_type: 'like_dislike' });
      const traces = [await trace()];
      expectRefused(await bulk([create(id, like)], traces, await viewer()), 403, 'forbidden');
      expect((await bulk([create(id, like)], traces, await annotator())).status).to.equal(200);
      project = randomUUID();
      expectRefused(await bulk([create(id, like)], traces), 404, 'not_found');
    });
  });

  describe('one by one', () => {
    const place = (id: string, of: string) => at(`/annotation/templates/${id}/traces/${of}/rating`);
    const put = (id: string, of: string, rating: object, more: object = {}) =>
      app.client.send<View>('PUT', place(id, of), { body: { rating, ...more } });

    it("gives, replaces, reads and withdraws the caller's own", async () => {
      const id = await template({ annotation_type: 'star' });
      const of = await trace();
      const given = await put(
        id,
        of,
        { annotation_type: 'star', value: 2 },
        { explanation: 'why' },
      );
      const { created_at: when, ...rest } = given.body;
      expect(when).to.be.a('string');
      expect(rest).to.deep.equal({
        rating: { annotation_type: 'star', value: 2 },
        explanation: 'why',
        created_by: me,
      });
      expect((await app.client.send('GET', place(id, of))).body).to.deep.equal(given.body);
      const same = await put(id, of, { annotation_type: 'star', value: 2 }, { explanation: 'why' });
      expect(same.body).to.deep.equal(given.body);
      const other = await put(id, of, { annotation_type: 'star', value: 5 });
      expect(other.body).to.deep.include({ explanation: null });
      expect((await app.client.send('GET', place(id, of))).body).to.deep.equal(other.body);
      const gone = await app.client.send<View>('DELETE', place(id, of));
      expect(gone.status).to.equal(200);
      for (const method of ['GET', 'DELETE']) {
        expectRefused(await app.client.send(method, place(id, of)), 404, 'not_found');
      }
    });

    it('answers 422 to a value that the template forbids', async () => {
      const score = await template({ annotation_type: 'score', min: 1, max: 3 });
      const of = await trace();
      const value = ['body', 'rating', 'value'];
      expectInvalid(
        await put(score, of, { annotation_type: 'score', value: 4 }),
        value,
        'value_error',
      );
      expectInvalid(
        await put(score, of, like),
        ['body', 'rating', 'annotation_type'],
        'value_error',
      );
      expectInvalid(
        await put(score, of, { annotation_type: 'x' }),
        ['body', 'rating'],
        'union_tag_invalid',
      );
      expectInvalid(
        await app.client.send('PUT', place(score, of), { body: {} }),
        ['body', 'rating'],
        'missing',
      );
    });

    it('answers 404 for an unknown trace or template, 403 to whom may not', async () => {
      const id = await template({ annotation_type: 'like_dislike' });
      const of = await trace();
      for (const [one, other] of [
        [id, randomUUID()],
        [randomUUID(), of],
      ] as const) {
        expectRefused(await put(one, other, like), 404, 'not_found');
        for (const method of ['GET', 'DELETE']) {
          expectRefused(await app.client.send(method, place(one, other)), 404, 'not_found');
        }
      }
      const as = await viewer();
      const body = { rating: like };
      expectRefused(await as.send('PUT', place(id, of), { body }), 403, 'forbidden');
      expectRefused(await as.send('DELETE', place(id, of)), 403, 'forbidden');
      expectRefused(await as.send('GET', place(id, of)), 404, 'not_found');
      await app.client.call('DELETE', at(`/annotation/templates/${id}`));
      expectRefused(await put(id, of, like), 404, 'not_found');
    });
  });

  describe('as they are read', () => {
    it('stand on the trace with their aggregates, for every live template', async () => {
      const ids = {
        like: await template({ annotation_type: 'like_dislike' }),
        star: await template({ annotation_type: 'star' }),
        tags: await template({ annotation_type: 'tags', tags: ['a', 'b'] }),
        text: await template({ annotation_type: 'text' }),
        choice: await template({ annotation_type: 'choice', choices: ['x'] }),
        score: await template({ annotation_type: 'score', min: 0, max: 9 }),
      };
      const of = await trace();
      const unrated = { unrated_count: 1 };
      const before = await read(of);
      expect(before).to.deep.include({ annotations: {}, fully_annotated: false });
      expect(before['annotation_aggregates']).to.deep.equal({
        [ids.like]: { feedback_type: 'like_dislike', like_count: 0, dislike_count: 0, ...unrated },
        [ids.star]: { feedback_type: 'star', average: null, counts: {}, ...unrated },
        [ids.tags]: { feedback_type: 'tags', counts: {}, ...unrated },
        [ids.text]: { feedback_type: 'text', count: 0, ...unrated },
        [ids.choice]: { feedback_type: 'choice', counts: {}, ...unrated },
        [ids.score]: { feedback_type: 'score', average: null, counts: {}, ...unrated },
      });
      const ratings = {
        [ids.like]: { annotation_type: 'like_dislike', value: false },
        [ids.star]: { annotation_type: 'star', value: 4 },
        [ids.tags]: { annotation_type: 'tags', value: ['b', 'a'] },
        [ids.text]: { annotation_type: 'text', value: 'words' },
        [ids.choice]: { annotation_type: 'choice', value: 'x' },
        [ids.score]: { annotation_type: 'score', value: 0 },
      };
      const operations = Object.entries(ratings).map(([id, rating]) => create(id, rating));
      await bulk(operations, [of]);
      const after = await read(of);
      const rated = { unrated_count: 0 };
      expect(after).to.deep.include({ fully_annotated: true, updated_at: before['updated_at'] });
      expect(after['annotations']).to.deep.equal(
        Object.fromEntries(
          Object.entries(ratings).map(([id, rating]) => [
            id,
            { [me]: { ...rating, explanation: null } },
          ]),
        ),
      );
      expect(after['annotation_aggregates']).to.deep.equal({
        [ids.like]: { feedback_type: 'like_dislike', like_count: 0, dislike_count: 1, ...rated },
        [ids.star]: { feedback_type: 'star', average: 4, counts: { 4: 1 }, ...rated },
        [ids.tags]: { feedback_type: 'tags', counts: { a: 1, b: 1 }, ...rated },
        [ids.text]: { feedback_type: 'text', count: 1, ...rated },
        [ids.choice]: { feedback_type: 'choice', counts: { x: 1 }, ...rated },
        [ids.score]: { feedback_type: 'score', average: 0, counts: { 0: 1 }, ...rated },
      });
      const usage = await app.client.call<View[]>('GET', at('/annotation/templates'));
      expect(usage.body.map((one) => one['usage_count'])).to.deep.equal(Array(6).fill(1));
      await bulk([withdraw(ids.star)], [of]);
      const less = await read(of);
      expect(less['fully_annotated']).to.equal(false);
      expect(less['annotations']).to.not.have.property(ids.star);
    });

    it('are one for each user, and nobody touches the rating of another', async () => {
      const id = await template({ annotation_type: 'star' });
      const of = await trace();
      const other = cast.ours.user;
      const body = [{ user_id: other.id, role: 'annotator' }];
      await app.client.call('POST', at('/users'), { body });
      const rate = (value: number) => create(id, { annotation_type: 'star', value });
      await bulk([rate(2)], [of]);
      expect((await bulk([withdraw(id)], [of], other.as)).body[0]?.message).to.equal(
        'no rating to withdraw',
      );
      await bulk([rate(5)], [of], other.as);
      const both = await read(of);
      expect(both['annotations']).to.deep.equal({
        [id]: {
          [me]: { annotation_type: 'star', value: 2, explanation: null },
          [other.id]: { annotation_type: 'star', value: 5, explanation: null },
        },
      });
      expect(both['annotation_aggregates']).to.deep.equal({
        [id]: { feedback_type: 'star', average: 3.5, counts: { 2: 1, 5: 1 }, unrated_count: 0 },
      });
      await bulk([withdraw(id)], [of]);
      expect((await read(of))['annotations']).to.have.nested.property(`${id}.${other.id}`);
    });

    it('are hidden from aggregates once their template is deleted', async () => {
      const [kept, gone] = [
        await template({ annotation_type: 'star' }),
        await template({ annotation_type: 'star' }),
      ];
      const of = await trace();
      await bulk([create(kept, { annotation_type: 'star', value: 1 })], [of]);
      expect((await read(of))['fully_annotated']).to.equal(false);
      await bulk([create(gone, { annotation_type: 'star', value: 1 })], [of]);
      await app.client.call('DELETE', at(`/annotation/templates/${gone}`));
      const view = await read(of);
      expect(view['annotation_aggregates']).to.have.all.keys(kept);
      expect(view['fully_annotated']).to.equal(true);
    });

    it('are found by fully_annotated: on spans as on their trace, on sessions when all traces are', async () => {
      const id = await template({ annotation_type: 'like_dislike' });
      const session = randomUUID();
      const [rated, bare] = [
        await trace({}, { session_id: session }),
        await trace({}, { session_id: session }),
      ];
      await bulk([create(id, like)], [rated]);
      const found = async (kind: string, users: readonly string[] | null = null) => {
        const body = { filters: [{ type: 'fully_annotated', user_ids: users }] };
        const reply = await app.client.call<Page>('POST', at(`/${kind}/search`), { body });
        return reply.body.records.map((one) => (kind === 'spans' ? one['trace_id'] : one.id));
      };
      expect(await found('traces')).to.deep.equal([rated]);
      expect(await found('traces', [me])).to.deep.equal([rated]);
      expect(await found('traces', [me, randomUUID()])).to.deep.equal([]);
      expect(await found('spans')).to.deep.equal([rated]);
      expect(await found('sessions')).to.deep.equal([]);
      await bulk([create(id, like)], [bare]);
      expect(await found('sessions')).to.deep.equal([session]);
      expect(await found('sessions', [me])).to.deep.equal([session]);
      await app.client.call('POST', at('/spans'), {
        body: { trace_id: bare, parent_id: bare, spans: [{ type: 'tool', input: 'late' }] },
      });
      expect(await found('spans')).to.have.length(3);
      const without = await template({ annotation_type: 'star' });
      expect(await found('traces')).to.deep.equal([]);
      await app.client.call('DELETE', at(`/annotation/templates/${without}`));
      await app.client.call('DELETE', at(`/annotation/templates/${id}`));
      expect(await found('traces')).to.deep.equal([]);
    });
  });
});

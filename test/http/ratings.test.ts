import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { expectReplayEqual, sharedApp, type App } from '../support/app.js';
import type { Client } from '../support/client.js';
import { expectInvalid, expectRefused, keyRing, type KeyRing } from '../support/key-ring.js';
import {
  create,
  like,
  ratedProject,
  withdraw,
  type RatedProject,
  type View,
} from '../support/rated-project.js';

describe('ratings over HTTP', () => {
  let app: App;
  let keys: KeyRing;
  let rated: RatedProject;
  before(async () => {
    app = await sharedApp();
    keys = keyRing(app);
  });
  beforeEach(async () => {
    rated = await ratedProject(app.client);
  });
  after(async () => {
    keys.close();
    await expectReplayEqual(app);
  });

  const annotator = async (): Promise<Client> =>
    (await keys.make({ project_id: rated.id, project_role: 'annotator' })).as;
  const viewer = async (): Promise<Client> =>
    (await keys.make({ project_id: rated.id, project_role: 'viewer' })).as;

  describe('in bulk', () => {
    it('answers a result per operation and trace, operations outermost, repeats too', async () => {
      const [one, other] = [
        await rated.template({ annotation_type: 'like_dislike' }),
        randomUUID(),
      ];
      const [first, second] = [await rated.trace(), await rated.trace()];
      const reply = await rated.bulk(
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
      const id = await rated.template({ annotation_type: 'star' });
      const traces = [await rated.trace(), await rated.trace()];
      const operations = [create(id, { annotation_type: 'star', value: 3 }, { explanation: 'ok' })];
      const first = await rated.bulk(operations, traces);
      expect(first.body.map(({ message }) => message)).to.deep.equal(
        Array(2).fill('rating recorded'),
      );
      const again = await rated.bulk(operations, traces);
      expect(again.body.map(({ message }) => message)).to.deep.equal(
        Array(2).fill('rating unchanged'),
      );
      expect(again.position).to.equal(first.position);
    });

    it('fails per item where stored state says no, with 200 even when every one does', async () => {
      const score = await rated.template({ annotation_type: 'score', min: 1, max: 3 });
      const tags = await rated.template({ annotation_type: 'tags', tags: ['a'] });
      const choice = await rated.template({ annotation_type: 'choice', choices: ['a'] });
      const traces = [await rated.trace()];
      const failing = [
        create(score, { annotation_type: 'score', value: 4 }),
        create(score, like),
        create(tags, { annotation_type: 'tags', value: ['b'] }),
        create(choice, { annotation_type: 'choice', value: 'b' }),
        withdraw(randomUUID()),
      ];
      expect(await rated.messages(failing, traces)).to.deep.equal([
        'score is outside the range of the template: it takes score, 1 to 3',
        'annotation type does not match the template: it takes score, 1 to 3',
        "tag is not in the template: it takes tags, 'a'",
        "choice is not in the template: it takes choice, 'a'",
        'annotation template not found',
      ]);
      expect(await rated.messages([create(score, like)], [randomUUID()])).to.deep.equal([
        'trace not found',
      ]);
      const mixed = [...failing, create(score, { annotation_type: 'score', value: 2 })];
      expect((await rated.messages(mixed, traces)).at(-1)).to.equal('rating recorded');
    });

    it('says that a trace of another project, a deleted run or erased is not found', async () => {
      const [of, other] = [await rated.trace(), await ratedProject(app.client)];
      const theirs = await other.template({ annotation_type: 'like_dislike' });
      const none = ['trace not found'];
      expect(await other.messages([create(theirs, like)], [of])).to.deep.equal(none);
      const id = await rated.template({ annotation_type: 'like_dislike' });
      await app.client.call('DELETE', rated.at(`/log_streams/${rated.run}`));
      expect(await rated.messages([create(id, like)], [of])).to.deep.equal(none);
    });

    it('keeps every one of many that are sent at once', async () => {
      const ids = await Promise.all(
        Array.from({ length: 8 }, () => rated.template({ annotation_type: 'text' })),
      );
      const traces = await Promise.all(Array.from({ length: 5 }, () => rated.trace()));
      const replies = await Promise.all(
        ids.map((id) => rated.bulk([create(id, { annotation_type: 'text', value: 'w' })], traces)),
      );
      for (const { body } of replies) {
        expect(body.map(({ message }) => message)).to.deep.equal(Array(5).fill('rating recorded'));
      }
      for (const one of traces) {
        expect((await rated.read(one))['annotations']).to.have.all.keys(ids);
      }
    });

    it('is refused as a whole when the request itself is wrong', async () => {
      const id = await rated.template({ annotation_type: 'star' });
      const traces = [await rated.trace()];
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
        expectInvalid(await rated.bulk([star(1), operation], traces), loc, type);
      }
      expectInvalid(await rated.bulk([], traces), ['body', 'operations'], 'too_short');
      const many = Array<object>(21).fill(star(1));
      expectInvalid(await rated.bulk(many, traces), ['body', 'operations'], 'too_long');
      expectInvalid(await rated.bulk([star(1)], []), ['body', 'selector', 'traces'], 'too_short');
      const ids = Array.from({ length: 1_001 }, () => randomUUID());
      expectInvalid(await rated.bulk([star(1)], ids), ['body', 'selector', 'traces'], 'too_long');
      const six = Array<object>(6).fill(star(1));
      expectInvalid(await rated.bulk(six, ids.slice(1)), ['body'], 'value_error');
      expect((await rated.read(traces[0] ?? ''))['annotations']).to.deep.equal({});
      expect(
        await rated.messages([{ ...star(1), operation_type: undefined }], traces),
      ).to.deep.equal(['rating recorded']);
      const reply = await app.client.send('POST', rated.at('/annotation/ratings'), {
        body: { operations: [star(1)], selector: { selector_type: 'spans', traces } },
      });
      expectInvalid(reply, ['body', 'selector', 'selector_type'], 'literal_error');
    });

    it('answers 404 out of sight, 403 to a viewer, 200 to an annotator', async () => {
      const id = await rated.template({ annotation_type: 'like_dislike' });
      const traces = [await rated.trace()];
      expectRefused(await rated.bulk([create(id, like)], traces, await viewer()), 403, 'forbidden');
      expect((await rated.bulk([create(id, like)], traces, await annotator())).status).to.equal(
        200,
      );
      const elsewhere = await app.client.send(
        'POST',
        `/v2/projects/${randomUUID()}/annotation/ratings`,
        { body: { operations: [create(id, like)], selector: { traces } } },
      );
      expectRefused(elsewhere, 404, 'not_found');
    });
  });

  describe('one by one', () => {
    const place = (id: string, of: string) =>
      rated.at(`/annotation/templates/${id}/traces/${of}/rating`);
    const put = (id: string, of: string, rating: object, more: object = {}) =>
      app.client.send<View>('PUT', place(id, of), { body: { rating, ...more } });

    it("gives, replaces, reads and withdraws the caller's own", async () => {
      const id = await rated.template({ annotation_type: 'star' });
      const of = await rated.trace();
      const given = await put(
        id,
        of,
        { annotation_type: 'star', value: 2 },
        { explanation: 'why' },
      );
      const { created_at: when, created_by: me, ...rest } = given.body;
      expect([when, me].map((one) => typeof one)).to.deep.equal(['string', 'string']);
      expect(rest).to.deep.equal({
        rating: { annotation_type: 'star', value: 2 },
        explanation: 'why',
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
      const score = await rated.template({ annotation_type: 'score', min: 1, max: 3 });
      const of = await rated.trace();
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

    it('answers 404 for an unknown trace or template, 403 to a caller who may not', async () => {
      const id = await rated.template({ annotation_type: 'like_dislike' });
      const of = await rated.trace();
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
      await app.client.call('DELETE', rated.at(`/annotation/templates/${id}`));
      expectRefused(await put(id, of, like), 404, 'not_found');
    });
  });
});

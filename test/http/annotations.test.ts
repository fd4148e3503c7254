import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { expectReplayEqual } from '../support/app.js';
import { startTwoOrganizations, type TwoOrganizations } from '../support/two-organizations.js';
import type { Client } from '../support/client.js';
import {
  create,
  like,
  ratedProject,
  withdraw,
  type RatedProject,
  type View,
} from '../support/rated-project.js';

type Page = { readonly records: readonly View[] };

describe('annotations of a trace', () => {
  let cast: TwoOrganizations;
  let client: Client;
  let rated: RatedProject;
  let me: string;
  before(async () => {
    cast = await startTwoOrganizations();
    client = cast.ours.admin.as;
    me = cast.ours.admin.id;
  });
  beforeEach(async () => {
    rated = await ratedProject(client);
  });
  after(async () => {
    await expectReplayEqual(cast.app);
    await cast.close();
  });

  it('appear on the trace with their aggregates, for every live template', async () => {
    const ids = {
      like: await rated.template({ annotation_type: 'like_dislike' }),
      star: await rated.template({ annotation_type: 'star' }),
      tags: await rated.template({ annotation_type: 'tags', tags: ['a', 'b'] }),
      text: await rated.template({ annotation_type: 'text' }),
      choice: await rated.template({ annotation_type: 'choice', choices: ['x'] }),
      score: await rated.template({ annotation_type: 'score', min: 0, max: 9 }),
    };
    const of = await rated.trace();
    const unrated = { unrated_count: 1 };
    const before = await rated.read(of);
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
    await rated.bulk(operations, [of]);
    const after = await rated.read(of);
    const all = { unrated_count: 0 };
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
      [ids.like]: { feedback_type: 'like_dislike', like_count: 0, dislike_count: 1, ...all },
      [ids.star]: { feedback_type: 'star', average: 4, counts: { 4: 1 }, ...all },
      [ids.tags]: { feedback_type: 'tags', counts: { a: 1, b: 1 }, ...all },
      [ids.text]: { feedback_type: 'text', count: 1, ...all },
      [ids.choice]: { feedback_type: 'choice', counts: { x: 1 }, ...all },
      [ids.score]: { feedback_type: 'score', average: 0, counts: { 0: 1 }, ...all },
    });
    const usage = await client.call<View[]>('GET', rated.at('/annotation/templates'));
    expect(usage.body.map((one) => one['usage_count'])).to.deep.equal(Array(6).fill(1));
    await rated.bulk([withdraw(ids.star)], [of]);
    const less = await rated.read(of);
    expect(less['fully_annotated']).to.equal(false);
    expect(less['annotations']).to.not.have.property(ids.star);
  });

  it('are one per user, and other users cannot change it', async () => {
    const id = await rated.template({ annotation_type: 'star' });
    const of = await rated.trace();
    const other = cast.ours.user;
    const body = [{ user_id: other.id, role: 'annotator' }];
    await client.call('POST', rated.at('/users'), { body });
    const rate = (value: number) => create(id, { annotation_type: 'star', value });
    await rated.bulk([rate(2)], [of]);
    expect((await rated.bulk([withdraw(id)], [of], other.as)).body[0]?.message).to.equal(
      'no rating to withdraw',
    );
    await rated.bulk([rate(5)], [of], other.as);
    const both = await rated.read(of);
    expect(both['annotations']).to.deep.equal({
      [id]: {
        [me]: { annotation_type: 'star', value: 2, explanation: null },
        [other.id]: { annotation_type: 'star', value: 5, explanation: null },
      },
    });
    expect(both['annotation_aggregates']).to.deep.equal({
      [id]: { feedback_type: 'star', average: 3.5, counts: { 2: 1, 5: 1 }, unrated_count: 0 },
    });
    await rated.bulk([withdraw(id)], [of]);
    expect((await rated.read(of))['annotations']).to.have.nested.property(`${id}.${other.id}`);
  });

  it('are hidden from aggregates once their template is deleted', async () => {
    const [kept, gone] = [
      await rated.template({ annotation_type: 'star' }),
      await rated.template({ annotation_type: 'star' }),
    ];
    const of = await rated.trace();
    await rated.bulk([create(kept, { annotation_type: 'star', value: 1 })], [of]);
    expect((await rated.read(of))['fully_annotated']).to.equal(false);
    await rated.bulk([create(gone, { annotation_type: 'star', value: 1 })], [of]);
    await client.call('DELETE', rated.at(`/annotation/templates/${gone}`));
    const view = await rated.read(of);
    expect(view['annotation_aggregates']).to.have.all.keys(kept);
    expect(view['fully_annotated']).to.equal(true);
  });

  it('match fully_annotated: spans like their trace, sessions by all traces', async () => {
    const id = await rated.template({ annotation_type: 'like_dislike' });
    const session = randomUUID();
    const [first, bare] = [
      await rated.trace({ session_id: session }),
      await rated.trace({ session_id: session }),
    ];
    await rated.bulk([create(id, like)], [first]);
    const found = async (kind: string, users: readonly string[] | null = null) => {
      const body = { filters: [{ type: 'fully_annotated', user_ids: users }] };
      const reply = await client.call<Page>('POST', rated.at(`/${kind}/search`), { body });
      return reply.body.records.map((one) => (kind === 'spans' ? one['trace_id'] : one.id));
    };
    expect(await found('traces')).to.deep.equal([first]);
    expect(await found('traces', [me])).to.deep.equal([first]);
    expect(await found('traces', [me, randomUUID()])).to.deep.equal([]);
    expect(await found('spans')).to.deep.equal([first]);
    expect(await found('sessions')).to.deep.equal([]);
    await rated.bulk([create(id, like)], [bare]);
    expect(await found('sessions')).to.deep.equal([session]);
    expect(await found('sessions', [me])).to.deep.equal([session]);
    await client.call('POST', rated.at('/spans'), {
      body: { trace_id: bare, parent_id: bare, spans: [{ type: 'tool', input: 'late' }] },
    });
    expect(await found('spans')).to.have.length(3);
    const without = await rated.template({ annotation_type: 'star' });
    expect(await found('traces')).to.deep.equal([]);
    await client.call('DELETE', rated.at(`/annotation/templates/${without}`));
    await client.call('DELETE', rated.at(`/annotation/templates/${id}`));
    expect(await found('traces')).to.deep.equal([]);
  });
});

import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { seededRandom } from '../../kernel/seeded-random.js';
import type { HistoryEntry, HistoryPage } from '../../contract/history.js';
import { below, oneOf, type Rng } from '../fuzz/valid-request.js';
import { startApp, type App } from '../support/app.js';
import { allEntries } from '../support/history.js';
import { drawSeed } from '../support/test-environment.js';
import { runs } from '../support/runs.js';

type Made = { readonly id: string };
/** Filters by parameter, each with the values that any of has to hold. */
type Filters = Readonly<Record<string, readonly string[]>>;

const valueOf: Readonly<Record<string, (entry: HistoryEntry) => string | null>> = {
  actor: ({ actor }) => actor.id,
  event_type: ({ event_type: type }) => type,
  resource_type: ({ resource }) => resource.type,
  resource_id: ({ resource }) => resource.id,
  project_id: ({ project_id: project }) => project,
};

const holds = (filters: Filters, entry: HistoryEntry): boolean =>
  Object.entries(filters).every(([name, values]) => {
    const [value = ''] = values;
    if (name === 'start_time') return entry.at >= value;
    if (name === 'end_time') return entry.at <= value;
    return values.includes(valueOf[name]?.(entry) ?? '');
  });

describe('pages of history', function () {
  const seed = drawSeed('pages of history');
  const rng: Rng = seededRandom(seed).next;
  let app: App;
  const projects: string[] = [];

  const write = async (): Promise<void> => {
    const name = `n${randomUUID()}`;
    const project = oneOf(rng, projects);
    const root = `/v2/projects/${project}`;
    const kind = below(rng, 4);
    if (project === undefined || kind === 0) {
      const { body } = await app.client.call<Made>('POST', '/v2/projects', { body: { name } });
      projects.push(body.id);
    } else if (kind === 1) {
      await app.client.call('POST', `${root}/log_streams`, { body: { name } });
    } else if (kind === 2) {
      await app.client.call('POST', '/v2/groups', { body: { name } });
    } else {
      const run = await app.client.call<Made>('POST', `${root}/log_streams`, { body: { name } });
      const traces = Array.from({ length: 1 + below(rng, 4) }, () => ({ input: name }));
      const body = { log_stream_id: run.body.id, traces };
      await app.client.call('POST', `${root}/traces`, { body });
    }
  };
  before(async () => {
    app = await startApp();
    for (let times = 0; times < 60; times += 1) await write();
  });
  after(() => app.close());

  const drawn = (known: readonly HistoryEntry[]): Filters => {
    const filters: Record<string, readonly string[]> = {};
    for (const [name, of] of Object.entries(valueOf)) {
      if (rng() < 0.7) continue;
      const values = Array.from({ length: 1 + below(rng, 3) }, () => of(oneOf(rng, known)));
      filters[name] = values.flatMap((value) => value ?? projects.slice(0, 1));
    }
    const bound = oneOf(rng, ['start_time', 'end_time', null, null, null]);
    if (bound !== null) filters[bound] = [oneOf(rng, known).at];
    return filters;
  };

  it('add up to what a naive filter finds, whatever is written meanwhile (H9)', async () => {
    for (let draw = 0; draw < runs(15); draw += 1) {
      const known = await allEntries(app.client, '/v2/history', 'technical=true&limit=1000');
      const filters = drawn(known);
      const [technical, ascending] = [rng() < 0.5, rng() < 0.5];
      const query = [
        ...Object.entries(filters).flatMap(([name, values]) =>
          values.map((value) => `${name}=${value}`),
        ),
        `technical=${technical}`,
        `order=${ascending ? 'asc' : 'desc'}`,
      ].join('&');
      const label = `ASSAY_TEST_SEED=${seed} ${query}`;
      const found: HistoryEntry[] = [];
      let first: HistoryPage['head'] | null = null;
      let last: HistoryPage['head'] | null = null;
      for (let cursor = ''; ;) {
        const place = cursor === '' ? '' : `&cursor=${cursor}`;
        const limit = 1 + below(rng, 30);
        const { body } = await app.client.call<HistoryPage>(
          'GET',
          `/v2/history?${query}&limit=${limit}${place}`,
        );
        expect(body.entries.length, label).to.be.at.most(limit);
        found.push(...body.entries);
        first ??= body.head;
        last = body.head;
        if (body.next_cursor === null) break;
        cursor = body.next_cursor;
        if (rng() < 0.1) await write();
      }
      const until = (ascending ? last : first)?.seq ?? 0;
      const all = await allEntries(app.client, '/v2/history', 'technical=true&limit=1000');
      const plain = new Set(
        (await allEntries(app.client, '/v2/history', 'limit=1000')).map(({ seq }) => seq),
      );
      const expected = all
        .filter((entry) => entry.seq <= until && holds(filters, entry))
        .filter(({ seq }) => technical || plain.has(seq))
        .map(({ seq }) => seq);
      expect(
        found.map(({ seq }) => seq),
        label,
      ).to.deep.equal(ascending ? expected.reverse() : expected);
    }
  });
});

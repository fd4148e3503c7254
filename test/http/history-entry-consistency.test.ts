import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import type { HistoryEntry, HistoryPage } from '../../contract/history.js';
import type { JsonObject } from '../../kernel/schema-types.js';
import { startApp, type App } from '../support/app.js';
import { allEntries } from '../support/history.js';
import { createOneOfEach } from '../support/one-of-each-object.js';

type Made = { readonly id: string };

describe('an entry of history', function () {
  let app: App;
  let root: string;
  let project: string;
  let templates: readonly string[];
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> =>
    (await app.client.call<T>(method, path, body === undefined ? {} : { body })).body;

  before(async () => {
    app = await startApp();
    await createOneOfEach(app.client, 'alike');
    for (const token of ['sk-first', 'sk-second']) {
      const body = { organization_id: randomUUID(), token };
      await app.client.call('PUT', '/v2/integrations/openai', { body });
    }
    project = (await call<Made>('POST', '/v2/projects', { name: 'of templates' })).id;
    root = `/v2/projects/${project}/annotation/templates`;
    const made: string[] = [];
    for (const name of ['Helpful', 'Polite', 'Short']) {
      const constraints = { annotation_type: 'like_dislike' };
      made.push((await call<Made>('POST', root, { name, constraints })).id);
    }
    templates = made;
    await call('POST', `${root}/reorder`, { ordering: [...templates].reverse() });
  });
  after(() => app.close());

  it('is the same on every page that contains it', async () => {
    const known = new Map<number, HistoryEntry>();
    for (const technical of [true, false]) {
      for (const order of ['desc', 'asc']) {
        for (const limit of [1000, 7, 1]) {
          const query = `technical=${technical}&order=${order}&limit=${limit}`;
          for (const entry of await allEntries(app.client, '/v2/history', query)) {
            const first = known.get(entry.seq);
            if (first === undefined) known.set(entry.seq, entry);
            else expect(entry, query).to.deep.equal(first);
          }
        }
      }
    }
    const configured = [...known.values()].filter(
      ({ event_type }) => event_type === 'IntegrationConfigured',
    );
    expect(configured.length).to.be.greaterThan(1);
    for (const { after } of configured) expect(after).not.to.equal(null);
  });

  it('shows the order of templates before and after they were put in order', async () => {
    const query = 'event_type=AnnotationTemplatesReordered';
    const { entries } = await call<HistoryPage>('GET', `/v2/projects/${project}/history?${query}`);
    expect(entries).to.have.length(1);
    expect(entries[0]).to.deep.include({
      resource: { type: 'project', id: project },
      before: { annotation_templates: templates },
      after: { annotation_templates: [...templates].reverse() },
    });
  });

  it('has the position of a template in its state as the route shows it', async () => {
    const head = (await call<HistoryPage>('GET', '/v2/history?limit=1')).head.position;
    for (const template of templates) {
      const path = `/v2/history/annotation_template/${template}?project_id=${project}`;
      const { state } = await call<{ readonly state: JsonObject }>('GET', `${path}&at=${head}`);
      const { usage_count: _, ...shown } = await call<JsonObject>('GET', `${root}/${template}`);
      expect(state).to.deep.equal(shown);
    }
  });
});

import { expect } from 'chai';
import { datasets, type Dataset } from '../../command-api/facts/datasets.js';
import {
  change,
  changeContent,
  create,
  link,
  remove,
  unlink,
} from '../../command-api/datasets/datasets.js';
import type { ContentChanged, DatasetEvent } from '../../events/datasets.js';
import type { ContentId } from '../../kernel/dataset-content.js';
import type { DatasetId, RunId } from '../../kernel/schema-types.js';
import { deciderSpec } from '../support/decider-spec.js';
import { instantAfter } from '../support/test-log.js';
import { organization, projectId, userId } from '../support/access-events.js';

const id = 'dddddddd-0000-4000-8000-000000000001' as DatasetId;
const run = 'eeeeeeee-0000-4000-8000-000000000001' as RunId;
const contentId = (number: number) =>
  `ffffffff-0000-4000-8000-${String(number).padStart(12, '0')}` as ContentId;
const [home, other] = [projectId(1), projectId(2)];

const facts = {
  dataset_id: id,
  organization_id: organization,
  name: 'set',
  draft: true,
  project_id: home,
  created_by: userId(1),
  created_at: instantAfter(0),
};
const content = (version: number, columns: readonly string[] = ['a', 'b']): ContentChanged => ({
  dataset_id: id,
  version_index: version,
  content_id: contentId(version),
  source: 'file',
  name: 'set',
  created_by: userId(1),
  created_at: instantAfter(0),
  columns: columns.map((name, key) => ({ key, name })),
  parts: [],
  num_rows: 0,
  rows_added: 0,
  rows_removed: 0,
  rows_edited: 0,
  columns_added: columns.length,
  columns_removed: 0,
  columns_renamed: 0,
});
const role = (...columns: string[]) => ({ columns, flatten: false });
const mapping = (input: readonly string[] | null) => ({
  input: input && role(...input),
  output: null,
  generated_output: null,
  metadata: null,
  mgt: null,
});

const created: DatasetEvent = { type: 'DatasetCreated', data: facts };
const first: DatasetEvent = { type: 'DatasetContentChanged', data: content(1) };
const linked = (project = home, by: RunId | null = null): DatasetEvent => ({
  type: 'DatasetLinked',
  data: { dataset_id: id, project_id: project, run_id: by },
});
const mapped = (input: readonly string[] | null): DatasetEvent => ({
  type: 'ColumnMappingChanged',
  data: { dataset_id: id, column_mapping: mapping(input) },
});
const renamed: DatasetEvent = { type: 'DatasetRenamed', data: { dataset_id: id, name: 'new' } };
const published: DatasetEvent = { type: 'DatasetPublished', data: { dataset_id: id } };
const deleted: DatasetEvent = { type: 'DatasetDeleted', data: { dataset_id: id, versions: 1 } };

const given = deciderSpec<Dataset | null, DatasetEvent>(datasets);
const there = [created, first, linked()] as const;
const nothing = { name: null, mapping: null, publish: false };

describe('deciding on datasets', () => {
  it('creates one with its first version, its link and its mapping', () => {
    given()
      .when(create({ facts, content: content(1), mapping: { input: ['a'] } }))
      .then(created, first, linked(), mapped(['a']));
    given()
      .when(create({ facts: { ...facts, project_id: null }, content: content(1), mapping: null }))
      .then({ type: 'DatasetCreated', data: { ...facts, project_id: null } }, first);
    given()
      .when(create({ facts, content: content(1), mapping: { output: ['c'] } }))
      .thenRejected('invalid');
  });

  it('changes what differs, in one step', () => {
    given(...there)
      .when(change({ name: 'new', mapping: { input: ['b'] }, publish: true }))
      .then(renamed, mapped(['b']), published);
    given(...there, mapped(['b']))
      .when(change({ name: 'set', mapping: { input: role('b'), output: null }, publish: false }))
      .thenNothing();
    given(...there, published)
      .when(change({ ...nothing, publish: true }))
      .thenNothing();
    given(...there)
      .when(change({ ...nothing, mapping: { mgt: { bleu: ['c'] } } }))
      .thenRejected('invalid');
  });

  it('makes a version once, with the mapping after it', () => {
    const second: DatasetEvent = { type: 'DatasetContentChanged', data: content(2, ['a']) };
    given(...there)
      .when(changeContent(content(2, ['a']), null))
      .then(second);
    given(...there, mapped(['a', 'b']))
      .when(changeContent(content(2, ['a']), mapping(['a'])))
      .then(second, mapped(['a']));
    given(...there, second)
      .when(changeContent(content(2, ['a']), null))
      .thenNothing();
  });

  it('links and unlinks, but keeps the home project and what experiments use', () => {
    given(...there)
      .when(link(other, null))
      .then(linked(other));
    given(...there)
      .when(link(home, run))
      .then(linked(home, run));
    const unlinked = (by: RunId | null): DatasetEvent => ({
      type: 'DatasetUnlinked',
      data: { dataset_id: id, project_id: other, run_id: by },
    });
    given(...there, linked(other))
      .when(unlink(other, null))
      .then(unlinked(null));
    given(...there, linked(other, run))
      .when(unlink(other, null))
      .thenNothing();
    given(...there, linked(other, run))
      .when(unlink(other, run))
      .then(unlinked(run));
    given(...there)
      .when(unlink(home, null))
      .thenRejected('conflict');
    const both = [...there, linked(other), linked(other, run), unlinked(null)];
    expect(both.reduce(datasets.evolve, null)?.links.get(other)).to.deep.equal(new Set([run]));
  });

  it('deletes once; nothing happens to a deleted dataset', () => {
    given(...there)
      .when(remove())
      .then(deleted);
    for (const decide of [
      change({ ...nothing, name: 'x' }),
      changeContent(content(2), null),
      link(other, null),
      unlink(home, null),
    ]) {
      given(...there, deleted)
        .when(decide)
        .thenRejected('not-found');
      given().when(decide).thenRejected('not-found');
    }
  });
});

import { expect } from 'chai';
import { Fault } from '../../kernel/fault.js';
import { logStart } from '../../kernel/ports.js';
import type { Records } from '../../kernel/records/records.js';
import type { RecordRow } from '../../kernel/records/record.js';
import { uuid } from '../support/record-generators.js';
import {
  aggregateOf,
  groupKey,
  awkwardTrace,
  groupsOf,
  idsOf,
  markAt,
  positionAt,
  project,
  put,
  putRows,
  run,
  scopeOf,
  searchOf,
  sessionId,
  sessionRow,
  spanId,
  spanRow,
  traceId,
  traceRow,
} from '../support/record-rows.js';
import { recordAnswerSuite } from './record-answers.js';
import { recordSelectionSuite } from './record-selection.js';
import { recordCancellationSuite } from './record-cancellation.js';
import { groupGrowthSuite } from './group-growth.js';
import { recordRatingSuite } from './record-ratings.js';
import { recordNameSuite } from './record-names.js';
import { recordLevelSuite } from './record-levels.js';
import { recordLongTextSuite } from './record-long-texts.js';
import { recordShadowSuite } from './record-shadows.js';
import { recordPrefetchSuite } from './record-prefetch.js';
import { runDatasetRowSuite } from './run-dataset-rows.js';
import { runMeasureSuite } from './run-measures.js';
import { recordPaginationSuite } from './record-pagination.js';
import { recordContentSuite } from './record-contents.js';

/**
 * Records on an empty store. `reopen` closes it gracefully and opens the same store; `close` also
 * removes it.
 */
type OpenRecords = () => Promise<{
  readonly records: Records;
  readonly reopen: () => Promise<Records>;
  readonly close: () => Promise<void>;
}>;

/** Suite of the port Records; filters and aggregates are also in test/differential. */
export const recordsSuite = (name: string, open: OpenRecords): void => {
  describe(`records on ${name}`, function () {
    let opened: Awaited<ReturnType<OpenRecords>>;
    let records: Records;
    beforeEach(async () => {
      opened = await open();
      ({ records } = opened);
    });
    afterEach(() => opened.close());
    const reopen = async () => {
      records = await opened.reopen();
    };

    persistenceTests(() => records, reopen);
    deletionTests(() => records, reopen);
    lookupTests(() => records);
    recordShadowSuite(() => records, reopen);
    groupGrowthSuite(() => records, reopen);
    recordPrefetchSuite(() => records, reopen);
    runMeasureSuite(() => records);
    runDatasetRowSuite(() => records);
    recordAnswerSuite(() => records);
    recordRatingSuite(() => records);
    recordLevelSuite(() => records);
    recordLongTextSuite(() => records, reopen);
    recordNameSuite(() => records, reopen);
    recordSelectionSuite(() => records, reopen);
    recordCancellationSuite(() => records);
    recordPaginationSuite(() => records);
    recordContentSuite(() => records);
  });
};

const all = async (records: Records): Promise<readonly RecordRow[]> =>
  (await records.search(searchOf())).rows;

const persistenceTests = (records: () => Records, reopen: () => Promise<void>): void => {
  it('begin empty, before the first position', async () => {
    expect(await records().checkpoint()).to.equal(logStart);
    expect(await all(records())).to.deep.equal([]);
    expect(await records().count(scopeOf())).to.equal(0);
    expect(await records().aggregate(aggregateOf({ groupBy: [groupKey('name')] }))).to.deep.equal({
      total: { widgets: {}, requests: 0, sessions: 0, spans: 0 },
      groups: [],
      errors: [],
    });
    expect(await records().columns(scopeOf())).to.deep.equal({
      present: [],
      metrics: [],
      userMetadata: [],
      templates: [],
    });
    expect(await Array.fromAsync(records().dump())).to.deep.equal([]);
  });

  it('return every row as it was written, even after they are reopened', async () => {
    const trace = awkwardTrace();
    const rows = [trace, spanRow(trace, 1, { values: { model: 'm', tools: '[{}]' } })];
    const session = sessionRow(1, { values: { name: '', external_id: 'x' } });
    await putRows(records(), [...rows, session]);
    await reopen();
    expect(await all(records())).to.deep.equal([rows[0]]);
    const spans = await records().search(searchOf({ population: 'span' }));
    expect(spans.rows).to.deep.equal([rows[1]]);
    const sessions = await records().search(searchOf({ population: 'session' }));
    expect(sessions.rows).to.deep.equal([session]);
    const groups = await records().rowsByGroup([trace.group, session.group, traceRow(99).group]);
    expect([...groups]).to.have.deep.members([
      [trace.group, rows],
      [session.group, [session]],
    ]);
  });

  it('return the columns of all records, also of one that differs in a single one', async () => {
    const usual = Array.from({ length: 20 }, (_, at) => traceRow(at, { values: { name: 'n' } }));
    const one = (at: number, values: RecordRow['values']) =>
      traceRow(at, { values: { name: 'n', ...values } });
    const others = [one(30, { external_id: 'x' }), one(31, { tags: ['t'] }), one(32, { tags: [] })];
    await putRows(records(), usual);
    const before = (await records().columns(scopeOf())).present;
    await putRows(records(), others);
    const { present } = await records().columns(scopeOf());
    expect(present.filter((id) => !before.includes(id))).to.deep.equal(['external_id', 'tags']);
  });

  it('replace all rows of a group, and drop a group without rows', async () => {
    const old = traceRow(1, { userMetadata: { old: 'x' }, values: { name: 'old' } });
    await putRows(records(), [old, spanRow(old, 1), spanRow(old, 2), traceRow(2)]);
    const changed = traceRow(1, { values: { name: 'new' } });
    const rewritten = { group: old.group, fresh: false, rows: [changed, spanRow(changed, 1)] };
    const gone = { group: traceRow(2).group, fresh: false, rows: [] };
    await put(records(), { groups: [rewritten, gone] });
    expect(await all(records())).to.deep.equal([changed]);
    expect(await records().count(scopeOf({ population: 'span' }))).to.equal(1);
    expect((await records().columns(scopeOf())).userMetadata).to.deep.equal([]);
    expect((await records().rowsByGroup([gone.group])).size).to.equal(0);
  });

  it('apply a checkpoint once, also after a reopening', async () => {
    const writes = (rows: readonly RecordRow[]) => ({
      groups: groupsOf(rows),
      deletedRuns: [],
      deletedProjects: [],
    });
    await records().apply(writes([traceRow(1)]), markAt(5));
    await records().apply(writes([traceRow(1)]), markAt(5));
    await records().apply(writes([traceRow(2)]), markAt(4));
    await reopen();
    expect(await records().checkpoint()).to.equal(positionAt(5));
    expect(idsOf(await all(records()))).to.deep.equal([traceId(1)]);
  });

  it('refuse a projector that was replaced, even after they are reopened', async () => {
    const nothing = { groups: [], deletedRuns: [], deletedProjects: [] };
    await records().apply(nothing, markAt(1, 7));
    await reopen();
    const late = records().apply({ ...nothing, groups: groupsOf([traceRow(1)]) }, markAt(2, 6));
    expect(await codeOf(late)).to.equal('conflict');
    expect(await records().count(scopeOf())).to.equal(0);
    await records().apply({ ...nothing, groups: groupsOf([traceRow(1)]) }, markAt(2, 7));
    expect(await records().count(scopeOf())).to.equal(1);
  });

  it('refuse a batch folded from another position than theirs', async () => {
    const onto = (after: number, place: number, fence: number) =>
      codeOf(
        records().apply(
          { groups: groupsOf([traceRow(place)]), deletedRuns: [], deletedProjects: [] },
          { ...markAt(place, fence), after: positionAt(after) },
        ),
      );
    expect(await onto(3, 5, 1)).to.equal('conflict');
    expect(await onto(0, 5, 1)).to.equal('done');
    expect(await onto(0, 5, 1)).to.equal('conflict');
    // The last batch of a replaced writer came after the next one had folded.
    expect(await onto(5, 7, 1)).to.equal('done');
    for (const place of [6, 7, 8]) expect(await onto(5, place, 2)).to.equal('conflict');
    expect(await onto(7, 8, 2)).to.equal('done');
    expect(await records().checkpoint()).to.equal(positionAt(8));
    expect(await records().count(scopeOf())).to.equal(3);
  });

  it('show a batch whole or not at all', async () => {
    const batch = (from: number) =>
      Array.from({ length: 100 }, (_, at) => traceRow(from * 100 + at));
    const writing = (async () => {
      for (let from = 0; from < 10; from += 1) await putRows(records(), batch(from));
    })();
    const counts: number[] = [];
    for (let at = 0; at < 50; at += 1) counts.push(await records().count(scopeOf()));
    await writing;
    expect(counts.filter((count) => count % 100 !== 0)).to.deep.equal([]);
    expect(await records().count(scopeOf())).to.equal(1_000);
  });
};

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof Fault ? error.code : error),
  );

const deletionTests = (records: () => Records, reopen: () => Promise<void>): void => {
  it('drop the rows of deleted runs and projects, also ones that arrive late', async () => {
    const otherRun = (at: number) => traceRow(at, { values: { run_id: uuid(2, 2) } });
    const otherProject = (at: number) => traceRow(at, { values: { project_id: uuid(1, 2) } });
    const kept = traceRow(1, { userMetadata: { kept: 'x' } });
    const fatal = [otherRun(2), spanRow(otherRun(2), 1), otherProject(3)];
    await putRows(records(), [kept, ...fatal]);
    await put(records(), { deletedRuns: [uuid(2, 2)], deletedProjects: [uuid(1, 2)] });
    await reopen();
    await putRows(records(), [otherRun(4), otherProject(5)]);
    expect(idsOf(await all(records()))).to.deep.equal([traceId(1)]);
    expect(await records().count(scopeOf({ population: 'span' }))).to.equal(0);
    expect(await records().count(scopeOf({ project: uuid(1, 2) }))).to.equal(0);
    const left = await Array.fromAsync(records().dump());
    expect(left.map(({ key }) => key)).to.deep.equal([`${kept.group} 00000000`]);
  });

  it('drop rows that arrive in the batch of their run’s deletion', async () => {
    const late = { groups: groupsOf([traceRow(1)]), deletedRuns: [run] };
    await put(records(), late);
    expect(await records().count(scopeOf())).to.equal(0);
  });
};

const lookupTests = (records: () => Records): void => {
  it('find the group of a record in its own project and population only', async () => {
    const trace = traceRow(1);
    await putRows(records(), [trace, spanRow(trace, 1), sessionRow(1)]);
    const span = spanId(101);
    expect(await records().findGroup(project, 'trace', traceId(1))).to.equal(trace.group);
    expect(await records().findGroup(project, 'span', span)).to.equal(trace.group);
    expect(await records().findGroup(project, 'session', sessionId(1))).to.equal(
      sessionRow(1).group,
    );
    expect(await records().findGroup(project, 'trace', span)).to.equal(null);
    expect(await records().findGroup(uuid(1, 2), 'trace', traceId(1))).to.equal(null);
    expect(await records().findGroup(project, 'trace', traceId(2))).to.equal(null);
  });

  it('find a record with all of its group, or the size of that', async () => {
    const session = sessionRow(1);
    const groupsOfSpans = [0, 1, 24, 25, 2_100].map((spans, at) => {
      const trace = traceRow(at, { annotators: ['stars/u'], spanCount: spans });
      const below = Array.from({ length: spans }, (_, ordinal) =>
        spanRow(trace, ordinal + 1, { annotators: ['stars/u'] }),
      );
      return [trace, ...below];
    });
    const long = traceRow(50, { values: { input: 'long '.repeat(200_000) } });
    const rows = [[session], [long, spanRow(long, 1)], ...groupsOfSpans];
    await putRows(records(), rows.flat());
    for (const group of rows) {
      const [first, last] = [group[0] ?? session, group.at(-1) ?? session];
      const bytes = (await records().groupBytes([first.group])).get(first.group) ?? 0;
      for (const [population, { values }] of [
        [first === session ? 'session' : 'trace', first],
        ...(group.length > 1 ? [['span', last] as const] : []),
      ] as const) {
        const plan = { project, population, id: String(values['id']) };
        const whole = { group: first.group, bytes, rows: group };
        expect(await records().groupRows({ ...plan, bytesMax: bytes })).to.deep.equal(whole);
        const tooMuch = await records().groupRows({ ...plan, bytesMax: bytes - 1 });
        expect(tooMuch).to.deep.equal({ ...whole, rows: null });
        const elsewhere = { ...plan, project: uuid(1, 2), bytesMax: bytes };
        expect(await records().groupRows(elsewhere)).to.equal(null);
      }
    }
    const none = { project, population: 'span', id: traceId(1), bytesMax: 1 } as const;
    expect(await records().groupRows(none)).to.equal(null);
  });

  it('count the records of runs', async () => {
    const other = uuid(2, 2);
    const trace = traceRow(1, { spanCount: 2 });
    await putRows(records(), [
      trace,
      spanRow(trace, 1),
      spanRow(trace, 2),
      sessionRow(1),
      traceRow(2, { values: { run_id: other } }),
    ]);
    const empty = { traces: 0, spans: 0, sessions: 0 };
    expect([...(await records().runCounts(project, [run, other, uuid(2, 3)]))]).to.deep.equal([
      [run, { traces: 1, spans: 2, sessions: 1 }],
      [other, { ...empty, traces: 1 }],
      [uuid(2, 3), empty],
    ]);
  });

  it('page without overlap or gap, and are empty beyond the end', async () => {
    const rows = Array.from({ length: 25 }, (_, at) => traceRow(at + 1));
    await putRows(records(), rows);
    const pages = [];
    for (let offset = 0; offset < 25; offset += 10) {
      pages.push(await records().search(searchOf({ offset, limit: 10 })));
    }
    expect(pages.map(({ more }) => more)).to.deep.equal([true, true, false]);
    const ids = pages.flatMap(({ rows: page }) => idsOf(page));
    expect(ids).to.deep.equal(idsOf(rows).toReversed());
    expect(await records().search(searchOf({ offset: 25 }))).to.deep.equal({
      rows: [],
      more: false,
    });
  });

  it('type a metric by its first value in the log, and by a fraction that came later', async () => {
    const with1 = (at: number, name: string, value: number | string, when: string) =>
      traceRow(at, {
        metrics: {
          [name]: {
            value,
            rolledUp: false,
            first: {
              at: when,
              type: typeof value === 'string' ? 'text' : 'integer',
              fraction: !Number.isInteger(value) && typeof value === 'number',
            },
          },
        },
      });
    await putRows(records(), [
      with1(1, 'late', 'no', '2'),
      with1(3, 'grown', 1, '3'),
      with1(5, 'text', 'x', '5'),
    ]);
    const before = await records().metricTypes(project, ['late', 'grown']);
    expect(Object.fromEntries(before)).to.deep.equal({ late: 'text', grown: 'integer' });
    await put(records(), {
      groups: groupsOf([with1(2, 'late', 5, '1'), with1(4, 'grown', 1.5, '4')]),
    });
    const types = await records().metricTypes(project, ['late', 'grown', 'text', 'cost', 'none']);
    expect(Object.fromEntries(types)).to.deep.equal({
      late: 'integer',
      grown: 'floating_point',
      text: 'text',
    });
    expect((await records().metricTypes(uuid(1, 2), ['late'])).size).to.equal(0);
  });
};

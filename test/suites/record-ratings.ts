import { expect } from 'chai';
import { feedbackAggregate, countRatings, type Annotation } from '../../kernel/records/feedback.js';
import type { Records } from '../../kernel/records/records.js';
import { uuid } from '../support/record-generators.js';
import {
  aggregateOf,
  groupKey,
  noon,
  project,
  putRows,
  run,
  spanRow,
  traceRow,
} from '../support/record-rows.js';

const [first, second] = [uuid(4, 1), uuid(4, 2)];
const [ada, bob] = [uuid(5, 1), uuid(5, 2)];
const otherRun = uuid(2, 2);
type Given = Readonly<Record<string, Readonly<Record<string, Annotation['value']>>>>;

const rated = (at: number, given: Given, inRun = run) =>
  traceRow(at, {
    values: { run_id: inRun },
    annotators: Object.entries(given).flatMap(([template, byUser]) =>
      Object.keys(byUser).map((user) => `${template}/${user}`),
    ),
    body: {
      annotations: Object.fromEntries(
        Object.entries(given).map(([template, byUser]) => [
          template,
          Object.fromEntries(
            Object.entries(byUser).map(([user, value]) => [user, annotation(value)]),
          ),
        ]),
      ),
    },
  });
const annotation = (value: Annotation['value']) => ({
  annotation_type: Array.isArray(value) ? ('tags' as const) : ('score' as const),
  value,
  explanation: null,
  given_at: noon,
});

/** Current ratings by run and template (contract 4.6). */
export const recordRatingSuite = (records: () => Records): void => {
  const rows = () => {
    const one = rated(1, {
      [first]: { [ada]: 4, [bob]: 4 },
      [second]: { [ada]: ['a', '__proto__'] },
    });
    return [
      one,
      { ...spanRow(one, 1), annotators: one.annotators },
      rated(2, { [first]: { [ada]: -2 }, [second]: { [ada]: [], [bob]: ['a', "b'/"] } }),
      rated(3, { [first]: { [bob]: 4 } }, otherRun),
      traceRow(4),
      {
        ...rated(5, { [first]: { [ada]: 1 } }),
        values: traceRow(5, { values: { project_id: uuid(1, 2) } }).values,
      },
    ];
  };

  it('count ratings by run and template, as the reference does', async () => {
    const all = rows();
    await putRows(records(), all);
    const mine = all.filter((row) => row.kind === 'trace' && row.values['project_id'] === project);
    const expected = countRatings(mine);
    expect(await records().ratings(project, null)).to.deep.equal(expected);
    expect(expected).to.deep.equal([
      { run, template: first, traces: 2, ratings: 3, values: { 4: 2, [-2]: 1 } },
      {
        run,
        template: second,
        traces: 2,
        ratings: 3,
        values: Object.fromEntries([
          ['a', 2],
          ['__proto__', 1],
          ["b'/", 1],
        ]),
      },
      { run: otherRun, template: first, traces: 1, ratings: 1, values: { 4: 1 } },
    ]);
    expect(await records().ratings(project, [otherRun])).to.deep.equal(expected.slice(2));
    expect(await records().ratings(project, [run])).to.deep.equal(expected.slice(0, 2));
    const aggregate = feedbackAggregate({ type: 'score' }, expected[0], 3);
    expect(aggregate).to.deep.equal({
      feedback_type: 'score',
      average: 2,
      counts: { 4: 2, [-2]: 1 },
      unrated_count: 1,
    });
  });

  it('count zero without ratings, and those of a run until it is deleted', async () => {
    expect(await records().ratings(project, null)).to.deep.equal([]);
    await putRows(records(), rows());
    expect(await records().ratings(project, [])).to.deep.equal([]);
    expect(await records().ratings(project, ['no id'])).to.deep.equal([]);
    expect(await records().ratings(uuid(1, 9), null)).to.deep.equal([]);
    const at = Number.parseInt(await records().checkpoint(), 16) + 1;
    await records().apply(
      { groups: [], deletedRuns: [run], deletedProjects: [] },
      { position: at.toString(16).padStart(16, '0') as never, fence: 1 },
    );
    expect((await records().ratings(project, null)).map((one) => one.run)).to.deep.equal([
      otherRun,
    ]);
  });

  it('count the values of a list by the groups that the same list makes', async () => {
    await putRows(records(), [rated(1, { [first]: { [ada]: ['a', 'b'] } })]);
    const answer = await records().aggregate(
      aggregateOf({
        templates: [{ id: first, type: 'tags' }],
        groupBy: [groupKey(`annotations/${first}`)],
        widgets: [
          {
            id: 'w',
            metric: first,
            source: 'annotations',
            aggregation: 'Count',
            type: 'string_list',
          },
        ],
      }),
    );
    if ('refused' in answer) throw new TypeError(answer.refused);
    const counts = answer.groups.map(({ key, buckets }) => [key, buckets[0]?.widgets['w']]);
    const both = { a: 1, b: 1 };
    expect(counts).to.deep.equal([
      ['a', both],
      ['b', both],
    ]);
    expect(answer.total.widgets['w']).to.deep.equal(both);
  });
};

import {
  backfillAnswer,
  readPastScoring,
  type BackfillFacts,
} from '../../contract/scoring-backfill.js';
import { readRoute, type Route } from '../../contract/operation.js';
import { Fault } from '../../kernel/fault.js';
import type { Documents } from '../../kernel/documents.js';
import type { RecordQueries } from '../../kernel/records/record-queries.js';
import {
  scoringBackfillList,
  type ScoringBackfillsOfRun,
} from '../../projections/scoring-backfill-list.js';
import { recordsCollection } from '../../projections/records/collection.js';
import { runCollections, runKinds, type RunInProject } from '../run-selection.js';

type BackfillReadNeeds = {
  readonly documents: Pick<Documents, 'get'>;
  readonly records: Pick<RecordQueries, 'search'>;
  readonly runInProject: RunInProject;
};

/** Read of the newest backfill job of a run and a scorer (contract 5.10). */
export const scoringBackfillReads = ({
  documents,
  records,
  runInProject,
}: BackfillReadNeeds): readonly Route[] => [
  readRoute(
    readPastScoring,
    [scoringBackfillList.collection, recordsCollection, ...runCollections],
    async ({ params: { project_id: project, run_id: id, scorer_id: scorer } }) => {
      const known = await Promise.all(runKinds.map((kind) => runInProject(project, { kind, id })));
      if (!known.includes(true)) throw new Fault('not-found', 'Run not found');
      const found = await documents.get<ScoringBackfillsOfRun>(scoringBackfillList.collection, id);
      const facts = found?.body[scorer];
      if (facts === undefined) throw new Fault('not-found', 'Job not found');
      return { body: backfillAnswer(facts, await messagesOf(records, facts)) };
    },
  ),
];

/**
 * Messages of the first records of each kind of failure, by record, while they exist: messages may
 * contain a record's content, so they are stored with the record alone.
 */
const messagesOf = async (
  records: Pick<RecordQueries, 'search'>,
  { failures, project_id: project, run_id: run, scorer_name: metric }: BackfillFacts,
): Promise<ReadonlyMap<string, string>> => {
  const messages = new Map<string, string>();
  for (const population of ['trace', 'span'] as const) {
    const values = failures.flatMap(({ record_id: record, trace_id: trace }) =>
      (record === trace) === (population === 'trace') ? [record] : [],
    );
    if (values.length === 0) continue;
    const { rows } = await records.search({
      project,
      run,
      from: null,
      to: null,
      filter: { kind: 'id', column: 'id', operator: 'one_of', values, caseSensitive: false },
      population,
      kinds: null,
      templates: [],
      sort: null,
      offset: 0,
      limit: values.length,
      contents: [],
    });
    for (const { values: members, errors } of rows) {
      const message = errors[metric]?.message;
      if (typeof message === 'string') messages.set(String(members['id']), message);
    }
  }
  return messages;
};

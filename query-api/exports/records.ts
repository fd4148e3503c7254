import {
  exportMedia,
  exportSessions,
  exportSpans,
  exportTraces,
  type RecordExport,
} from '../../contract/exports.js';
import type { RequestAuthorizer } from '../../contract/request-ports.js';
import { readRoute, type Route } from '../../contract/operation.js';
import type { Principal } from '../../contract/roles.js';
import { selectedRun } from '../../contract/selectors.js';
import { Fault } from '../../kernel/fault.js';
import type { SearchPlan } from '../../kernel/records/query-plans.js';
import type { Population } from '../../kernel/records/record.js';
import type { RecordQueries } from '../../kernel/records/record-queries.js';
import type { ProjectId } from '../../kernel/schema-types.js';
import { recordsCollection } from '../../projections/records/collection.js';
import type { RecordAnswers, StretchOptions } from '../records/answers.js';
import { csvColumns, csvHeader, type CsvColumns } from '../records/csv-lines.js';
import { searchComplaints, completePlan } from '../records/complete-plan.js';
import {
  templateCollection,
  runCollections,
  selectRun,
  type RunInProject,
  type TemplatesOf,
} from '../run-selection.js';
import { primeGenerator } from './prime-generator.js';

type RecordExportNeeds = {
  readonly records: Pick<RecordQueries, 'columns' | 'metricTypes'>;
  readonly answers: Pick<RecordAnswers, 'stretch'>;
  readonly runInProject: RunInProject;
  readonly templatesOf: TemplatesOf;
  readonly authorizer: Pick<RequestAuthorizer, 'visibleProject'>;
  /** Resolves once the read models behind `runInProject` have reached the head of the log. */
  readonly runsKnown: () => Promise<void>;
};

/** Exports of search results as files (contract 5.7). */
export const recordExports = (needs: RecordExportNeeds): readonly Route[] => [
  exporting(needs, exportSessions, 'session'),
  exporting(needs, exportTraces, 'trace'),
  exporting(needs, exportSpans, 'span'),
];

const reads = [recordsCollection, ...runCollections, templateCollection];

/**
 * Size of one part of a file: large enough to make query overhead small, and small against a page
 * of 8 MiB.
 */
const stretchRows = 2_000;
const stretchBytes = 2 * 1_048_576;
/** Memory reserved per export: a part exists some four times until its lines are sent. */
const roomBytes = 4 * stretchBytes;

const exporting = (
  needs: RecordExportNeeds,
  operation: typeof exportSessions,
  population: Population,
): Route =>
  readRoute(
    operation,
    reads,
    async ({ body, params: { project_id: project }, principal, memory, signal }) => {
      await memory.reserve(roomBytes);
      const { plan, notes, templates } = await completePlan(needs, project, body, population);
      const shown = {
        withCounts: body.include_counts === true,
        truncated: body.truncate_fields === true,
        fields: null,
        templates,
        csv: body.format === 'csv' ? await columnsOf(needs, plan, body, signal) : null,
      };
      const file = fileOf(needs, plan, {
        shown,
        signal,
        requireVisible: () => requireVisible(needs, principal, project),
        requireRun: async () => {
          if (selectedRun(body) === null) return;
          await needs.runsKnown();
          await selectRun(needs.runInProject, project, body);
        },
      });
      return {
        lines: await primeGenerator(file),
        media: exportMedia[body.format ?? 'jsonl'],
        notes,
      };
    },
    searchComplaints(population),
  );

const columnsOf = async (
  { records }: RecordExportNeeds,
  plan: SearchPlan,
  { formulas }: RecordExport,
  signal: AbortSignal,
): Promise<CsvColumns> =>
  csvColumns(plan.population, await records.columns(plan, { signal }), formulas !== 'keep');

type RecordFileOptions = {
  readonly shown: StretchOptions;
  readonly signal: AbortSignal;
  /** Each throws once its resource is gone, since a partial file would look complete. */
  readonly requireVisible: () => Promise<void>;
  readonly requireRun: () => Promise<void>;
};

async function* fileOf(
  { answers }: RecordExportNeeds,
  plan: SearchPlan,
  { shown, signal, requireVisible, requireRun }: RecordFileOptions,
): AsyncGenerator<string | Uint8Array> {
  for (let after: string | null = null; ;) {
    const stretch = { ...plan, after, limit: stretchRows, bytesMax: stretchBytes };
    const { lines, next } = await answers.stretch(stretch, shown, { signal });
    await requireVisible();
    if (next === null) await requireRun();
    if (after === null && shown.csv !== null) yield csvHeader(shown.csv);
    yield* lines;
    if (next === null) return;
    after = next;
  }
}

const requireVisible = async (
  { authorizer }: RecordExportNeeds,
  principal: Principal,
  project: ProjectId,
): Promise<void> => {
  if ((await authorizer.visibleProject(principal, project)) === null) {
    throw new Fault('not-found', 'Project not found');
  }
};

import { validationName } from '../../contract/jobs.js';
import type { ContentChanged, StoredMapping } from '../../events/datasets.js';
import type { RecordContent, TraceLogged } from '../../events/traces.js';
import {
  readCell,
  type ContentCell,
  type ContentRow,
  type Scalar,
} from '../../kernel/dataset-content.js';
import { rowByRole } from '../../kernel/dataset-roles.js';
import type { StepScore, ScorerStep } from '../../kernel/sandbox.js';
import type { Instant, JsonObject, ProjectId, RunId, TraceId } from '../../kernel/schema-types.js';

/** A dataset row by role (contract 4.7, rule 4); texts as columns show them. */
export type ScoredRow = {
  /** Index in the whole version, from 0. */
  readonly index: number;
  readonly id: string;
  readonly input: string | null;
  /** The generated output, else the reference. */
  readonly output: string | null;
  readonly reference: string | null;
  readonly metadata: Readonly<Record<string, Scalar>>;
  readonly cells: Readonly<Record<string, ContentCell>>;
};

export const scoredRow = (
  row: ContentRow,
  index: number,
  { columns }: Pick<ContentChanged, 'columns'>,
  mapping: StoredMapping | null,
): ScoredRow => {
  const cells = Object.fromEntries(columns.map((one) => [one.name, readCell(row, one)]));
  const { input, reference, generated, metadata } = rowByRole(mapping, cells);
  return { index, id: row.id, input, output: generated || reference, reference, metadata, cells };
};

/** Arguments of `scorer_fn` for the row (contract 4.11, rule 6). */
export const stepOfRow = (row: ScoredRow, requiredScores: JsonObject): ScorerStep => ({
  index: row.index,
  id: row.id,
  node_type: null,
  name: '',
  input: row.input ?? '',
  output: row.output ?? '',
  tags: [],
  user_metadata: {},
  metrics: {},
  dataset_input: row.input,
  dataset_output: row.reference,
  dataset_metadata: row.metadata,
  dataset_variables: { ...row.cells, target: row.reference },
  required_scores: requiredScores,
  tools: null,
  more: {},
  spans: null,
});

export const sampleStep = ({
  input,
  output,
}: {
  readonly input: string;
  readonly output: string;
}): ScorerStep => ({
  ...stepOfRow(
    { index: 0, id: 'sample', input, output, reference: null, metadata: {}, cells: {} },
    {},
  ),
  dataset_input: null,
});

type Place = { readonly project: ProjectId; readonly run: RunId; readonly trace: TraceId };

/** The trace of a scored row in the run. */
export const traceOfRow = (
  { project, run, trace: id }: Place,
  row: ScoredRow,
  score: StepScore['score'],
  at: Instant,
): TraceLogged => {
  const metadata = Object.entries(row.metadata).map(([key, value]) => [key, String(value)]);
  const trace: RecordContent = {
    type: 'trace',
    id,
    name: `row ${row.index}`,
    created_at: at,
    ...(row.input !== null && row.input !== '' && { input: row.input, dataset_input: row.input }),
    ...(row.output !== null && { output: row.output }),
    ...(row.reference !== null && { dataset_output: row.reference }),
    ...(metadata.length > 0 && { dataset_metadata: Object.fromEntries(metadata) }),
    ...(score !== null && { metrics: { [validationName]: score } }),
  };
  return {
    project_id: project,
    run_id: run,
    run_kind: 'metrics_testing',
    trace_id: id,
    session_id: null,
    is_complete: true,
    logging_method: 'api_direct',
    trace,
    spans: [],
  };
};

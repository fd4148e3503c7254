import { invalidResult, type TaskProgress } from '../../contract/scorer-validation.js';
import type { ScorerTaskEvent, ScorerTaskRequest } from '../../events/scorer-tasks.js';
import type { TraceEvent } from '../../events/traces.js';
import type { Clock, EventLog, Ids } from '../../kernel/ports.js';
import type { OverlapComputer } from '../../kernel/records/overlap-metrics.js';
import {
  sandboxLimits,
  scorerArguments,
  type Sandbox,
  type StepScore,
  type ScorerVerdict,
} from '../../kernel/sandbox.js';
import type { JsonObject, TraceId } from '../../kernel/schema-types.js';
import {
  appendEvents,
  transact,
  type StreamAddition,
  type Authorship,
} from '../../kernel/transact.js';
import { liveDataset } from '../facts/datasets.js';
import { rowsOfVersion } from './dataset-rows.js';
import { scorerFileStreamOf, scorerFiles } from '../facts/scorer-files.js';
import { traceStream } from '../facts/traces.js';
import { requiredScores } from './required-scores.js';
import { sampleStep, scoredRow, stepOfRow, traceOfRow, type ScoredRow } from './scored-rows.js';
import { recordValidFile } from './task-decisions.js';

type ValidationNeeds = {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'derive'>;
  readonly sandbox: Sandbox;
  readonly overlaps: OverlapComputer;
};
type ValidationOutcome = Extract<
  ScorerTaskEvent,
  { readonly type: 'ScorerValidationCompleted' | 'ScorerValidationFailed' }
>;
type ValidationRun = {
  readonly request: ScorerTaskRequest;
  readonly authorship: Authorship;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: TaskProgress) => void;
};

/**
 * Runs one validation to its outcome, which is not appended yet. Null: it could not run this time
 * and may be retried. Its writes on the way, the traces of the run and the file's validity, are the
 * same for every attempt (idempotent).
 */
export const runValidation = async (
  needs: ValidationNeeds,
  validation: ValidationRun,
): Promise<ValidationOutcome | null> => {
  const { request } = validation;
  const { task_id, dataset } = request;
  const failed = (message: string): ValidationOutcome => ({
    type: 'ScorerValidationFailed',
    data: { task_id, message, failed_at: needs.clock.now() },
  });
  const rows = dataset === null ? [] : await loadRows(needs, request, dataset);
  if (rows === null) return failed('dataset_gone: the dataset was deleted');
  if (typeof rows === 'string') return judgeRows(needs, request, invalidResult(rows));
  const required = await requiredScores(needs, validation, rows);
  if (typeof required === 'string') return judgeRows(needs, request, invalidResult(required));
  const steps =
    request.sample === null
      ? rows.map((row, place) => stepOfRow(row, required[place] ?? {}))
      : [sampleStep(request.sample)];
  const verdict = await needs.sandbox.run(
    {
      source: request.source,
      scoreType: request.score_type,
      nodeTypes: request.scoreable_node_types,
      steps,
      keepGoing: false,
    },
    {
      signal: validation.signal,
      tenant: request.created_by,
      onStep: (step) =>
        validation.onProgress({ steps: step, percent: percentOf(step, steps.length) }),
    },
  );
  if (validation.signal.aborted) return null;
  if (verdict.verdict === 'unavailable') {
    return needs.sandbox.state().mode === 'off' ? failed(verdict.message) : null;
  }
  if (verdict.verdict === 'valid') {
    await recordFileValid(needs, validation, verdict);
    await logTraces(needs, validation, rows, verdict.scores);
  }
  return judgeRows(needs, request, resultOf(request, verdict, rows));
};

/** Size of the result, which is one event: within EventStoreDB's limit. */
const resultBytesMax = 900_000;

const judgeRows = (
  { sandbox, clock }: ValidationNeeds,
  { task_id }: ScorerTaskRequest,
  result: JsonObject,
): ValidationOutcome => {
  const { mode } = sandbox.state();
  const isTooLarge = new TextEncoder().encode(JSON.stringify(result)).length > resultBytesMax;
  return {
    type: 'ScorerValidationCompleted',
    data: {
      task_id,
      sandbox: mode === 'starting' ? 'off' : mode,
      result: isTooLarge ? invalidResult('the results are larger than 900 KB') : result,
      completed_at: clock.now(),
    },
  };
};

const percentOf = (done: number, all: number): number =>
  Math.min(99, Math.floor((100 * done) / Math.max(1, all)));

const tooLarge = `The rows are larger than ${
  sandboxLimits.inputBytes / 1_024 / 1_024
} MiB; validate fewer at once`;

/** Loads the rows. Null: the dataset is gone. A text: they exceed the limit of a process. */
const loadRows = async (
  { log }: ValidationNeeds,
  { organization_id: organization }: ScorerTaskRequest,
  selection: NonNullable<ScorerTaskRequest['dataset']>,
): Promise<readonly ScoredRow[] | string | null> => {
  const dataset = await liveDataset(log, organization, selection.dataset_id);
  const version = dataset?.versions[selection.version_index - 1];
  if (dataset === null || version === undefined) return null;
  const { starting_token: from, limit } = selection;
  const found: ScoredRow[] = [];
  let text = 0;
  for await (const rows of rowsOfVersion(log, version, from, limit)) {
    if (rows === null) return null;
    for (const row of rows) {
      const scored = scoredRow(row, from + found.length, version, dataset.mapping);
      text += JSON.stringify(scored.cells).length;
      if (text > sandboxLimits.inputBytes) return tooLarge;
      found.push(scored);
    }
  }
  return found;
};

type Valid = Extract<ScorerVerdict, { readonly verdict: 'valid' }>;

/** Builds `result.result` of contract 4.13. */
const resultOf = (
  request: ScorerTaskRequest,
  verdict: Exclude<ScorerVerdict, { readonly verdict: 'unavailable' }>,
  rows: readonly ScoredRow[],
): JsonObject => {
  const { unknown_parameters: unknown = [] } = verdict;
  const parameters = unknown.length > 0 && {
    unknown_parameters: unknown,
    known_parameters: scorerArguments,
  };
  if (verdict.verdict === 'invalid') {
    const { message } = verdict;
    // A single sample has no row index.
    const shown = request.sample === null ? message : message.replace(/^row 0: /, '');
    return { ...invalidResult(shown), ...parameters };
  }
  return {
    result_type: 'valid',
    score_type: verdict.score_type,
    scoreable_node_types: verdict.scoreable_node_types,
    test_scores: verdict.scores.map(({ step, node_type, score }) => ({
      node_type,
      score,
      ...(rows[step] !== undefined && { row_index: rows[step].index }),
    })),
    include_llm_credentials: false,
    chain_aggregation: verdict.chain_aggregation,
    aggregates: verdict.aggregates,
    ...parameters,
  };
};

/**
 * Records the file as valid before the outcome, so that a client that sees the outcome may use the
 * file.
 */
const recordFileValid = async (
  { log, ids }: ValidationNeeds,
  { request, authorship }: ValidationRun,
  verdict: Valid,
): Promise<void> => {
  const { organization_id, sha256, task_id } = request;
  const stream = scorerFileStreamOf(ids, organization_id, sha256);
  const found = {
    organization_id,
    sha256,
    task_id,
    score_type: verdict.score_type,
    scoreable_node_types: [...verdict.scoreable_node_types],
    chain_aggregation: verdict.chain_aggregation,
  };
  await transact(log, stream, scorerFiles, recordValidFile(found), authorship);
};

/** Size of one append: within EventStoreDB's limit. */
const appendBytesMax = 600_000;

/**
 * Logs one trace per row with its first score. Idempotent: ids are derived from the task and the
 * row, so another attempt adds none.
 */
const logTraces = async (
  { log, clock, ids }: ValidationNeeds,
  { request, authorship }: ValidationRun,
  rows: readonly ScoredRow[],
  scores: readonly StepScore[],
): Promise<void> => {
  const { project_id: project, run_id: run, task_id: task } = request;
  if (project === null || run === null) return;
  const at = clock.now();
  let batch: StreamAddition[] = [];
  let bytes = 0;
  for (const [place, row] of rows.entries()) {
    const score = scores.find(({ step }) => step === place)?.score ?? null;
    const trace: TraceId = ids.derive('TraceId', task, String(row.index));
    const data = traceOfRow({ project, run, trace }, row, score, at);
    const event: TraceEvent = { type: 'TraceLogged', data };
    batch.push({ stream: traceStream(project, trace), events: [event] });
    bytes += JSON.stringify(data).length * 2;
    if (bytes < appendBytesMax && place < rows.length - 1) continue;
    await appendEvents(log, batch, authorship);
    [batch, bytes] = [[], 0];
  }
};

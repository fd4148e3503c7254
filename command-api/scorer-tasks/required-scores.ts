import type { ScorerTaskRequest } from '../../events/scorer-tasks.js';
import type { Clock, EventLog, Ids } from '../../kernel/ports.js';
import {
  isOverlapName,
  type OverlapName,
  type OverlapComputer,
} from '../../kernel/records/overlap-metrics.js';
import type { Sandbox, StepScore } from '../../kernel/sandbox.js';
import type { JsonObject } from '../../kernel/schema-types.js';
import { scorerNames, type Scorer } from '../facts/scorers.js';
import { stepOfRow, type ScoredRow } from './scored-rows.js';

type Needs = {
  readonly log: EventLog;
  readonly clock: Pick<Clock, 'milliseconds'>;
  readonly ids: Pick<Ids, 'derive'>;
  readonly sandbox: Sandbox;
  readonly overlaps: OverlapComputer;
  /** Budget of all required scorers of a task together; `requiredMs` by default. */
  readonly requiredMs?: number;
};
type ScoreRequest = { readonly request: ScorerTaskRequest; readonly signal: AbortSignal };
type Values = readonly StepScore['score'][];

/** Fits a hundred quick ones, at half a second each, but not two that hang. */
const requiredMs = 60_000;

/**
 * Scores of the required scorers by row; a failed one gives no score. A text: the time limit was
 * exceeded, as a message for the author.
 */
export const requiredScores = async (
  needs: Needs,
  request: ScoreRequest,
  rows: readonly ScoredRow[],
): Promise<readonly JsonObject[] | string> => {
  if (rows.length === 0) return [];
  const most = needs.requiredMs ?? requiredMs;
  let left = most;
  const found = rows.map((): [string, StepScore['score']][] => []);
  for (const name of request.request.required_scorers) {
    if (request.signal.aborted) return [];
    const { values, tookMs } = await scoreValues(needs, request, { name, rows, left });
    left -= tookMs;
    if (left <= 0) return `required_scorers ran longer than ${most / 1_000} seconds together`;
    for (const [place, value] of values.entries()) {
      if (value !== null) found[place]?.push([name, value]);
    }
  }
  return found.map((values) => Object.fromEntries(values));
};

type ScorerOnRows = {
  readonly name: string;
  readonly rows: readonly ScoredRow[];
  readonly left: number;
};
/** `tookMs`: duration of the process without its time in the queue. */
type TimedValues = { readonly values: Values; readonly tookMs: number };

const scoreValues = async (
  needs: Needs,
  request: ScoreRequest,
  wanted: ScorerOnRows,
): Promise<TimedValues> => {
  const { name } = wanted;
  if (isOverlapName(name)) return overlapsOf(needs, request, wanted, name);
  const { log, ids } = needs;
  const scorer = await scorerNames.find(
    { log, ids },
    { scope: request.request.organization_id, name },
  );
  return scorer === null ? { values: [], tookMs: 0 } : scoresBy(needs, request, wanted, scorer);
};

/** Overlaps of the rows, as many as fit into the time left. */
const overlapsOf = async (
  { clock, overlaps }: Needs,
  { request, signal }: ScoreRequest,
  { rows, left }: ScorerOnRows,
  name: OverlapName,
): Promise<TimedValues> => {
  const begun = clock.milliseconds();
  const values: StepScore['score'][] = [];
  for (const { output, reference } of rows) {
    if (signal.aborted || clock.milliseconds() - begun > left) break;
    values.push(
      output === null || reference === null
        ? null
        : await overlaps.compute(name, output, reference, request.created_by),
    );
  }
  return { values, tookMs: clock.milliseconds() - begun };
};

const scoresBy = async (
  { clock, sandbox }: Needs,
  { request, signal }: ScoreRequest,
  { rows, left }: ScorerOnRows,
  { versions }: Scorer,
): Promise<TimedValues> => {
  const version = versions.at(-1);
  if (version === undefined) return { values: [], tookMs: 0 };
  let begun = clock.milliseconds();
  const verdict = await sandbox.run(
    {
      source: version.source,
      scoreType: version.score_type,
      // One value per row: the score for the scorer's first node type.
      nodeTypes: version.scoreable_node_types.slice(0, 1),
      steps: rows.map((row) => stepOfRow(row, {})),
      keepGoing: true,
    },
    {
      signal,
      tenant: request.created_by,
      wallMs: left,
      onBegin: () => {
        begun = clock.milliseconds();
      },
    },
  );
  const values = verdict.verdict === 'valid' ? verdict.scores.map(({ score }) => score) : [];
  return { values, tookMs: clock.milliseconds() - begun };
};

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
  /** What the required scorers of one task may take together; `requiredMs` by default. */
  readonly requiredMs?: number;
};
type ScoreRequest = { readonly request: ScorerTaskRequest; readonly signal: AbortSignal };
type Values = readonly StepScore['score'][];

/** A hundred quick ones fit, at half a second each; two that hang do not. */
const requiredMs = 60_000;

/**
 * By row: what each required scorer says of it; one that fails says nothing. A text: they took too
 * long together, and this is what the author is told.
 */
export const requiredScores = async (
  needs: Needs,
  asked: ScoreRequest,
  rows: readonly ScoredRow[],
): Promise<readonly JsonObject[] | string> => {
  if (rows.length === 0) return [];
  const most = needs.requiredMs ?? requiredMs;
  let left = most;
  const found = rows.map((): [string, StepScore['score']][] => []);
  for (const name of asked.request.required_scorers) {
    if (asked.signal.aborted) return [];
    const { values, tookMs } = await scoreValues(needs, asked, { name, rows, left });
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
/** `tookMs`: of the process alone, without its time in the line. */
type TimedValues = { readonly values: Values; readonly tookMs: number };

const scoreValues = async (
  needs: Needs,
  asked: ScoreRequest,
  wanted: ScorerOnRows,
): Promise<TimedValues> => {
  const { name } = wanted;
  if (isOverlapName(name)) return overlapsOf(needs, asked, wanted, name);
  const { log, ids } = needs;
  const scorer = await scorerNames.find(
    { log, ids },
    { scope: asked.request.organization_id, name },
  );
  return scorer === null ? { values: [], tookMs: 0 } : scoresBy(needs, asked, wanted, scorer);
};

/** For as long as is left. */
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
      // One value a row: what the scorer says of the first node type that it knows.
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

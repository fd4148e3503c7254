import type { ScorerTaskRequest } from '../../events/scorer-tasks.js';
import { bleu } from '../../kernel/bleu.js';
import type { Clock, EventLog, Ids } from '../../kernel/ports.js';
import { rouge } from '../../kernel/rouge.js';
import type { Sandbox, Score } from '../../kernel/sandbox.js';
import type { JsonObject } from '../../kernel/shapes.js';
import { scorerNamed, type Scorer } from '../access/scorers.js';
import { stepOfRow, type ScoredRow } from './rows.js';

type Needs = {
  readonly log: EventLog;
  readonly clock: Pick<Clock, 'milliseconds' | 'wait'>;
  readonly ids: Pick<Ids, 'derive'>;
  readonly sandbox: Sandbox;
  /** What the required scorers of one task may take together; `requiredMs` by default. */
  readonly requiredMs?: number;
};
type Asked = { readonly request: ScorerTaskRequest; readonly signal: AbortSignal };
type Values = readonly Score['score'][];

/** A hundred quick ones fit, at half a second each; two that hang do not. */
const requiredMs = 60_000;

/**
 * By row: what each required scorer says of it; one that fails says nothing. A text: they took too
 * long together, and this is what the author is told.
 */
export const requiredScores = async (
  needs: Needs,
  asked: Asked,
  rows: readonly ScoredRow[],
): Promise<readonly JsonObject[] | string> => {
  if (rows.length === 0) return [];
  const most = needs.requiredMs ?? requiredMs;
  let left = most;
  const found = rows.map((): [string, Score['score']][] => []);
  for (const name of asked.request.required_scorers) {
    if (asked.signal.aborted) return [];
    const { values, tookMs } = await valuesOf(needs, asked, { name, rows, left });
    left -= tookMs;
    if (left <= 0) return `required_scorers ran longer than ${most / 1_000} seconds together`;
    for (const [place, value] of values.entries()) {
      if (value !== null) found[place]?.push([name, value]);
    }
  }
  return found.map((values) => Object.fromEntries(values));
};

type Wanted = {
  readonly name: string;
  readonly rows: readonly ScoredRow[];
  readonly left: number;
};
/** `tookMs`: of the process alone, without its time in the line. */
type Found = { readonly values: Values; readonly tookMs: number };

const valuesOf = async (needs: Needs, asked: Asked, wanted: Wanted): Promise<Found> => {
  const { name, rows } = wanted;
  const overlap = { bleu, rouge }[name];
  if (overlap !== undefined) return overlapsOf(needs, rows, overlap);
  const { log, ids } = needs;
  const scorer = await scorerNamed({ log, ids }, asked.request.organization_id, name);
  return scorer === null ? { values: [], tookMs: 0 } : scoresBy(needs, asked, wanted, scorer);
};

/** Others have their turn between rows: long texts take their time. */
const overlapsOf = async (
  { clock }: Needs,
  rows: readonly ScoredRow[],
  overlap: typeof bleu,
): Promise<Found> => {
  const begun = clock.milliseconds();
  const values: Score['score'][] = [];
  const never = new AbortController().signal;
  for (const { output, reference } of rows) {
    values.push(output === null || reference === null ? null : overlap(output, reference));
    if (values.length % rowsATurn === 0) await clock.wait(0, never);
  }
  return { values, tookMs: clock.milliseconds() - begun };
};
/** Rows of some kilobytes take a millisecond each. */
const rowsATurn = 8;

const scoresBy = async (
  { clock, sandbox }: Needs,
  { request, signal }: Asked,
  { rows, left }: Wanted,
  { versions }: Scorer,
): Promise<Found> => {
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
      whose: request.created_by,
      wallMs: left,
      onBegin: () => {
        begun = clock.milliseconds();
      },
    },
  );
  const values = verdict.verdict === 'valid' ? verdict.scores.map(({ score }) => score) : [];
  return { values, tookMs: clock.milliseconds() - begun };
};

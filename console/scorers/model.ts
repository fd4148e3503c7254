import type { Scorer, ScorerTask } from '../../clients/typescript/src/generated/scorers-types-2.js';
import type { ScorerVersion } from '../../clients/typescript/src/generated/scorers-types.js';
import { shownPermit, type Permit } from '../parts/permits.js';

/** Text of a scorer that has no version yet. */
export const firstText = `def scorer_fn(*, node_output, **kwargs) -> int:
    return len(str(node_output))
`;

/** Version, type of the scores and aggregation: `v3 · int · sum`. */
const versionText = (version: ScorerVersion | null): string => {
  if (version === null) return 'no version yet';
  const { version: number, score_type, chain_aggregation } = version;
  return [`v${number}`, score_type, chain_aggregation].filter((part) => part !== null).join(' · ');
};

/** Summary of a scorer in a list. */
export const scorerText = (scorer: Scorer): string =>
  scorer.scorer_type === 'preset' ? 'preset' : versionText(scorer.latest_version);

/** Whether the caller may change a scorer, or delete it. */
export const scorerPermit = ({ permissions }: Scorer): Permit<'scorer-owner'> =>
  shownPermit('scorer-owner', permissions, 'update');

/** Place in a scorer file, and the row of the dataset that led there. */
type FaultPlace = {
  /** Number of the row in its version, from 0; null: no row. */
  readonly row: number | null;
  /** Line of the file, from 1; null: unknown. */
  readonly line: number | null;
  /** The exception without row and traceback. */
  readonly headline: string;
  /** The frames of the file, deepest last; empty without. */
  readonly traceback: string;
};

const tracebackBegin = '\nTraceback (most recent call last):\n';

/** Reads the message of an invalid result (contract 4.13): `row 3: ValueError: …`. */
export const faultPlace = (message: string): FaultPlace => {
  const row = /^row (\d+): /.exec(message);
  const text = message.slice(row?.[0].length ?? 0);
  const at = text.lastIndexOf(tracebackBegin);
  const headline = at < 0 ? text : text.slice(0, at);
  const traceback = at < 0 ? '' : text.slice(at + tracebackBegin.length);
  const frames = [...traceback.matchAll(/^ *File "scorer\.py", line (\d+)/gm)];
  const syntax = /^\w+: .* \(line (\d+)\)$/.exec(headline);
  const line = frames.at(-1)?.[1] ?? syntax?.[1];
  return {
    row: row?.[1] === undefined ? null : Number(row[1]),
    line: line === undefined ? null : Number(line),
    headline,
    traceback,
  };
};

/** The number of a row as people count, from 1; the service counts from 0. */
export const rowNumber = (row: number): string => (row + 1).toLocaleString('en');

/** The place in words, for a list and a mark: `Row 4, line 2`. */
export const placeText = ({ row, line }: FaultPlace): string => {
  const parts = [
    ...(row === null ? [] : [`row ${rowNumber(row)}`]),
    ...(line === null ? [] : [`line ${line}`]),
  ].join(', ');
  return parts === '' ? '' : parts[0]?.toUpperCase() + parts.slice(1);
};

export type Score = number | boolean | string | null;

export type TestScore = {
  readonly node_type: string;
  readonly score: Score;
  /** Number of the row in its version, from 0; absent for one sample. */
  readonly row_index?: number;
};

type Parameters = {
  /** Parameters of `scorer_fn` that nothing is passed for; empty: none. */
  readonly unknown: readonly string[];
  readonly known: readonly string[];
};

/** State of a validation (contract 4.13). */
export type Validation =
  | { readonly state: 'pending'; readonly percent: number }
  | { readonly state: 'failed'; readonly message: string }
  | (Parameters & { readonly state: 'invalid'; readonly message: string })
  | (Parameters & {
      readonly state: 'valid';
      readonly scoreType: string;
      readonly nodeTypes: readonly string[];
      readonly chainAggregation: string | null;
      readonly scores: readonly TestScore[];
      readonly aggregates: Readonly<Record<string, number>>;
    });

type TaskResult = {
  readonly result_type: 'valid' | 'invalid';
  readonly error_message?: string;
  readonly score_type?: string;
  readonly scoreable_node_types?: readonly string[];
  readonly chain_aggregation?: string | null;
  readonly test_scores?: readonly TestScore[];
  readonly aggregates?: Readonly<Record<string, number>>;
  readonly unknown_parameters?: readonly string[];
  readonly known_parameters?: readonly string[];
};

export const validationOf = (task: ScorerTask): Validation => {
  const result = task.result?.result as TaskResult | undefined;
  if (task.status === 'pending' || result === undefined) {
    return { state: 'pending', percent: task.progress_percent };
  }
  const message = result.error_message ?? '';
  if (task.status === 'failed') return { state: 'failed', message };
  const parameters = {
    unknown: result.unknown_parameters ?? [],
    known: result.known_parameters ?? [],
  };
  if (result.result_type === 'invalid') return { state: 'invalid', message, ...parameters };
  return {
    state: 'valid',
    scoreType: result.score_type ?? '',
    nodeTypes: result.scoreable_node_types ?? [],
    chainAggregation: result.chain_aggregation ?? null,
    scores: result.test_scores ?? [],
    aggregates: result.aggregates ?? {},
    ...parameters,
  };
};

/** Advice about a task that the service could not run (contract 4.13, rule 2). */
export const failureAdvice = (message: string): string => {
  if (message.startsWith('sandbox_unavailable')) {
    return (
      'Operators: read the cause in sandbox of /readyz, and fix that ' +
      '(docs/runbook/sandbox-unavailable.md).'
    );
  }
  if (message.startsWith('dataset_gone')) return 'The dataset was deleted. Choose another one.';
  return 'Validate again. If it ends so again, the log of the service has the cause.';
};

/** Why a text cannot be saved as a new version; null: it can. */
export const saveObstacle = (state: {
  readonly text: string;
  /** Text of the newest version; null: no version yet. */
  readonly saved: string | null;
  /** The validation that is shown, and the text that this tab sent for it; null: none. */
  readonly validation: Validation | null;
  readonly validatedText: string | null;
}): string | null => {
  if (state.text === state.saved) return 'Nothing changed since the newest version';
  if (state.validation?.state === 'pending' && state.validatedText === state.text) {
    return 'Its validation is under way';
  }
  const isValid = state.validation?.state === 'valid' && state.validatedText === state.text;
  return isValid ? null : 'Validate this text first';
};

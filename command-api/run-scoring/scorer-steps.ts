import type { RunScorer } from '../../contract/scorer-settings.js';
import type { RecordContent } from '../../events/traces.js';
import { isOverlapName, type OverlapName } from '../../kernel/records/overlap-metrics.js';
import type { ScorerFaultKind, NodeType, ScorerSpans, ScorerStep } from '../../kernel/sandbox.js';
import type { Json, JsonObject } from '../../kernel/schema-types.js';
import type { FailureReason } from '../../contract/scoring-counts.js';
import { textForm } from '../../kernel/records/text-form.js';
import type { Scorer } from '../facts/scorers.js';
import { additionalMembers } from './span-texts.js';
import {
  errorCodeOf,
  errorMessageOf,
  lastRelevantChange,
  type ScoredRecord,
  type ScoredTrace,
} from './scored-trace.js';

/** A scorer of a run with its active version. */
export type ActiveScorer = {
  readonly scorer: Scorer;
  readonly source: string;
  readonly nodeTypes: readonly NodeType[];
};

/** True if the scorer receives the spans of the target's trace (contract 4.11, rule 9). */
export const isPassedSpans = ({ source }: ActiveScorer, { nodeType }: ScoringTarget): boolean =>
  (nodeType === 'trace' || nodeType === 'chain') && source.includes('spans');

/**
 * The scorer with its newest version; null: without version, or a preset, which is computed
 * elsewhere.
 */
export const activeScorer = (
  scorer: Scorer | null,
  { scoreable_node_types: chosen }: Pick<RunScorer, 'scoreable_node_types'>,
): ActiveScorer | null => {
  const version = scorer?.versions.at(-1);
  if (scorer === null || version === undefined) return null;
  const { scoreable_node_types: own } = scorer.details;
  return {
    scorer,
    source: version.source,
    nodeTypes: chosen ?? own ?? version.scoreable_node_types,
  };
};

/** A record to score, at that revision of the trace. */
export type ScoringTarget = {
  readonly trace: ScoredTrace;
  readonly record: string;
  readonly nodeType: NodeType;
};

/**
 * Records of the trace to score: those changed since the scorer last scored them (contract 5.10),
 * or all. Empty until the trace is complete.
 */
export const targetsOf = (
  trace: ScoredTrace,
  active: ActiveScorer,
  which: 'changed' | 'all' = 'changed',
): readonly ScoringTarget[] => {
  if (trace.completedAt === null) return [];
  const metric = active.scorer.name;
  return [...trace.records].flatMap(([record, { content, scores }]) => {
    const nodeType = active.nodeTypes.find((one) => isOfKind(one, content.type));
    if (nodeType === undefined) return [];
    const scoredAt = scores.get(metric)?.at ?? -1;
    const isDone = which === 'changed' && scoredAt > lastRelevantChange(trace, record);
    return isDone ? [] : [{ trace, record, nodeType }];
  });
};

/**
 * True if a record kind matches the node type: `trace` and `chain` are the trace, `chat` an llm
 * span.
 */
const isOfKind = (nodeType: NodeType, kind: RecordContent['type']): boolean => {
  if (nodeType === 'chain') return kind === 'trace';
  return (nodeType === 'chat' ? 'llm' : nodeType) === kind;
};

export const stepOf = (
  { trace, record, nodeType }: ScoringTarget,
  { scorer }: ActiveScorer,
  found: JsonObject = {},
  spans: ScorerSpans | null = null,
): ScorerStep => {
  const known = trace.records.get(record);
  if (known === undefined) throw new RangeError(`trace ${trace.id} has no record ${record}`);
  const { content } = known;
  const { input, output, metrics = {} } = content;
  return {
    // No row index: equal records get equal scores, whatever else is in the process.
    index: 0,
    id: record,
    node_type: nodeType,
    name: content.name ?? '',
    input: input ?? '',
    output: output ?? '',
    tags: content.tags ?? [],
    user_metadata: content.user_metadata ?? {},
    metrics,
    dataset_input: content.dataset_input ?? null,
    dataset_output: content.dataset_output ?? null,
    dataset_metadata: content.dataset_metadata ?? {},
    dataset_variables: {
      ...(content.dataset_input !== undefined && { input: content.dataset_input }),
      target: content.dataset_output ?? null,
    },
    required_scores: requiredValues(scorer.details.required_scorers, known, found),
    tools: content.tools ?? null,
    more: additionalMembers(content),
    spans,
  };
};

type MissingOverlap = {
  readonly name: OverlapName;
  readonly output: string;
  readonly reference: string;
};

/** Overlaps that the scorer requires and the record lacks. */
export const missingOverlaps = (
  { trace, record }: ScoringTarget,
  { scorer }: ActiveScorer,
  found: JsonObject,
): readonly MissingOverlap[] => {
  const known = trace.records.get(record);
  const output = textForm(known?.content.output);
  const reference = known?.content.dataset_output ?? null;
  if (known === undefined || output === null || reference === null) return [];
  return scorer.details.required_scorers.flatMap((name) =>
    isOverlapName(name) && knownScore(name, known, found) === undefined
      ? [{ name, output, reference }]
      : [],
  );
};

type Scorable = Pick<ScoredRecord, 'content' | 'scored'>;

/**
 * Value of a required score: a client's value takes precedence over one just computed (contract
 * 5.10).
 */
const knownScore = (
  name: string,
  { content: { metrics = {} }, scored }: Scorable,
  found: JsonObject,
): Json | undefined => {
  const isClients = Object.hasOwn(metrics, name) && !scored.has(name);
  const known: JsonObject = !isClients && Object.hasOwn(found, name) ? found : metrics;
  return Object.hasOwn(known, name) ? (known[name] ?? undefined) : undefined;
};

/**
 * Values of required scores. `found`: scores of other scorers from this round, and overlaps; null:
 * no value.
 */
const requiredValues = (
  names: readonly string[],
  record: Scorable,
  found: JsonObject,
): JsonObject =>
  Object.fromEntries(
    names.flatMap((name): readonly (readonly [string, Json])[] => {
      const value = knownScore(name, record, found);
      return value === undefined ? [] : [[name, value]];
    }),
  );

export type ScorerWork = { readonly active: ActiveScorer; readonly targets: ScoringTarget[] };

/** Topological order: required scorers first; otherwise the order is kept, also within a cycle. */
export const topologicalOrder = (works: readonly ScorerWork[]): readonly ScorerWork[] => {
  const placed = new Set<ScorerWork>();
  const place = (work: ScorerWork): void => {
    if (placed.has(work) || under.has(work)) return;
    under.add(work);
    const { id, organizationId, details } = work.active.scorer;
    for (const other of works) {
      const { scorer } = other.active;
      const isRequired = details.required_scorers.includes(scorer.name) && scorer.id !== id;
      if (isRequired && scorer.organizationId === organizationId) place(other);
    }
    placed.add(work);
  };
  const under = new Set<ScorerWork>();
  for (const work of works) place(work);
  return [...placed];
};

/** Scores of this round, for scorers that require them. */
export const openFreshScores = () => {
  const found = new Map<string, Record<string, Json>>();
  const keyOf = ({ trace, record }: ScoringTarget): string =>
    `${trace.projectId} ${trace.id} ${record}`;
  return {
    of: (target: ScoringTarget): JsonObject => found.get(keyOf(target)) ?? {},
    note: (
      { scorer }: ActiveScorer,
      targets: readonly ScoringTarget[],
      made: readonly ScoreResult[],
    ): void =>
      targets.forEach((target, at) => {
        const one = made[at];
        const score = one === undefined || 'code' in one ? null : one.score;
        const known = found.get(keyOf(target)) ?? {};
        found.set(keyOf(target), { ...known, [scorer.name]: score });
      }),
  };
};

/** Error code of a missing sandbox (contract 3.9). */
export const sandboxMissingCode = 1_004;
const faultCodes: Readonly<Record<ScorerFaultKind, number>> = {
  syntax: 1_001,
  missing: 1_001,
  signature: 1_001,
  credentials: 1_001,
  exception: 1_001,
  aggregates: 1_001,
  crashed: 1_001,
  wrong_type: 1_002,
  time: 1_003,
  memory: 1_003,
  output: 1_003,
  input: 1_003,
};
export const faultCode = (kind: ScorerFaultKind): number => faultCodes[kind];

/** Result of scoring a record: a value, or the reason why it has none. */
export type ScoreResult =
  | { readonly score: number | boolean | string | null }
  | { readonly code: number; readonly message: string; readonly reason: FailureReason };

/** Members of `ScoresRecorded`: the newest score replaces the older one and its error. */
export const scoresOf = (
  { trace, record }: ScoringTarget,
  metric: string,
  made: ScoreResult,
): Readonly<Record<string, number | boolean | string | null>> => {
  if ('code' in made) {
    return {
      [metric]: null,
      [errorCodeOf(metric)]: made.code,
      [errorMessageOf(metric)]: made.message,
    };
  }
  const before = trace.records.get(record)?.scores.get(metric);
  const cleared = { [errorCodeOf(metric)]: null, [errorMessageOf(metric)]: null };
  return { [metric]: made.score, ...(before != null && before.code !== null && cleared) };
};

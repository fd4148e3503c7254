import { parseJsonText } from '../../kernel/json-text.js';
import {
  chainAggregations,
  scorerFaultKinds,
  nodeTypes,
  parameterNameMax,
  sandboxMessageMax,
  scoreTypes,
  unknownParametersMax,
  type ScorerFaultKind,
  type StepScore,
  type SandboxTask,
  type ScoreType,
  type StepError,
  type UnknownParameters,
  type ScorerVerdict,
} from '../../kernel/sandbox.js';

type Members = Readonly<Record<string, unknown>>;

/**
 * Parses the verdict in a line that untrusted code may have written. Null if invalid: other
 * members, numbers that are not finite, scores of another type than it declares, steps that are
 * unknown, repeated or out of order.
 */
export const readVerdict = (text: string, task: SandboxTask): ScorerVerdict | null => {
  const found = parseObject(text);
  if (found === null) return null;
  const unknown = readUnknownParameters(found['unknown_parameters']);
  if (unknown === null) return null;
  if (found['verdict'] === 'invalid') {
    const refused = readInvalid(found, task);
    return refused && { ...refused, ...unknown };
  }
  const { score_type, scoreable_node_types, chain_aggregation, scores, aggregates } = found;
  if (
    found['verdict'] !== 'valid' ||
    !isOneOf(scoreTypes, score_type) ||
    (task.scoreType !== null && task.scoreType !== score_type) ||
    !isListOf(nodeTypes, scoreable_node_types) ||
    !(chain_aggregation === null || isOneOf(chainAggregations, chain_aggregation)) ||
    !isNumbers(aggregates) ||
    !Array.isArray(scores)
  ) {
    return null;
  }
  const kinds = task.nodeTypes ?? scoreable_node_types;
  const wanted = task.steps.flatMap(({ node_type }, step) =>
    (node_type === null ? kinds : [node_type]).map((kind) => ({ step, node_type: kind })),
  );
  const read = wanted.map((place, at) => readScore(scores[at], place, score_type, task.keepGoing));
  if (scores.length !== wanted.length || !read.every((one) => one !== null)) return null;
  return {
    verdict: 'valid',
    score_type,
    scoreable_node_types: kinds,
    chain_aggregation,
    scores: read,
    aggregates,
    ...unknown,
  };
};

/** Unknown parameters; null if not a list of names. */
const readUnknownParameters = (found: unknown): UnknownParameters | null => {
  if (found === undefined) return {};
  const isList =
    Array.isArray(found) &&
    found.length > 0 &&
    found.length <= unknownParametersMax &&
    found.every((one) => typeof one === 'string' && one.length <= 2 * parameterNameMax);
  return isList ? { unknown_parameters: (found as readonly string[]).map(sanitizeMessage) } : null;
};

/** An `invalid` verdict with a displayable message. */
export const invalidVerdict = (
  kind: ScorerFaultKind,
  message: string,
  step: number | null,
): ScorerVerdict => ({
  verdict: 'invalid',
  kind,
  message: sanitizeMessage(message),
  step,
});

const readInvalid = ({ kind, message, step }: Members, task: SandboxTask): ScorerVerdict | null => {
  if (!isOneOf(scorerFaultKinds, kind) || typeof message !== 'string') return null;
  const isPlace = Number.isInteger(step) && task.steps[step as number] !== undefined;
  if (step !== null && !isPlace) return null;
  return invalidVerdict(kind, message, step as number | null);
};

const readScore = (
  found: unknown,
  place: Pick<StepScore, 'step' | 'node_type'>,
  type: ScoreType,
  mayFail: boolean,
): StepScore | null => {
  if (!Array.isArray(found)) return null;
  const [step, nodeType, score, error] = found as readonly unknown[];
  if (step !== place.step || nodeType !== place.node_type) return null;
  if (error !== null) {
    const read = mayFail ? readStepError(error) : null;
    return read && { ...place, score: null, error: read };
  }
  if (score === null || (type === 'bool' && typeof score === 'boolean')) {
    return { ...place, score, error: null };
  }
  if (type === 'str' && typeof score === 'string') {
    return { ...place, score: score.toWellFormed(), error: null };
  }
  if (typeof score !== 'number' || !Number.isFinite(score)) return null;
  if (type !== 'float' && !(type === 'int' && Number.isSafeInteger(score))) return null;
  return { ...place, score, error: null };
};

const readStepError = (found: unknown): StepError | null => {
  const { kind, message } = (found ?? {}) as Members;
  if (!isOneOf(scorerFaultKinds, kind) || typeof message !== 'string') return null;
  return { kind, message: sanitizeMessage(message) };
};

const parseObject = (text: string): Members | null => {
  try {
    const found: unknown = parseJsonText(text);
    return typeof found === 'object' && found !== null ? (found as Members) : null;
  } catch {
    return null;
  }
};

const isOneOf = <T extends string>(known: readonly T[], value: unknown): value is T =>
  known.some((one) => one === value);

const isListOf = <T extends string>(known: readonly T[], value: unknown): value is readonly T[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  new Set(value).size === value.length &&
  value.every((one) => isOneOf(known, one));

/** More than any reader needs. */
const aggregatesMax = 1_000;

const isNumbers = (value: unknown): value is Readonly<Record<string, number>> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.keys(value).length <= aggregatesMax &&
  Object.values(value).every(Number.isFinite);

/**
 * Truncates to contract 4.13, in whole code points, without halves of a pair or control characters.
 */
const sanitizeMessage = (message: string): string =>
  Array.from(
    message
      .slice(0, 2 * sandboxMessageMax)
      .toWellFormed()
      .replaceAll(/[^\P{Cc}\n\t]/gu, '�'),
  )
    .slice(0, sandboxMessageMax)
    .join('');

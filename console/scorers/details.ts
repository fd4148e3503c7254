import type {
  ChangeScorer,
  ThresholdInput,
} from '../../clients/typescript/src/generated/scorers-types.js';
import type { Scorer } from '../../clients/typescript/src/generated/scorers-types-2.js';
import type { NodeType } from '../../kernel/sandbox.js';

/** Details of a scorer as a form has them; lists are texts with commas. */
export type ScorerDetails = {
  readonly label: string;
  readonly description: string;
  readonly tags: string;
  readonly nodeTypes: readonly NodeType[];
  readonly rollUp: NonNullable<Scorer['roll_up_method']> | 'none';
  readonly requiredScorers: string;
  readonly limits: string;
  readonly levels: string;
  readonly isInverted: boolean;
};

export const detailsOf = (scorer: Scorer): ScorerDetails => ({
  label: scorer.label,
  description: scorer.description,
  tags: scorer.tags.join(', '),
  nodeTypes: scorer.scoreable_node_types,
  rollUp: scorer.roll_up_method ?? 'none',
  requiredScorers: scorer.required_scorers.join(', '),
  limits: scorer.threshold?.buckets.join(', ') ?? '',
  levels: scorer.threshold?.display_value_levels.join(', ') ?? '',
  isInverted: scorer.threshold?.inverted ?? false,
});

const listOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/**
 * The members that differ from the scorer; null where the levels do not fit their limits. A member
 * that cannot be taken away again, such as the threshold, stays where its field is empty.
 */
export const detailsChange = (scorer: Scorer, details: ScorerDetails): ChangeScorer | null => {
  const before = detailsOf(scorer);
  const differs = (...members: readonly (keyof ScorerDetails)[]): boolean =>
    members.some((member) => String(details[member]) !== String(before[member]));
  const threshold = differs('limits', 'levels', 'isInverted') ? thresholdOf(details) : undefined;
  if (threshold === null) return null;
  return {
    ...(differs('label') && { label: details.label }),
    ...(differs('description') && { description: details.description }),
    ...(differs('tags') && { tags: listOf(details.tags) }),
    ...(differs('nodeTypes') && { scoreable_node_types: details.nodeTypes }),
    ...(differs('rollUp') && details.rollUp !== 'none' && { roll_up_method: details.rollUp }),
    ...(differs('requiredScorers') && { required_scorers: listOf(details.requiredScorers) }),
    ...(threshold !== undefined && { threshold }),
  };
};

/** The threshold of the form; undefined without one, null where it does not fit. */
const thresholdOf = ({ limits, levels, isInverted }: ScorerDetails) => {
  const buckets = listOf(limits).map(Number);
  const names = listOf(levels);
  if (buckets.length === 0 && names.length === 0) return undefined;
  const ascends = buckets.every(
    (limit, index) => Number.isFinite(limit) && limit > (buckets[index - 1] ?? -Infinity),
  );
  if (!ascends || names.length !== buckets.length + 1) return null;
  const threshold: ThresholdInput = {
    buckets,
    display_value_levels: names,
    inverted: isInverted,
  };
  return threshold;
};

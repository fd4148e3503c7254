import { filterDepthMax, filterLevelNodesMax, filterNodesMax } from '../../kernel/filter.js';

/**
 * A `filter_tree` (contract 3.7) in one spelling: `and_`, `or`, `not`, `name`; `operator` always
 * stands, options at their default never do; lists where the operator takes several values, but a
 * `contains` of one text is that text; instants and uuids of users are canonical. `and_` and `or`
 * have at least two nodes.
 */
export type FilterTree =
  | { readonly filter: FilterTreeLeaf }
  | { readonly and_: readonly FilterTree[] }
  | { readonly or: readonly FilterTree[] }
  | { readonly not: FilterTree }
  | { readonly any_span: FilterTree }
  | { readonly all_spans: FilterTree }
  | { readonly no_span: FilterTree }
  | { readonly any_trace: FilterTree }
  | { readonly all_traces: FilterTree }
  | { readonly no_trace: FilterTree };

export type FilterTreeLeaf =
  | {
      readonly type: 'text';
      readonly name: string;
      readonly operator: 'eq' | 'ne' | 'starts_with' | 'ends_with' | ListOperator;
      readonly value: string | readonly string[];
      readonly case_sensitive?: false;
    }
  | {
      readonly type: 'text';
      readonly name: string;
      readonly operator: 'is_null';
      readonly value?: false;
    }
  | {
      readonly type: 'id';
      readonly name: string;
      readonly operator: 'eq' | 'ne' | ListOperator;
      readonly value: string | readonly string[];
    }
  | {
      readonly type: 'date';
      readonly name: string;
      readonly operator: OrderOperator;
      readonly value: string;
    }
  | {
      readonly type: 'number';
      readonly name: string;
      readonly operator: OrderOperator;
      readonly value: number;
    }
  | {
      readonly type: 'number';
      readonly name: string;
      readonly operator: 'between';
      readonly value: readonly [low: number, high: number];
    }
  | {
      readonly type: 'boolean';
      readonly name: string;
      readonly operator: 'eq' | 'ne';
      readonly value: boolean;
    }
  | {
      readonly type: 'collection';
      readonly name: string;
      readonly operator: 'eq' | ListOperator;
      readonly value: readonly string[];
      readonly case_sensitive?: false;
    }
  /** The record has an evaluation error of the metric. */
  | { readonly type: 'error'; readonly name: string; readonly operator: 'any' }
  | {
      readonly type: 'error';
      readonly name: string;
      readonly operator: 'one_of';
      readonly value: readonly number[];
    }
  /** Without `user_ids`: a rating by any user is enough. */
  | { readonly type: 'fully_annotated'; readonly user_ids?: readonly string[] };

type ListOperator = 'contains' | 'one_of' | 'not_in';
export type OrderOperator = 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte';

/** Members about the level below, as the filter language writes them. */
export const levelMembers = {
  any_span: ['any', 'span'],
  all_spans: ['every', 'span'],
  no_span: ['no', 'span'],
  any_trace: ['any', 'trace'],
  all_traces: ['every', 'trace'],
  no_trace: ['no', 'trace'],
} as const;
export type LevelMember = keyof typeof levelMembers;

/** Member and node of a node about the level below; null for any other node. */
export const levelOf = (tree: FilterTree): readonly [LevelMember, FilterTree] | null => {
  const [[member, node]] = Object.entries(tree) as [[string, FilterTree]];
  return Object.hasOwn(levelMembers, member) ? [member as LevelMember, node] : null;
};

/** Nodes directly below this one. */
const childNodes = (tree: FilterTree): readonly FilterTree[] => {
  if ('filter' in tree) return [];
  return Object.values<FilterTree | readonly FilterTree[]>(tree).flat();
};

/**
 * Sentence about the limit that the tree exceeds; null when it keeps them all (contract 3.7, rule
 * 6; 1.11).
 */
export const treeLimitMessage = (tree: FilterTree): string | null => {
  let [depth, nodes, levels] = [0, 0, 0];
  const open: (readonly [FilterTree, number])[] = [[tree, 1]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [node, level] = next;
    depth = Math.max(depth, level);
    nodes += 1;
    if (levelOf(node) !== null) levels += 1;
    for (const child of childNodes(node)) open.push([child, level + 1]);
  }
  if (depth > filterDepthMax) {
    return `A filter is at most ${filterDepthMax} levels deep, not ${depth}.`;
  }
  if (nodes > filterNodesMax) {
    return `A filter has at most ${filterNodesMax} nodes, not ${nodes}; a bare word counts 4.`;
  }
  return levels > filterLevelNodesMax
    ? `A filter has at most ${filterLevelNodesMax} conditions about spans or traces, not ${levels}.`
    : null;
};

/** Both conditions, where there are two. */
export const both = (one: FilterTree | null, other: FilterTree): FilterTree =>
  one === null ? other : { and_: [one, other] };

/** Any of the conditions, of which there is at least one. */
const anyOf = (nodes: readonly FilterTree[]): FilterTree =>
  nodes.length === 1 && nodes[0] !== undefined ? nodes[0] : { or: nodes };

/**
 * Condition that one of the metrics has an evaluation error, of that code or any: of traces also on
 * one of their spans. At least one metric.
 */
export const evaluationErrors = (
  metrics: readonly string[],
  population: 'traces' | 'spans',
  code: number | null,
): FilterTree => {
  const type = 'error';
  const own = metrics.map((name): FilterTree => ({
    filter:
      code === null
        ? { type, name, operator: 'any' }
        : { type, name, operator: 'one_of', value: [code] },
  }));
  return population === 'spans' ? anyOf(own) : { or: [...own, { any_span: anyOf(own) }] };
};

/** The filter's records that failed: status 400 and above. */
export const withErrors = (filter: FilterTree | null): FilterTree =>
  both(filter, { filter: { type: 'number', name: 'status_code', operator: 'gte', value: 400 } });

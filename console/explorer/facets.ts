import type { CustomSearchResponse } from '../../clients/typescript/src/generated/metrics-types.js';
import type { Column } from '../../clients/typescript/src/generated/traces-types.js';
import type { FilterTree } from '../language/filter-tree.js';
import type { Population } from '../../kernel/records/record.js';
import { facetSelection } from './facet-edits.js';

type FacetValue = { readonly text: string; readonly count: number };

/** Values of a grouped answer, most frequent first. */
export const facetValues = ({
  bucketed_metrics: groups,
  population,
}: CustomSearchResponse): readonly FacetValue[] =>
  Object.entries(groups)
    .map(([text, buckets]) => ({
      text,
      count: buckets.reduce(
        (sum, one) => sum + (population === 'spans' ? one.span_count : one.requests_count),
        0,
      ),
    }))
    .sort((one, other) => other.count - one.count || (one.text < other.text ? -1 : 1));

/** A column that can be grouped; of traces also one of their spans. */
export type Facet = { readonly column: Column; readonly isOfSpans: boolean };

const standardFacets = ['status_code', 'name', 'tags', 'is_complete'];
const spanFacets = ['type', 'model', 'name', 'finish_reason', 'status_code', 'agent_type'];

/** Facets of traces and spans (contract 4.5, rule 6); sessions have none. */
export const facetsOf = (
  population: Population,
  own: readonly Column[],
  ofSpans: readonly Column[],
): readonly Facet[] => {
  if (population === 'session') return [];
  const standard = population === 'span' ? [...spanFacets, 'tags'] : standardFacets;
  const groups = (columns: readonly Column[], names: readonly string[], isOfSpans: boolean) =>
    names.flatMap((id) => {
      const column = columns.find((one) => one.id === id && !one.is_empty);
      return column === undefined ? [] : [{ column, isOfSpans }];
    });
  const further = own.filter(
    ({ category, filter_type: type, is_empty: isEmpty }) =>
      !isEmpty &&
      (category === 'user_metadata' ||
        category === 'annotation' ||
        (category === 'metric' && (type === 'text' || type === 'boolean'))),
  );
  return [
    ...groups(own, standard, false),
    ...(population === 'trace' ? groups(ofSpans, spanFacets, true) : []),
    ...further.map((column) => ({ column, isOfSpans: false })),
  ];
};

/** Facets that are in the page at once: a project may have 2,000, and each takes time to draw. */
export const facetsMax = 40;

/** The facets with a choice and the first that have the wanted text, and the number of others. */
export const foundFacets = (
  facets: readonly Facet[],
  tree: FilterTree | null,
  wanted: string,
): { readonly shown: readonly Facet[]; readonly more: number } => {
  const text = wanted.toLowerCase();
  const isFound = ({ column }: Facet): boolean =>
    `${column.label} ${column.id}`.toLowerCase().includes(text);
  const isChosen = ({ column, isOfSpans }: Facet): boolean =>
    facetSelection(tree, column, isOfSpans).length > 0;
  const found = facets.filter(isFound);
  const first = new Set(found.slice(0, facetsMax));
  const shown = facets.filter((facet) => first.has(facet) || (tree !== null && isChosen(facet)));
  return { shown, more: found.length - first.size };
};

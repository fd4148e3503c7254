import type { Instant } from './shapes.js';

/** The seven leaf kinds of contract 3.7; a column's `filter_type` is one of the first six. */
export type FilterKind = 'text' | 'id' | 'date' | 'number' | 'boolean' | 'collection';

/**
 * The filter tree after the planner checked it against the catalogue (contract 3.7): one spelling, values in canonical
 * form (ids lower-cased, instants canonical), lists where the operator takes a list. Engines compile this and nothing else.
 */
export type Filter =
  | { readonly all: readonly Filter[] }
  | { readonly any: readonly Filter[] }
  | { readonly not: Filter }
  | Leaf;

export type Leaf =
  | {
      readonly kind: 'text' | 'id';
      readonly column: string;
      readonly operator: 'eq' | 'ne' | 'contains' | 'one_of' | 'not_in';
      /** eq, ne: exactly one item. contains: every item is a substring. */
      readonly values: readonly string[];
      readonly caseSensitive: boolean;
    }
  | {
      readonly kind: 'collection';
      readonly column: string;
      readonly operator: 'eq' | 'contains' | 'one_of' | 'not_in';
      readonly values: readonly string[];
      readonly caseSensitive: boolean;
    }
  | {
      readonly kind: 'date';
      readonly column: string;
      readonly operator: Comparison;
      readonly value: Instant;
    }
  | {
      readonly kind: 'number';
      readonly column: string;
      readonly operator: Comparison | 'between';
      /** One number; for between the low and the high end. */
      readonly values: readonly number[];
    }
  | {
      readonly kind: 'boolean';
      readonly column: string;
      readonly operator: 'eq' | 'ne';
      readonly value: boolean;
    }
  /** `users` null: a rating by anyone counts. */
  | { readonly kind: 'fully_annotated'; readonly users: readonly string[] | null };

export type Comparison = 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte';

export const depthMax = 8;
export const nodesMax = 100;

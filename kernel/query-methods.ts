import type { QueryContext, StreamName } from './ports.js';

/**
 * Queries of a port. `scan`: may read many records of the project that its first value names;
 * `lookup`: by an index; `groups`: of the streams that its first value lists. `contextAt`: position
 * of the context among the values.
 */
export type QueryTable<T> = { readonly [K in keyof T]: TraitsOf<T[K]> };
export type QueryTraits = {
  readonly kind: 'scan' | 'lookup' | 'groups';
  readonly contextAt: number;
};

type TraitsOf<M> = M extends (...values: infer V) => unknown
  ? { readonly kind: KindOf<V[0]>; readonly contextAt: ContextAt<Required<V>> }
  : never;
type KindOf<First> = First extends readonly StreamName[]
  ? 'groups'
  : First extends ProjectNamed
    ? 'scan' | 'lookup'
    : 'lookup';
type ContextAt<V> = V extends readonly [...infer Before, QueryContext] ? Before['length'] : never;

type ProjectNamed = string | { readonly project: string };

/** Project of a query, which its first value is or has. */
export const projectOfQuery = ([first]: readonly unknown[]): string => {
  const named = first as ProjectNamed;
  return typeof named === 'string' ? named : named.project;
};

/** Names of the queries in a table. */
export const queryNames = <N extends string>(
  table: Readonly<Record<N, QueryTraits>>,
): readonly N[] => Object.keys(table) as N[];

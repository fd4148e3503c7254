import type { Column } from '../../clients/typescript/src/generated/traces-types.js';
import {
  both,
  evaluationErrors,
  treeLimitMessage,
  withErrors,
  type FilterTree,
} from '../language/filter-tree.js';
import { printFilter } from '../language/print-filter.js';
import type { TimeRange } from '../parts/address.js';
import { groupTree, widgetsOf, type ShownMetric } from './model.js';
import type { OverviewAnswer } from './questions.js';
import { explorerLinkCodec, type OverviewView } from './state.js';

/** Everything that the addresses of records depend on. */
export type LinkScope = {
  readonly projectId: string;
  readonly view: OverviewView;
  /** Run that is asked about, as addresses of the explorer have it; empty: the whole project. */
  readonly run: string;
  readonly answer: OverviewAnswer;
  /** Everything that is asked for: the filter of the view, and its scope. */
  readonly tree: FilterTree | null;
  readonly me: string | null;
  readonly metrics: readonly ShownMetric[];
  readonly columns: readonly Column[];
};

export type OverviewLinks = ReturnType<typeof overviewLinks>;

/** Addresses of the explorer for a part of what the charts show. */
export const overviewLinks = (props: LinkScope) => {
  const { projectId, view, answer, tree, me, columns, metrics } = props;
  const kind = answer.all.population;
  const scope = { t: view.t, f: tree === null ? '' : printFilter(tree, me), run: props.run };
  const usual = { ...scope, sort: null };
  const path = `/p/${projectId}/${kind}`;
  const print = (filter: FilterTree): string => printFilter(filter, me);
  return {
    path,
    /** Records of a bucket and group of the answer; null: of all. */
    of: (range: TimeRange | null, group: string | null): string => {
      const { by } = answer;
      const leaf = group === null || by === null ? null : groupTree(by, columns, group);
      return explorerLinkCodec.write({
        ...usual,
        t: range ?? usual.t,
        f: leaf === null ? usual.f : print(both(tree, leaf)),
      });
    },
    failed: (): string => explorerLinkCodec.write({ ...usual, f: print(withErrors(tree)) }),
    slower: (value: number): string => {
      const name = 'metrics/duration_ns';
      const leaf = { filter: { type: 'number', name, operator: 'gt', value } } as const;
      return explorerLinkCodec.write({ ...usual, f: print(both(tree, leaf)) });
    },
    dearest: (): string =>
      explorerLinkCodec.write({ ...usual, sort: { column: 'metrics/cost', ascending: false } }),
    with: (condition: FilterTree): string =>
      explorerLinkCodec.write({ ...usual, f: print(both(tree, condition)) }),
    /** Null where the filter has too many conditions for these. */
    evaluations: (code: number | null): string | null => {
      const names = widgetsOf(metrics).map(({ metric_name: name }) => name);
      const failed = both(tree, evaluationErrors([...new Set(names)], kind, code));
      if (treeLimitMessage(failed) !== null) return null;
      return explorerLinkCodec.write({ ...usual, f: print(failed) });
    },
    unrated: (): string => {
      const text = usual.f === '' ? 'not annotated' : `(${usual.f}) and not annotated`;
      return explorerLinkCodec.write({ ...usual, f: text });
    },
  };
};

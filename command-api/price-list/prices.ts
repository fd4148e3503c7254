import type { Price } from '../../contract/price-list.js';
import type { PriceListEvent } from '../../events/price-list.js';
import { byCodePoint } from '../../kernel/code-points.js';
import type { Decide } from '../../kernel/decision.js';
import { tokenKinds } from '../../kernel/prices/token-kinds.js';
import type { ProjectId } from '../../kernel/schema-types.js';
import type { PriceListState } from '../facts/price-list.js';

type PriceListChange = {
  /** In any order; the list is ordered by model, then date. */
  readonly prices: readonly Price[];
  /** Absent: as it is. */
  readonly useShipped?: boolean | undefined;
};

/** Sets the price list. `createdWithShipped` counts until the list was set for the first time. */
export const setPrices =
  (
    project: ProjectId,
    wanted: PriceListChange,
    createdWithShipped: boolean,
  ): Decide<PriceListState, PriceListEvent> =>
  ({ prices: known, useShipped: before }) => {
    const prices = wanted.prices.toSorted(
      (one, other) => byCodePoint(one.model, other.model) || byCodePoint(one.from, other.from),
    );
    const used = before ?? createdWithShipped;
    const useShipped = wanted.useShipped ?? used;
    return isSame(known, prices) && useShipped === used
      ? []
      : [
          {
            type: 'PriceListSet',
            schema: 2,
            data: { project_id: project, prices, use_shipped: useShipped },
          },
        ];
  };

const isSame = (some: readonly Price[], others: readonly Price[]): boolean =>
  some.length === others.length &&
  some.every((price, at) => {
    const other = others[at];
    return (
      price.model === other?.model &&
      price.from === other.from &&
      tokenKinds.every((kind) => price[kind] === other[kind])
    );
  });

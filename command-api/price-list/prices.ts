import type { Price } from '../../contract/price-list.js';
import type { PriceListEvent } from '../../events/price-list.js';
import { byCodePoint } from '../../kernel/code-points.js';
import type { Decide } from '../../kernel/decision.js';
import { tokenKinds } from '../../kernel/prices/token-kinds.js';
import type { ProjectId } from '../../kernel/schema-types.js';

/** Sets the price list. `wanted` may be in any order; the list is ordered by model, then date. */
export const setPrices =
  (project: ProjectId, wanted: readonly Price[]): Decide<readonly Price[], PriceListEvent> =>
  (known) => {
    const prices = wanted.toSorted(
      (one, other) => byCodePoint(one.model, other.model) || byCodePoint(one.from, other.from),
    );
    return isSame(known, prices)
      ? []
      : [
          {
            type: 'PriceListSet',
            schema: 2,
            data: { project_id: project, prices, use_shipped: false },
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

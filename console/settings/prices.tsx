import { useState } from 'preact/hooks';
import type {
  Price,
  PriceList,
  Project,
} from '../../clients/typescript/src/generated/projects-types.js';
import { useAction, useQuery, type Action } from '../client/queries.js';
import { Button } from '../parts/button.js';
import { Checkbox } from '../parts/field.js';
import { BehindNotice, EmptyNotice, FaultNotice, Skeleton } from '../parts/notice.js';
import { projectPermit } from '../parts/permits.js';
import { PriceDialog } from './price-dialog.js';
import { PriceLookup, UnpricedModels } from './price-lookup.js';
import { PriceTable } from './price-table.js';

/** Dollars per million tokens of each model, for spans that are logged from now on. */
export const Prices = ({ project }: { readonly project: Project }) => {
  const [isAdding, setIsAdding] = useState(false);
  const list = useQuery({
    key: ['prices', project.id],
    ask: async (operations, signal) =>
      operations.projects.priceList({ project_id: project.id }, { signal }),
  });
  const save = useAction(
    projectPermit(project, 'editor'),
    async (operations, change: PriceChange, options) => {
      const place = { project_id: project.id };
      // The list is replaced whole: what somebody else added meanwhile stays in it.
      const { prices, use_shipped } = change(await operations.projects.priceList(place));
      return operations.projects.setPriceList({ ...place, prices, use_shipped }, options);
    },
    ['prices'],
  );
  const rows = list.value?.prices ?? [];
  return (
    <section class="card stack" aria-labelledby="settings-prices">
      <div class="spread">
        <h2 id="settings-prices">Prices</h2>
        <Button label="Add a price" permit={save.permit} onClick={() => setIsAdding(true)}>
          Add
        </Button>
      </div>
      <p class="note">
        Dollars per million tokens, for spans that are logged from now on and send no cost.
      </p>
      <FaultNotice fault={list.fault ?? save.fault} onRetry={list.refetch} />
      <BehindNotice isBehind={list.isBehind} />
      {list.isLoading && <Skeleton rows={2} />}
      {list.value !== undefined && rows.length === 0 && <EmptyNotice title="No prices yet" />}
      {rows.length > 0 && (
        <PriceTable
          rows={rows}
          removal={{
            save,
            onRemove: (price) =>
              void save.run(({ prices, ...now }) => ({
                ...now,
                prices: prices.filter((one) => !isSame(one, price)),
              })),
          }}
        />
      )}
      {list.value !== undefined && <ShippedChoice list={list.value} save={save} />}
      <ShippedPrices />
      <PriceLookup project={project} />
      <UnpricedModels project={project} />
      {isAdding && (
        <PriceDialog
          fault={save.fault}
          onClose={() => setIsAdding(false)}
          onSave={async (price) => {
            const isSaved = await save.run((now) => ({ ...now, prices: [...now.prices, price] }));
            if (isSaved) setIsAdding(false);
          }}
        />
      )}
    </section>
  );
};

type ChangedPrices = Pick<PriceList, 'prices' | 'use_shipped'>;
type PriceChange = (now: ChangedPrices) => ChangedPrices;

/** True for prices of one model from one time. */
const isSame = (one: Price, other: Price): boolean =>
  one.model === other.model && one.from === other.from;

const ShippedChoice = (props: { readonly list: PriceList; readonly save: Action<PriceChange> }) => (
  <Checkbox
    label={`Use list prices, as read on ${props.list.shipped_version}, for other models`}
    isChecked={props.list.use_shipped}
    isDisabled={props.save.isRunning}
    permit={props.save.permit}
    onChange={(use_shipped) => void props.save.run((now) => ({ ...now, use_shipped }))}
  />
);

const ShippedPrices = () => {
  const [isOpen, setIsOpen] = useState(false);
  const shipped = useQuery({
    key: ['shipped-prices'],
    isEnabled: isOpen,
    ask: async (operations, signal) =>
      (await operations.projects.shippedPriceList({}, { signal })).prices,
  });
  return (
    <details open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>List prices</summary>
      <FaultNotice fault={shipped.fault} onRetry={shipped.refetch} />
      {shipped.isLoading && isOpen && <Skeleton rows={4} />}
      {shipped.value !== undefined && <PriceTable rows={shipped.value} />}
    </details>
  );
};

import { useState } from 'preact/hooks';
import type { AssayFault } from '../../clients/typescript/src/fault.js';
import type { Price, Project } from '../../clients/typescript/src/generated/projects-types.js';
import { useSurroundings } from '../client/context.js';
import { Instant } from '../client/instants.js';
import { useAction, useQuery, type Action } from '../client/queries.js';
import { ActionsHead } from '../parts/actions-head.js';
import { Button } from '../parts/button.js';
import { Dialog } from '../parts/dialog.js';
import { TextField } from '../parts/field.js';
import { BehindNotice, EmptyNotice, FaultNotice, Skeleton } from '../parts/notice.js';
import { projectPermit } from '../parts/permits.js';

/** Dollars per million tokens of each model, for spans that are logged from now on. */
export const Prices = ({ project }: { readonly project: Project }) => {
  const [isAdding, setIsAdding] = useState(false);
  const prices = useQuery({
    key: ['prices', project.id],
    ask: async (operations, signal) =>
      (await operations.projects.priceList({ project_id: project.id }, { signal })).prices,
  });
  const save = useAction(
    projectPermit(project, 'editor'),
    async (operations, change: PriceChange, options) => {
      const place = { project_id: project.id };
      // The list is replaced whole: what somebody else added meanwhile stays in it.
      const { prices: now } = await operations.projects.priceList(place);
      return operations.projects.setPriceList({ ...place, prices: change(now) }, options);
    },
    ['prices'],
  );
  const rows = prices.value ?? [];
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
      <FaultNotice fault={prices.fault ?? save.fault} onRetry={prices.refetch} />
      <BehindNotice isBehind={prices.isBehind} />
      {prices.isLoading && <Skeleton rows={2} />}
      {prices.value !== undefined && rows.length === 0 && <EmptyNotice title="No prices yet" />}
      {rows.length > 0 && (
        <PriceTable
          rows={rows}
          save={save}
          onRemove={(price) => void save.run((now) => now.filter((one) => !isSame(one, price)))}
        />
      )}
      {isAdding && (
        <PriceDialog
          fault={save.fault}
          onClose={() => setIsAdding(false)}
          onSave={async (price) => {
            if (await save.run((now) => [...now, price])) setIsAdding(false);
          }}
        />
      )}
    </section>
  );
};

type PriceChange = (now: readonly Price[]) => readonly Price[];

/** True for prices of one model from one time. */
const isSame = (one: Price, other: Price): boolean =>
  one.model === other.model && one.from === other.from;

const PriceTable = (props: {
  readonly rows: readonly Price[];
  readonly save: Action<PriceChange>;
  readonly onRemove: (price: Price) => void;
}) => (
  <div class="scroll-x">
    <table class="grid-table">
      <thead>
        <tr>
          <th scope="col">Model</th>
          <th scope="col">From</th>
          <th scope="col" class="number">
            Input
          </th>
          <th scope="col" class="number">
            Output
          </th>
          <ActionsHead />
        </tr>
      </thead>
      <tbody>
        {props.rows.map((price) => (
          <tr key={`${price.model} ${price.from}`}>
            <td>{price.model}</td>
            <td>
              <Instant at={price.from} />
            </td>
            <td class="number">{`$${price.input}`}</td>
            <td class="number">{`$${price.output}`}</td>
            <td class="number">
              <Button
                look="plain"
                label={`Remove the price of ${price.model}`}
                permit={props.save.permit}
                isDisabled={props.save.isRunning}
                onClick={() => props.onRemove(price)}
              >
                Remove
              </Button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const PriceDialog = (props: {
  readonly fault: AssayFault | null;
  readonly onClose: () => void;
  readonly onSave: (price: Price) => Promise<void>;
}) => {
  const { service } = useSurroundings();
  const [model, setModel] = useState('');
  const [from, setFrom] = useState(() => new Date(service.now()).toISOString().slice(0, 10));
  const [input, setInput] = useState('');
  const [output, setOutput] = useState('');
  const isWhole = model !== '' && input !== '' && output !== '' && from !== '';
  return (
    <Dialog title="A price" onClose={props.onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          const begin = `${from}T00:00:00.000000Z`;
          const price = { model, from: begin, input: Number(input), output: Number(output) };
          void props.onSave(price);
        }}
      >
        <TextField label="Model, as spans name it" value={model} onInput={setModel} />
        <TextField label="From, in UTC" type="date" value={from} onInput={setFrom} />
        <TextField label="Input, $ per M tokens" type="number" value={input} onInput={setInput} />
        <TextField
          label="Output, $ per M tokens"
          type="number"
          value={output}
          onInput={setOutput}
        />
        <FaultNotice fault={props.fault} />
        <Button type="submit" look="primary" isDisabled={!isWhole}>
          Add
        </Button>
      </form>
    </Dialog>
  );
};

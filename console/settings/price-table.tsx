import type { Price } from '../../clients/typescript/src/generated/projects-types.js';
import { Instant } from '../client/instants.js';
import type { Action } from '../client/queries.js';
import { ActionsHead } from '../parts/actions-head.js';
import { Button } from '../parts/button.js';
import { RecordedWord } from '../parts/recorded-text.js';
import { kindPrices } from './price-texts.js';

type Removal = {
  readonly save: Pick<Action<never>, 'permit' | 'isRunning'>;
  readonly onRemove: (price: Price) => void;
};

/** Prices per million tokens by model; with a removal each row has its button. */
export const PriceTable = (props: {
  readonly rows: readonly Price[];
  readonly removal?: Removal;
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
          <th scope="col">Other kinds</th>
          {props.removal !== undefined && <ActionsHead />}
        </tr>
      </thead>
      <tbody>
        {props.rows.map((price) => (
          <tr key={`${price.model} ${price.from}`}>
            <td>
              <RecordedWord text={price.model} />
            </td>
            <td>
              <Instant at={price.from} />
            </td>
            <td class="number">{`$${price.input}`}</td>
            <td class="number">{`$${price.output}`}</td>
            <td>{kindPrices(price)}</td>
            {props.removal !== undefined && (
              <td class="number">
                <RemoveButton price={price} removal={props.removal} />
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const RemoveButton = ({ price, removal }: { readonly price: Price; readonly removal: Removal }) => (
  <Button
    look="plain"
    label={`Remove the price of ${price.model}`}
    permit={removal.save.permit}
    isDisabled={removal.save.isRunning}
    onClick={() => removal.onRemove(price)}
  >
    Remove
  </Button>
);

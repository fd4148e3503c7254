import { useState } from 'preact/hooks';
import type { AssayFault } from '../../clients/typescript/src/fault.js';
import type { Price } from '../../clients/typescript/src/generated/projects-types.js';
import { tokenPartNames, tokenParts, type TokenPartName } from '../../kernel/prices/token-kinds.js';
import { useSurroundings } from '../client/context.js';
import { Button } from '../parts/button.js';
import { Dialog } from '../parts/dialog.js';
import { TextField } from '../parts/field.js';
import { FaultNotice } from '../parts/notice.js';

type PartTexts = { readonly [part in TokenPartName]?: string };

/** Form of one price; kinds that are left empty cost what input or output does. */
export const PriceDialog = (props: {
  readonly fault: AssayFault | null;
  readonly onClose: () => void;
  readonly onSave: (price: Price) => Promise<void>;
}) => {
  const { service } = useSurroundings();
  const [model, setModel] = useState('');
  const [from, setFrom] = useState(() => new Date(service.now()).toISOString().slice(0, 10));
  const [input, setInput] = useState('');
  const [output, setOutput] = useState('');
  const [parts, setParts] = useState<PartTexts>({});
  const isWhole = model !== '' && input !== '' && output !== '' && from !== '';
  return (
    <Dialog title="A price" onClose={props.onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          const begin = `${from}T00:00:00.000000Z`;
          const price = { model, from: begin, input: Number(input), output: Number(output) };
          void props.onSave({ ...price, ...partPrices(parts) });
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
        <details>
          <summary>Other kinds of tokens</summary>
          <p class="note">A kind without a price costs what input or output does.</p>
          {tokenPartNames.map((part) => (
            <TextField
              key={part}
              label={`${tokenParts[part].label}, $ per M tokens`}
              type="number"
              value={parts[part] ?? ''}
              onInput={(text) => setParts({ ...parts, [part]: text })}
            />
          ))}
        </details>
        <FaultNotice fault={props.fault} />
        <Button type="submit" look="primary" isDisabled={!isWhole}>
          Add
        </Button>
      </form>
    </Dialog>
  );
};

const partPrices = (parts: PartTexts): Partial<Price> =>
  Object.fromEntries(
    Object.entries(parts).flatMap(([part, text]) => (text === '' ? [] : [[part, Number(text)]])),
  );

import { useSurroundings } from '../client/context.js';
import type { KeyBinding } from '../engines/keys.js';
import { Dialog } from '../parts/dialog.js';

/** The keyboard commands that apply now. */
export const KeyList = (props: { readonly onClose: () => void }) => {
  const { keyboard } = useSurroundings();
  return (
    <Dialog title="Keys" onClose={props.onClose}>
      <table>
        <tbody>
          {effective(keyboard.bindings.value).map(({ keys, what }) => (
            <tr key={keys}>
              <td>
                <kbd>{printedKeys(keys)}</kbd>
              </td>
              <td>{what}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  );
};

/** The commands that are run: of those with the same keys the first. */
const effective = (bindings: readonly KeyBinding[]): readonly KeyBinding[] => {
  const first = new Map<string, KeyBinding>();
  for (const binding of bindings) if (!first.has(binding.keys)) first.set(binding.keys, binding);
  return [...first.values()];
};

const names: Readonly<Record<string, string>> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Escape: 'Esc',
};

/** Keys as they stand on keyboards: `Ctrl K`, `Shift ↓`, `←`, `g t`. */
const printedKeys = (keys: string): string => {
  const [, modifier, key] = /^(Ctrl|Shift)\+(.+)$/.exec(keys) ?? [];
  if (modifier === undefined || key === undefined) return names[keys] ?? keys;
  return `${modifier} ${names[key] ?? key.replace(/^.$/, (letter) => letter.toUpperCase())}`;
};

import { useSurroundings } from '../client/context.js';
import { Dialog } from '../parts/dialog.js';

/** The keyboard commands that apply now. */
export const KeyList = (props: { readonly onClose: () => void }) => {
  const { keyboard } = useSurroundings();
  return (
    <Dialog title="Keys" onClose={props.onClose}>
      <table>
        <tbody>
          {keyboard.bindings.value.map(({ keys, what }) => (
            <tr key={keys}>
              <td>
                <kbd>{keys}</kbd>
              </td>
              <td>{what}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  );
};

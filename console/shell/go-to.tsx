import type { ComponentProps, ComponentType } from 'preact';
import { useState } from 'preact/hooks';
import { useKeys } from '../client/keys.js';
import type { GoToDialog } from '../go-to/dialog.js';
import type { ListedPage } from '../go-to/model.js';
import { Button } from '../parts/button.js';
import { Dialog } from '../parts/dialog.js';
import { matchRoute } from '../routes.js';

type Loaded = { readonly Part: ComponentType<ComponentProps<typeof GoToDialog>> };

/** True for a path that a page within the shell shows. */
const hasPage = (path: string): boolean => {
  const match = matchRoute(path);
  return match !== null && match.route.frame !== 'alone';
};

/** Opens the search for places, which is loaded at its first use. */
export const GoTo = (props: {
  readonly projectId: string | null;
  readonly pages: readonly ListedPage[];
}) => {
  const [isOpen, setIsOpen] = useState(false);
  const [loaded, setLoaded] = useState<Loaded | 'failed' | null>(null);
  const open = (): void => {
    setIsOpen(true);
    if (loaded !== null && loaded !== 'failed') return;
    import('../go-to/dialog.js').then(
      (module) => setLoaded({ Part: module.GoToDialog }),
      () => setLoaded('failed'),
    );
  };
  const close = (): void => setIsOpen(false);
  useKeys([{ keys: 'Ctrl+k', what: 'Go to', run: open }], [loaded]);
  return (
    <>
      <Button title="Find a page, a name or an id" onClick={open}>
        Go to <kbd>Ctrl K</kbd>
      </Button>
      {isOpen && loaded === 'failed' && (
        <Dialog title="Go to" onClose={close}>
          <p>This part could not be loaded. Reload to get the current version.</p>
        </Dialog>
      )}
      {isOpen && loaded !== null && loaded !== 'failed' && (
        <loaded.Part {...props} hasPage={hasPage} onClose={close} />
      )}
    </>
  );
};

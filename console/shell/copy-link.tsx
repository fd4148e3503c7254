import { useEffect, useState } from 'preact/hooks';
import { useSurroundings } from '../client/context.js';
import { useKeys } from '../client/keys.js';

/** `y` copies the link of the view; says so until the view changes. */
export const CopyLink = () => {
  const { clipboard, navigation } = useSurroundings();
  const [said, setSaid] = useState('');
  const { path, view } = navigation.place.value;
  useEffect(() => setSaid(''), [path, view]);
  const copy = async (): Promise<void> => {
    const place = navigation.place.peek();
    const isCopied = await clipboard.copy(navigation.linkTo(place.path, place.view));
    setSaid(isCopied ? 'Link copied' : 'The browser does not let pages copy here');
  };
  useKeys([{ keys: 'y', what: 'Copy the link of this view', run: () => void copy() }], []);
  return (
    <span class="note" role="status">
      {said}
    </span>
  );
};

import { changedView, type AddressCodec } from '../parts/address.js';
import { useSurroundings } from './context.js';

/**
 * The view of the current address, and a function that changes members of it, without an effect
 * once the page was left. `push`, the default, makes the change an entry that Back undoes;
 * `replace` is for typing.
 */
export const useView = <V extends object>(
  codec: AddressCodec<V>,
): readonly [V, (change: Partial<V>, how?: 'push' | 'replace') => void] => {
  const { navigation } = useSurroundings();
  const { path, view } = navigation.place.value;
  const current = codec.read(view);
  return [
    current,
    (change, how = 'push') => {
      const next = changedView(codec, navigation.place.peek(), path, change);
      if (next !== null) navigation.go(path, next, how);
    },
  ];
};

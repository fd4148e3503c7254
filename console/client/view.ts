import { useSurroundings } from './context.js';

/** Writes and reads a page's view, the fragment of its address: `read(write(view))` is `view`. */
type ViewCodec<V> = {
  readonly read: (text: string) => V;
  readonly write: (view: V) => string;
};

/**
 * The view of the current address, and a function that changes members of it. `push`, the default,
 * makes the change an entry that Back undoes; `replace` is for typing.
 */
export const useView = <V extends object>(
  codec: ViewCodec<V>,
): readonly [V, (change: Partial<V>, how?: 'push' | 'replace') => void] => {
  const { navigation } = useSurroundings();
  const { path, view } = navigation.place.value;
  const current = codec.read(view);
  return [
    current,
    (change, how = 'push') => {
      const latest = codec.read(navigation.place.peek().view);
      navigation.go(path, codec.write({ ...latest, ...change }), how);
    },
  ];
};

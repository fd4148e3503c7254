import { useEffect, useState } from 'preact/hooks';
import { editsLeft } from '../parts/edits-left.js';

/**
 * The members of a form that its user changed, over those of the service. The others follow the
 * service, so that a save sends back no member that somebody else changed meanwhile.
 */
export const useEditedMembers = <T extends object>(current: T) => {
  const [edits, setEdits] = useState<Partial<T>>({});
  const left = editsLeft(current, edits);
  const isOver = Object.keys(left).length < Object.keys(edits).length;
  useEffect(() => {
    if (isOver) setEdits(left);
  }, [isOver]);
  return {
    shown: { ...current, ...left },
    edits: left,
    edit: (part: Partial<T>): void => setEdits({ ...left, ...part }),
  };
};

import { withMarks } from './hostile-text.js';

/** Attributes that are shown or read aloud. */
const shownAttributes = ['title', 'aria-label', 'alt', 'placeholder', 'label'] as const;

/** A node of Preact as its hook gets it: a text has no type, and itself for its props. */
type MarkedNode = { readonly type: unknown; props: unknown };

/**
 * Marks what cannot be seen in a node of the page: in a text, whatever drew it, and in attributes
 * of an element. Names of others stand in many places; none of them can turn the text around, or
 * look like another one.
 */
export const markNode = (node: MarkedNode): void => {
  if (typeof node.props === 'string') node.props = withMarks(node.props);
  // A component passes its children on; the others of its members are its own.
  if (typeof node.type !== 'string') return;
  const props = node.props as Record<string, unknown>;
  for (const name of shownAttributes) {
    const text = props[name];
    if (typeof text === 'string') props[name] = withMarks(text);
  }
};

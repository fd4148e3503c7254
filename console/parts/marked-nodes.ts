import { withMarks } from './hostile-text.js';

/** Attributes that are shown or read aloud. */
const shownAttributes = ['title', 'aria-label', 'alt', 'placeholder', 'label'] as const;

/**
 * Marks what cannot be seen in the texts of a node of the page: those within it, and those of its
 * attributes. Names of others stand in many places; none of them can turn the text around, or look
 * like another one.
 */
export const markNode = (node: {
  readonly type: unknown;
  readonly props: Record<string, unknown>;
}): void => {
  const { type, props } = node;
  // A component passes its children on; the others of its members are its own.
  for (const name of typeof type === 'string' ? shownAttributes : []) {
    const text = props[name];
    if (typeof text === 'string') props[name] = withMarks(text);
  }
  if (props['children'] !== undefined) props['children'] = markedChildren(props['children']);
};

const markedChildren = (children: unknown): unknown => {
  if (typeof children === 'string') return withMarks(children);
  return Array.isArray(children) ? children.map(markedChildren) : children;
};

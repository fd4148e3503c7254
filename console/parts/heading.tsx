import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { withMarks } from './hostile-text.js';

/** The page's heading: has the focus after a navigation, and names the browser's tab. */
export const PageHeading = (props: {
  readonly title: string;
  readonly children?: ComponentChildren;
}) => {
  const heading = useRef<HTMLHeadingElement>(null);
  // At once: later it would take the focus from a field that was clicked meanwhile.
  useLayoutEffect(() => {
    heading.current?.focus({ preventScroll: true });
  }, []);
  useLayoutEffect(() => {
    const owner = heading.current?.ownerDocument;
    if (owner !== undefined) owner.title = withMarks(`${props.title} – Assay`);
  }, [props.title]);
  return (
    <div class="page-heading">
      <h1 tabIndex={-1} ref={heading}>
        {props.title}
      </h1>
      {props.children}
    </div>
  );
};

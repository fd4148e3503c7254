import type { ComponentChildren } from 'preact';
import type { MarkdownNode } from '../engines/markdown-node.js';

/**
 * Shows Markdown that others wrote: a link shows its address, an image is named and never fetched.
 * `text` shows a piece of recorded text, and decides which addresses open.
 */
export const Markdown = (props: {
  readonly nodes: readonly MarkdownNode[];
  readonly text: (text: string) => ComponentChildren;
}) => (
  <div class="markdown">
    {props.nodes.map((node, index) => (
      <Node key={index} node={node} text={props.text} />
    ))}
  </div>
);

type NodeProps<N extends MarkdownNode = MarkdownNode> = {
  readonly node: N;
  readonly text: (text: string) => ComponentChildren;
};

const Node = ({ node, text }: NodeProps) => {
  const children = (nodes: readonly MarkdownNode[]) =>
    nodes.map((child, index) => <Node key={index} node={child} text={text} />);
  switch (node.type) {
    case 'text':
      return <>{text(node.text)}</>;
    case 'code-span':
      return <code>{text(node.text)}</code>;
    case 'code':
      return <pre>{text(node.text)}</pre>;
    case 'image':
      return <span class="muted">{text(`[image: ${node.alt} ${node.href}]`)}</span>;
    case 'link':
      return <Link node={node} text={text} />;
    case 'strong':
      return <strong>{children(node.children)}</strong>;
    case 'emphasis':
      return <em>{children(node.children)}</em>;
    case 'deleted':
      return <del>{children(node.children)}</del>;
    case 'paragraph':
      return <p>{children(node.children)}</p>;
    case 'quote':
      return <blockquote>{children(node.children)}</blockquote>;
    case 'heading':
      // Headings of recorded text are none of the page's.
      return (
        <p class="markdown-heading" data-level={node.level}>
          {children(node.children)}
        </p>
      );
    case 'list':
    case 'table':
      return <Block node={node} text={text} />;
    case 'rule':
      return <hr />;
    case 'break':
      return <br />;
  }
};

const Block = ({ node, text }: NodeProps<Extract<MarkdownNode, { type: 'list' | 'table' }>>) => {
  const shown = (nodes: readonly MarkdownNode[]) =>
    nodes.map((child, index) => <Node key={index} node={child} text={text} />);
  if (node.type === 'list') {
    const items = node.items.map((item, index) => <li key={index}>{shown(item)}</li>);
    return node.start === null ? <ul>{items}</ul> : <ol start={node.start}>{items}</ol>;
  }
  return (
    <table>
      <thead>
        <tr>
          {node.head.map((cell, index) => (
            <th key={index} scope="col">
              {shown(cell)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {node.rows.map((row, index) => (
          <tr key={index}>
            {row.map((cell, column) => (
              <td key={column}>{shown(cell)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
};

/** The text of a link, then its address, which says itself whether it opens. */
const Link = ({ node, text }: NodeProps<Extract<MarkdownNode, { type: 'link' }>>) => {
  const [only, ...others] = node.children;
  const isItsAddress = others.length === 0 && only?.type === 'text' && only.text === node.href;
  if (isItsAddress) return <>{text(node.href)}</>;
  return (
    <>
      {node.children.map((child, index) => (
        <Node key={index} node={child} text={text} />
      ))}{' '}
      ({text(node.href)})
    </>
  );
};

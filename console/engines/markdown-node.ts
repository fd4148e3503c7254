/** Markdown as a tree of text: HTML in it is text, and a link has its address as it was written. */
export type MarkdownNode =
  | { readonly type: 'text' | 'code-span'; readonly text: string }
  | { readonly type: 'code'; readonly text: string; readonly language: string }
  | { readonly type: 'image'; readonly alt: string; readonly href: string }
  | { readonly type: 'link'; readonly href: string; readonly children: readonly MarkdownNode[] }
  | {
      readonly type: 'strong' | 'emphasis' | 'deleted' | 'paragraph' | 'quote';
      readonly children: readonly MarkdownNode[];
    }
  | { readonly type: 'heading'; readonly level: number; readonly children: readonly MarkdownNode[] }
  | {
      readonly type: 'list';
      /** The first number; null for bullets. */
      readonly start: number | null;
      readonly items: readonly (readonly MarkdownNode[])[];
    }
  | {
      readonly type: 'table';
      readonly head: readonly (readonly MarkdownNode[])[];
      readonly rows: readonly (readonly (readonly MarkdownNode[])[])[];
    }
  | { readonly type: 'rule' | 'break' };

import type { Token, Tokens } from 'marked';
import type { MarkdownNode } from './markdown-node.js';

/** Reads GitHub's Markdown; loads the package at the first call. Never throws for a text. */
export const readMarkdown = async (text: string): Promise<readonly MarkdownNode[]> => {
  const { Lexer } = await import('marked');
  try {
    return nodesAt(0)(new Lexer({ gfm: true }).lex(text));
  } catch {
    return [{ type: 'text', text }];
  }
};

/** Levels of nodes; what is nested deeper is shown as it was written. */
const levelsMax = 40;

const nodesAt =
  (level: number) =>
  (tokens: readonly Token[] | undefined): readonly MarkdownNode[] =>
    (tokens ?? []).flatMap((token) =>
      level > levelsMax ? [{ type: 'text' as const, text: token.raw }] : nodeOf(token, level),
    );

const nodeOf = (token: Token, level: number): readonly MarkdownNode[] => {
  const nodesOf = nodesAt(level + 1);
  switch (token.type) {
    case 'space':
    case 'def':
      return [];
    case 'hr':
      return [{ type: 'rule' }];
    case 'br':
      return [{ type: 'break' }];
    case 'strong':
      return [{ type: 'strong', children: nodesOf(token.tokens) }];
    case 'em':
      return [{ type: 'emphasis', children: nodesOf(token.tokens) }];
    case 'del':
      return [{ type: 'deleted', children: nodesOf(token.tokens) }];
    case 'paragraph':
      return [{ type: 'paragraph', children: nodesOf(token.tokens) }];
    case 'blockquote':
      return [{ type: 'quote', children: nodesOf(token.tokens) }];
    case 'codespan':
      return [{ type: 'code-span', text: (token as Tokens.Codespan).text }];
    default:
      return blockOf(token, nodesOf);
  }
};

const blockOf = (token: Token, nodesOf: ReturnType<typeof nodesAt>): readonly MarkdownNode[] => {
  switch (token.type) {
    case 'heading':
      return [
        {
          type: 'heading',
          level: (token as Tokens.Heading).depth,
          children: nodesOf(token.tokens),
        },
      ];
    case 'code': {
      const { text, lang } = token as Tokens.Code;
      return [{ type: 'code', text, language: lang ?? '' }];
    }
    case 'link':
      return [{ type: 'link', href: (token as Tokens.Link).href, children: nodesOf(token.tokens) }];
    case 'image': {
      const { text, href } = token as Tokens.Image;
      return [{ type: 'image', alt: text, href }];
    }
    case 'list': {
      const { ordered, start, items } = token as Tokens.List;
      const first = start === '' ? 1 : start;
      return [
        {
          type: 'list',
          start: ordered ? first : null,
          items: items.map((item) => nodesOf(item.tokens)),
        },
      ];
    }
    case 'table': {
      const { header, rows } = token as Tokens.Table;
      const cells = (row: readonly Tokens.TableCell[]) => row.map((cell) => nodesOf(cell.tokens));
      return [{ type: 'table', head: cells(header), rows: rows.map(cells) }];
    }
    case 'text': {
      const { tokens, text } = token as Tokens.Text;
      return tokens === undefined ? [{ type: 'text', text }] : nodesOf(tokens);
    }
    default:
      // HTML is shown as it was written.
      return [{ type: 'text', text: token.raw }];
  }
};

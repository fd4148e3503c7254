import { useEffect, useState } from 'preact/hooks';
import { readMarkdown } from '../engines/markdown-lexer.js';
import { diffTexts, type DiffPiece } from '../engines/text-diff.js';
import type { MarkdownNode } from '../engines/markdown-node.js';

/** The text as Markdown; null until it is read. */
export const useMarkdown = (text: string): readonly MarkdownNode[] | null =>
  useComputed(() => readMarkdown(text), [text]);

/** The comparison of two texts; null until it is made, and where it takes too long. */
export const useTextDiff = (
  before: string,
  after: string,
  by: 'words' | 'lines',
): readonly DiffPiece[] | null =>
  useComputed(() => diffTexts(before, after, by), [before, after, by]);

const useComputed = <T>(compute: () => Promise<T>, depends: readonly unknown[]): T | null => {
  const [computed, setComputed] = useState<{ readonly value: T } | null>(null);
  useEffect(() => {
    let isCurrent = true;
    setComputed(null);
    void compute().then((value) => {
      if (isCurrent) setComputed({ value });
    });
    return () => {
      isCurrent = false;
    };
  }, depends);
  return computed?.value ?? null;
};

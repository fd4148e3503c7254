import { canonicalJson } from '../canonical-json.js';
import type { Json, JsonObject } from '../schema-types.js';

/** Label of the newest version, which every template has. */
export const latestLabel = 'latest';

type PromptMessage = { readonly role: string; readonly content: string };

/** Content of a version of a prompt template, as its author wrote it (contract 5.18). */
export type PromptText = {
  /** One text, or messages in their order. */
  readonly template: string | readonly PromptMessage[];
  /** True where variables are not filled in. */
  readonly raw: boolean;
  readonly settings: JsonObject;
  readonly output_type: string | null;
};

/** Differences between a version and the one before it; lines are those of all messages. */
export type PromptChange = {
  readonly content_changed: boolean;
  readonly settings_changed: boolean;
  readonly model_changed: boolean;
  readonly lines_added: number;
  readonly lines_edited: number;
  readonly lines_removed: number;
};

/**
 * Change from a text to the next; null where they are equal. A first text changes everything. Lines
 * are compared as bags: a moved line is no change, and of lines that came and lines that went, as
 * many as there are of both are edited.
 */
export function promptChange(before: null, after: PromptText): PromptChange;
export function promptChange(before: PromptText | null, after: PromptText): PromptChange | null;
export function promptChange(before: PromptText | null, after: PromptText): PromptChange | null {
  const was = before ?? emptyText;
  const content_changed = !isSame(contentOf(was), contentOf(after));
  const settings_changed = !isSame(was.settings, after.settings);
  if (before !== null && !content_changed && !settings_changed) return null;
  const came = linesWithout(linesOf(after), linesOf(was));
  const went = linesWithout(linesOf(was), linesOf(after));
  const lines_edited = Math.min(came, went);
  return {
    content_changed,
    settings_changed,
    model_changed: !isSame(was.settings['model_alias'], after.settings['model_alias']),
    lines_added: came - lines_edited,
    lines_edited,
    lines_removed: went - lines_edited,
  };
}

const emptyText: PromptText = { template: [], raw: false, settings: {}, output_type: null };

const contentOf = ({ template, raw, output_type }: PromptText): JsonObject => ({
  template,
  raw,
  output_type,
});

const isSame = (one: Json | undefined, other: Json | undefined): boolean =>
  canonicalJson(one ?? null) === canonicalJson(other ?? null);

const linesOf = ({ template }: PromptText): readonly string[] => {
  const texts = typeof template === 'string' ? [template] : template.map((one) => one.content);
  return texts.flatMap((text) => text.split('\n'));
};

/** Number of lines that `others` have not got, repeats included. */
const linesWithout = (lines: readonly string[], others: readonly string[]): number => {
  const left = new Map<string, number>();
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
  let without = 0;
  for (const line of lines) {
    const count = left.get(line) ?? 0;
    if (count === 0) without += 1;
    else left.set(line, count - 1);
  }
  return without;
};

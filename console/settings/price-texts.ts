import type { Price, PriceMatch } from '../../clients/typescript/src/generated/projects-types.js';
import { tokenPartNames, tokenParts } from '../../kernel/prices/token-kinds.js';

/** Prices of kinds that have one of their own: `cached input $0.3, reasoning $20`. */
export const kindPrices = (price: Price): string =>
  tokenPartNames
    .flatMap((part) => {
      const dollars = price[part];
      return dollars === undefined ? [] : [`${tokenParts[part].label} $${dollars}`];
    })
    .join(', ');

const rules: Readonly<Record<NonNullable<PriceMatch['rule']>, string>> = {
  exact: 'by its name',
  pattern: 'by a pattern',
  simplified: 'by its simplified name',
  simplified_pattern: 'by a pattern for its simplified name',
};

/** Sentence about the price that a model has now, and how it was found. */
export const matchSentence = ({ entry, rule, list }: PriceMatch): string => {
  if (entry === null || rule === null) {
    return entry === null ? 'No price, and none is near.' : `No price; near: ${entry.model}`;
  }
  const kinds = kindPrices(entry);
  const prices = `$${entry.input} in, $${entry.output} out${kinds === '' ? '' : `, ${kinds}`}`;
  const from = list === 'shipped' ? 'shipped list' : 'project';
  return `${prices}: ${entry.model} (${from}), found ${rules[rule]}`;
};

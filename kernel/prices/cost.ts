import { partsOfSide, type TokenKind, type TokenPrices, type TokensByKind } from './token-kinds.js';

const tokensPriced = 1_000_000;

/** Tokens that cost the same: of a part, or the rest of a side. */
type KindCost = { readonly kind: TokenKind; readonly tokens: number; readonly dollars: number };

/**
 * Costs by kind (contract 3.4, rule 8), of kinds that have tokens; `input` and `output` are what
 * is left of the whole count beside its parts. Parts that exceed it were counted apart from it:
 * then the whole count is what is left.
 */
export const costsByKind = (tokens: TokensByKind, prices: TokenPrices): readonly KindCost[] => {
  const costs: KindCost[] = [];
  const add = (kind: TokenKind, count: number, price: number): void => {
    if (count !== 0) costs.push({ kind, tokens: count, dollars: (count * price) / tokensPriced });
  };
  for (const side of ['input', 'output'] as const) {
    add(side, restOf(side, tokens), prices[side]);
    for (const part of partsOfSide[side]) {
      add(part, partCount(tokens[part]), prices[part] ?? prices[side]);
    }
  }
  return costs;
};

/** Cost of tokens in dollars; null when none were counted, and beyond doubles. */
export const costAtPrices = (tokens: TokensByKind, prices: TokenPrices): number | null => {
  let dollars = 0;
  let isCounted = false;
  for (const side of ['input', 'output'] as const) {
    isCounted ||= tokens[side] != null;
    let cost = restOf(side, tokens) * prices[side];
    for (const part of partsOfSide[side]) {
      const count = partCount(tokens[part]);
      isCounted ||= count > 0;
      if (count > 0) cost += count * (prices[part] ?? prices[side]);
    }
    dollars += cost;
  }
  const cost = dollars / tokensPriced;
  return isCounted && Number.isFinite(cost) ? cost : null;
};

/** Number of tokens of a part: clients may send any number. */
const partCount = (count: number | null | undefined): number => Math.max(count ?? 0, 0);

const restOf = (side: 'input' | 'output', tokens: TokensByKind): number => {
  const whole = tokens[side] ?? 0;
  let parts = 0;
  for (const part of partsOfSide[side]) parts += partCount(tokens[part]);
  return parts > whole ? whole : whole - parts;
};

import { Type, type Static } from 'typebox';
import { type Complaint, valueComplaint } from '../kernel/fault.js';
import { mapTokenParts } from '../kernel/prices/token-kinds.js';
import { id, instant, namedSchema } from '../kernel/schema-types.js';
import { operation } from './operation.js';

/**
 * Price limit (contract 1.11): a few prices each for all models that a project is likely to see.
 */
const pricesMax = 500;
const dollarsMax = 1_000_000;

const dollars = (of: string, otherwise = '') =>
  Type.Number({
    minimum: 0,
    maximum: dollarsMax,
    description: `Dollars per million ${of} tokens${otherwise}.`,
  });
const members = {
  model: Type.String({ minLength: 1, maxLength: 255 }),
  /** Start: applies to spans created then or later, until the next price of the model. */
  from: instant,
  input: dollars('input'),
  output: dollars('output'),
  ...mapTokenParts(({ label, side }) => Type.Optional(dollars(label, `; absent: as \`${side}\``))),
};
const price = namedSchema('Price', Type.Object(members));
const priceList = namedSchema('PriceList', Type.Object({ prices: Type.Array(price) }));
export type Price = Static<typeof price>;
export type PriceList = Static<typeof priceList>;

const shared = {
  section: '5.4',
  path: '/v2/projects/{project_id}/price_list',
  params: Type.Object({ project_id: id('ProjectId') }),
  response: priceList,
} as const;

export const getPriceList = operation({
  ...shared,
  operationId: 'getPriceList',
  summary: 'What tokens of models cost in a project',
  description: 'By model, then by date; empty until prices are set.',
  method: 'GET',
  kind: 'r',
  requires: 'viewer',
  faults: ['not-found'],
});

export const setPriceList = operation({
  ...shared,
  operationId: 'setPriceList',
  summary: 'Say what tokens of models cost in a project',
  description:
    'Replaces the list. Spans that are logged from then on and send no `cost` have one by it.',
  example: {
    prices: [
      {
        model: 'model-a',
        from: '2026-03-01T00:00:00.000000Z',
        input: 3,
        output: 15,
        cache_read: 0.3,
      },
    ],
  },
  method: 'PUT',
  kind: 'w',
  requires: 'editor',
  body: Type.Object(
    {
      prices: Type.Array(
        namedSchema('PriceInput', Type.Object(members, { additionalProperties: false })),
        { maxItems: pricesMax },
      ),
    },
    { additionalProperties: false },
  ),
  faults: ['not-found', 'forbidden'],
});

export const priceListOperations = [getPriceList, setPriceList];

/** Complaints about repeated prices: a model has one price at a time. */
export const priceComplaints = (prices: readonly Price[]): readonly Complaint[] => {
  const seen = new Set<string>();
  return prices.flatMap(({ model, from }, at) => {
    const key = JSON.stringify([model, from]);
    if (!seen.has(key)) {
      seen.add(key);
      return [];
    }
    const sentence = `model '${model}' has two prices at the same time`;
    return [valueComplaint(['body', 'prices', String(at)], sentence)];
  });
};

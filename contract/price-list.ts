import { Type, type Static, type TObject } from 'typebox';
import { type Complaint, valueComplaint } from '../kernel/fault.js';
import { matchRules } from '../kernel/prices/match.js';
import { shippedVersion } from '../kernel/prices/shipped.js';
import { mapTokenParts } from '../kernel/prices/token-kinds.js';
import { id, instant, namedSchema, nullable, nullish, oneOf } from '../kernel/schema-types.js';
import { operation } from './operation.js';

/**
 * Price limit (contract 1.11): a few prices each for all models that a project is likely to see.
 */
const pricesMax = 500;
const dollarsMax = 1_000_000;
const modelMax = 255;

const dollars = (of: string, otherwise = '') =>
  Type.Number({
    minimum: 0,
    maximum: dollarsMax,
    description: `Dollars per million ${of} tokens${otherwise}.`,
  });
const members = {
  model: Type.String({ minLength: 1, maxLength: modelMax }),
  /** Start: applies to spans created then or later, until the next price of the model. */
  from: instant,
  input: dollars('input'),
  output: dollars('output'),
  ...mapTokenParts(({ label, side }) => Type.Optional(dollars(label, `; absent: as \`${side}\``))),
};
const price = namedSchema('Price', Type.Object(members));
const listFacts = { prices: Type.Array(price), use_shipped: Type.Boolean() };
const priceList = namedSchema(
  'PriceList',
  Type.Object({ ...listFacts, shipped_version: Type.String() }),
);
export type Price = Static<typeof price>;
export type PriceListFacts = Static<TObject<typeof listFacts>>;
export type PriceList = Static<typeof priceList>;

/** Answer about a project's list, with the version of the shipped one. */
export const priceListAnswer = (prices: readonly Price[], useShipped: boolean): PriceList => ({
  prices: [...prices],
  use_shipped: useShipped,
  shipped_version: shippedVersion,
});

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
  description:
    'By model, then by date; empty until prices are set. Its prices count before shipped ones.',
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
      use_shipped: Type.Optional(Type.Boolean()),
    },
    { additionalProperties: false },
  ),
  faults: ['not-found', 'forbidden'],
});

const shippedPrice = namedSchema(
  'ShippedPrice',
  Type.Object({ ...members, source: Type.String() }),
);
const shippedList = namedSchema(
  'ShippedPriceList',
  Type.Object({ version: Type.String(), prices: Type.Array(shippedPrice) }),
);

export const getShippedPriceList = operation({
  operationId: 'getShippedPriceList',
  summary: 'Read the list prices of models that the service ships',
  description: 'Prices of the standard tier, each with the page of the provider that says it.',
  section: '5.4',
  method: 'GET',
  path: '/v2/price_list/shipped',
  kind: 'r',
  requires: 'signed-in',
  response: shippedList,
});

const shownMatch = {
  entry: nullable(price),
  rule: nullable(oneOf(matchRules)),
  list: nullable(oneOf(['project', 'shipped'])),
};

export const matchModelPrice = operation({
  ...shared,
  operationId: 'matchModelPrice',
  path: `${shared.path}/match`,
  summary: 'Find the price that a model has in a project',
  description: 'The rule says how the name of the model was found in the list.',
  example: { model: 'openai/gpt-4o-2024-08-06' },
  method: 'POST',
  kind: 'r',
  requires: 'viewer',
  body: Type.Object({
    model: Type.String({ minLength: 1, maxLength: modelMax }),
    at: nullish(instant),
  }),
  response: namedSchema('PriceMatch', Type.Object(shownMatch)),
});

const unpricedModel = namedSchema(
  'UnpricedModel',
  Type.Object({
    model: nullable(Type.String()),
    spans: Type.Integer(),
    tokens: Type.Integer(),
    ...shownMatch,
  }),
);
export type UnpricedModel = Static<typeof unpricedModel>;

/** Limit of listed models (contract 1.11): an answer that is read by people. */
export const unpricedModelsMax = 100;

export const listUnpricedModels = operation({
  ...shared,
  operationId: 'listUnpricedModels',
  path: `${shared.path}/unpriced`,
  summary: 'List models that have tokens and no cost in a project',
  description:
    'By the number of their llm spans, most first. A price that is set later does not give these ' +
    'spans a cost.',
  method: 'GET',
  kind: 'r',
  requires: 'viewer',
  query: Type.Object({ start_time: Type.Optional(instant), end_time: Type.Optional(instant) }),
  response: Type.Object({ models: Type.Array(unpricedModel) }),
});

export const priceListOperations = [
  getPriceList,
  setPriceList,
  getShippedPriceList,
  matchModelPrice,
  listUnpricedModels,
];

/** Complaints about prices: a model has one at a time, and `*` only ends a name. */
export const priceComplaints = (prices: readonly Price[]): readonly Complaint[] => {
  const seen = new Set<string>();
  return prices.flatMap(({ model, from }, at) => {
    const loc = ['body', 'prices', String(at)];
    if (model.slice(0, -1).includes('*')) {
      return [valueComplaint([...loc, 'model'], "'*' may only end the name of a model")];
    }
    const key = JSON.stringify([model, from]);
    if (!seen.has(key)) {
      seen.add(key);
      return [];
    }
    const sentence = `model '${model}' has two prices at the same time`;
    return [valueComplaint(loc, sentence)];
  });
};

import { Type, type Static } from 'typebox';
import { namedSchema, nullable } from '../kernel/schema-types.js';

/** Item of an ingest request that was not recorded (contract 5.6, rule 8). */
const rejectedItem = namedSchema(
  'RejectedItem',
  Type.Object({
    index: Type.Integer({ description: 'Place of the item in the list of the request, from 0.' }),
    id: nullable(
      Type.String({
        description:
          'Id of the item as sent; null for any value but a string of up to 300 characters.',
      }),
    ),
    loc: Type.Array(Type.String(), { description: 'Where it is wrong, as a 422 says it.' }),
    msg: Type.String({ description: 'Complaint about the item, in the words of a 422.' }),
  }),
);
export type RejectedItem = Static<typeof rejectedItem>;

/** Path from the body's root to a truncated text: names and indices (contract 5.6, rule 9). */
export type TextPath = readonly string[];

/** Rejected items of an ingest request, and its truncated texts. */
export type PartialIngest = {
  readonly rejected: readonly RejectedItem[];
  readonly truncated: readonly TextPath[];
};

/** Response members for partial ingest; empty lists when everything was recorded as sent. */
export const partialIngest = {
  rejected: Type.Array(rejectedItem, { description: 'Items that were not recorded, and why.' }),
  truncated: Type.Array(Type.Array(Type.String()), {
    description: 'Paths of texts that were longer than 1 MiB and were cut.',
  }),
};

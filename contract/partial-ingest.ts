import { Type, type Static } from 'typebox';
import { namedSchema, nullable } from '../kernel/schema-types.js';

/** Item of an ingest request that was not recorded (contract 5.6, rule 8). */
const rejectedItem = namedSchema(
  'RejectedItem',
  Type.Object({
    index: Type.Integer(),
    id: nullable(Type.String()),
    loc: Type.Array(Type.String()),
    msg: Type.String(),
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
  rejected: Type.Array(rejectedItem),
  truncated: Type.Array(Type.Array(Type.String())),
};

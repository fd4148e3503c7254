import { addressCodec, choiceMember } from '../parts/address.js';
import { scopeMembers, type RecordScope } from '../parts/record-scope.js';

/** View of the queue, as its address has it. */
export type RateView = RecordScope & {
  /** `mine`: in an order by chance that begins elsewhere for each person. */
  readonly order: 'newest' | 'mine';
};

export const rateCodec = addressCodec<RateView>({
  ...scopeMembers,
  order: choiceMember(['newest', 'mine'], 'newest'),
});

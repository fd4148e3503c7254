import {
  addressCodec,
  choiceMember,
  listMember,
  optionalMember,
  sortMember,
  textMember,
} from '../parts/address.js';
import { scopeMembers, type RecordScope } from '../parts/record-scope.js';
import type { Population } from '../../kernel/records/record.js';

/** View of the explorer, as its address has it. */
export type ExplorerView = RecordScope & {
  /** Null: newest first. */
  readonly sort: { readonly column: string; readonly ascending: boolean } | null;
  /** Ids of the columns in their order; null: the usual ones. */
  readonly cols: readonly string[] | null;
  readonly facets: 'on' | 'off';
  readonly strip: 'on' | 'off';
  /** Kind of records that was shown before, and its whole filter, for the way back; null: none. */
  readonly was: Population | null;
  readonly wasf: string;
  /** Conditions of that filter that do not apply here. */
  readonly lost: string;
};

export const explorerCodec = addressCodec<ExplorerView>({
  ...scopeMembers,
  sort: sortMember(),
  cols: listMember(),
  facets: choiceMember(['on', 'off'], 'on'),
  strip: choiceMember(['on', 'off'], 'on'),
  was: optionalMember<Population>(['session', 'trace', 'span']),
  wasf: textMember(),
  lost: textMember(),
});

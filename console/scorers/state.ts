import {
  addressCodec,
  choiceMember,
  optionalMember,
  sortMember,
  textMember,
} from '../parts/address.js';

/** View of the list of scorers. */
type ScorerListView = { readonly find: string };

export const scorerListCodec = addressCodec<ScorerListView>({ find: textMember() });

/** View of one scorer, as its address has it. */
type ScorerView = {
  readonly tab: 'code' | 'versions' | 'details';
  /** Ground of a validation. */
  readonly on: 'dataset' | 'sample';
  readonly dataset: string | null;
  /** Version of the dataset; null: the current one. */
  readonly version: number | null;
  /** First row, from 0, and how many. */
  readonly first: number;
  readonly rows: number;
  /** Validation that is shown; null: none. */
  readonly task: string | null;
  /** Order of the scored rows; null: as in the dataset. */
  readonly sort: { readonly column: string; readonly ascending: boolean } | null;
  /** Versions that are compared; null: the newest with the one before. */
  readonly from: number | null;
  readonly to: number | null;
};

/** A whole number within these bounds. */
const countMember = (initial: number, least: number, greatest: number) => ({
  initial,
  print: String,
  parse: (text: string): number | undefined => {
    const count = Number(text);
    const isCount = /^\d+$/.test(text) && count >= least && count <= greatest;
    return isCount ? count : undefined;
  },
});

/** Number of a version, from 1, or null. */
const versionMember = () => ({
  initial: null,
  print: (version: number | null): string => (version === null ? '' : String(version)),
  parse: (text: string): number | null | undefined =>
    countMember(1, 1, Number.MAX_SAFE_INTEGER).parse(text),
});

/** Rows of one validation (contract 4.11). */
const rowsMax = 1_000;

export const scorerCodec = addressCodec<ScorerView>({
  tab: choiceMember(['code', 'versions', 'details'], 'code'),
  on: choiceMember(['dataset', 'sample'], 'dataset'),
  dataset: optionalMember(),
  version: versionMember(),
  first: countMember(0, 0, Number.MAX_SAFE_INTEGER),
  rows: countMember(100, 1, rowsMax),
  task: optionalMember(),
  sort: sortMember(),
  from: versionMember(),
  to: versionMember(),
});

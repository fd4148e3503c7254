import {
  addressCodec,
  choiceMember,
  listMember,
  sortMember,
  textMember,
} from '../parts/address.js';

/** View of the leaderboard, as its address has it. */
export type LeaderboardView = {
  /** Id of an experiment group, `none` for experiments in no group; empty: all. */
  readonly group: string;
  /** Text that names contain; empty: any name. */
  readonly find: string;
  /** Null: newest first. */
  readonly sort: { readonly column: string; readonly ascending: boolean } | null;
  /** Ids of the selected experiments, the baseline of a comparison first. */
  readonly sel: readonly string[] | null;
  /** Id of the experiment that is opened; empty: none. */
  readonly open: string;
};

export const leaderboardCodec = addressCodec<LeaderboardView>({
  group: textMember(),
  find: textMember(),
  sort: sortMember({ column: 'rank', ascending: true }),
  sel: listMember(),
  open: textMember(),
});

const rowGroups = ['losses', 'wins', 'ties', 'missing', 'all'] as const;
type RowGroup = (typeof rowGroups)[number];

/** View of a comparison, as its address has it. */
export type ComparisonView = {
  /** Id of the experiment that the others are compared with. */
  readonly base: string;
  /** Ids of the others. */
  readonly with: readonly string[] | null;
  /** The other experiment whose rows are counted as better or worse; empty: the first. */
  readonly of: string;
  /** Metric that rows are judged by; empty: the first that ranks. */
  readonly metric: string;
  readonly rows: RowGroup;
  /** Key of the row that is opened; empty: none. */
  readonly row: string;
  readonly by: 'words' | 'lines';
  readonly seed: number;
};

const seedMax = 2 ** 32 - 1;

export const comparisonCodec = addressCodec<ComparisonView>({
  base: textMember(),
  with: listMember(),
  of: textMember(),
  metric: textMember(),
  rows: choiceMember(rowGroups, 'losses'),
  row: textMember(),
  by: choiceMember(['words', 'lines'], 'words'),
  seed: {
    initial: 1,
    print: String,
    parse: (text) => {
      const seed = Number(text);
      return /^\d+$/.test(text) && seed <= seedMax ? seed : undefined;
    },
  },
});

import { addressCodec, choiceMember, optionalMember, sortMember } from '../parts/address.js';
import { allRuns, scopeMembers, type RecordScope } from '../parts/record-scope.js';

/** View of the overview, as its address has it. */
export type OverviewView = RecordScope & {
  /** Column that the charts are grouped by; null: none. */
  readonly by: string | null;
  readonly show: 'charts' | 'tables' | 'distributions';
};

export const overviewCodec = addressCodec<OverviewView>({
  ...scopeMembers,
  // Empty is the log streams; experiments are shown where they are wanted.
  run: {
    ...scopeMembers.run,
    parse: (text: string) => (text === allRuns ? text : scopeMembers.run.parse(text)),
  },
  by: optionalMember(),
  show: choiceMember(['charts', 'tables', 'distributions'], 'charts'),
});

/** Members of the explorer's address that links of the overview set. */
export const explorerLinkCodec = addressCodec<
  RecordScope & { readonly sort: { readonly column: string; readonly ascending: boolean } | null }
>({ ...scopeMembers, sort: sortMember() });

import { addressCodec, choiceMember, sortMember, textMember } from '../parts/address.js';
import { scopeMembers, type RecordScope } from '../parts/record-scope.js';

export const spanTabs = ['read', 'json', 'metrics', 'otel', 'about'] as const;
export type SpanTab = (typeof spanTabs)[number];

/** View of a trace, as its address has it; scope and sort are those of the list it came from. */
export type TraceView = RecordScope & {
  readonly sort: { readonly column: string; readonly ascending: boolean } | null;
  /** Id of the selected span; empty: the trace itself. */
  readonly sel: string;
  readonly tab: SpanTab;
  /** `critical` marks the critical path. */
  readonly path: 'none' | 'critical';
};

export const traceCodec = addressCodec<TraceView>({
  ...scopeMembers,
  sort: sortMember(),
  sel: textMember(),
  tab: choiceMember(spanTabs, 'read'),
  path: choiceMember(['none', 'critical'], 'none'),
});

/** View of a session, as its address has it: the id of the selected turn, or empty. */
export const sessionCodec = addressCodec<{ readonly sel: string }>({ sel: textMember() });

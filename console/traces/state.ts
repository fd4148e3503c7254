import { addressCodec, choiceMember, textMember } from '../parts/address.js';
import { listMembers, type RecordList } from '../parts/record-scope.js';

export const spanTabs = ['read', 'json', 'metrics', 'otel', 'about'] as const;
export type SpanTab = (typeof spanTabs)[number];

/** View of a trace, as its address has it, with the list that it was opened from. */
export type TraceView = RecordList & {
  /** Id of the selected span; empty: the trace itself. */
  readonly sel: string;
  readonly tab: SpanTab;
  /** `critical` marks the critical path. */
  readonly path: 'none' | 'critical';
};

export const traceCodec = addressCodec<TraceView>({
  ...listMembers,
  sel: textMember(),
  tab: choiceMember(spanTabs, 'read'),
  path: choiceMember(['none', 'critical'], 'none'),
});

/** View of a session, as its address has it: the id of the selected turn, or empty. */
export const sessionCodec = addressCodec<{ readonly sel: string }>({ sel: textMember() });

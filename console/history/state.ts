import {
  addressCodec,
  choiceMember,
  listMember,
  optionalMember,
  rangeMember,
  textMember,
  type TimeRange,
} from '../parts/address.js';

/** View of the timeline, as its address has it. */
export type TimelineView = {
  readonly t: TimeRange;
  /** Ids of users and keys; null: anyone. */
  readonly who: readonly string[] | null;
  /** Types of events; null: all. */
  readonly type: readonly string[] | null;
  /** Kinds of things; null: all. */
  readonly kind: readonly string[] | null;
  readonly technical: 'on' | 'off';
  /** Number of the entry that is open; null: none. */
  readonly sel: string | null;
  /** `on`: the open entry is proven. */
  readonly prove: 'on' | 'off';
  readonly tab: 'timeline' | 'whole' | 'erasure';
  /** Kind and id of the deletion whose certificate is checked: `run:<uuid>`; empty: none. */
  readonly cert: string;
};

export const timelineCodec = addressCodec<TimelineView>({
  t: rangeMember('30d'),
  who: listMember(),
  type: listMember(),
  kind: listMember(),
  technical: choiceMember(['on', 'off'], 'off'),
  sel: optionalMember(),
  prove: choiceMember(['on', 'off'], 'off'),
  tab: choiceMember(['timeline', 'whole', 'erasure'], 'timeline'),
  cert: textMember(),
});

/** View of the history of one record. */
export type RecordHistoryView = {
  /** Project of a session, trace or annotation template; null: not needed. */
  readonly project: string | null;
  /** Position or instant of the state that is shown; null: as it is. */
  readonly at: string | null;
  readonly sel: string | null;
  readonly prove: 'on' | 'off';
};

export const recordHistoryCodec = addressCodec<RecordHistoryView>({
  project: optionalMember(),
  at: optionalMember(),
  sel: optionalMember(),
  prove: choiceMember(['on', 'off'], 'off'),
});

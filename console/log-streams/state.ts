import {
  addressCodec,
  optionalMember,
  rangeMember,
  textMember,
  type TimeRange,
} from '../parts/address.js';

/** View of the list of log streams. */
type LogStreamListView = { readonly find: string };

export const logStreamListCodec = addressCodec<LogStreamListView>({ find: textMember() });

/** View of one log stream: which of its traces to score, and by which scorer. */
type LogStreamView = {
  readonly t: TimeRange;
  readonly f: string;
  /** Id of the scorer; null: the first one of the run. */
  readonly scorer: string | null;
};

export const logStreamCodec = addressCodec<LogStreamView>({
  t: rangeMember('7d'),
  f: textMember(),
  scorer: optionalMember(),
});

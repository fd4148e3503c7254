import type { TraceFields } from '../../clients/typescript/src/generated/traces-types-4.js';

/** A turn of a conversation without its texts. */
export type Turn = {
  readonly id: string;
  /** Place in the session, from 0. */
  readonly index: number;
  readonly createdAt: string;
  readonly isError: boolean;
  /** Dollars; null: unknown. */
  readonly cost: number | null;
  /** Milliseconds; null: unknown. */
  readonly durationMs: number | null;
};

type TurnRecord = Pick<TraceFields, 'id' | 'created_at' | 'status_code'> & {
  readonly metrics?: Readonly<Record<string, unknown>>;
  readonly metric_info?: Readonly<Record<string, unknown>>;
};

/** Turns of the answered records, in their order. */
export const turnsOf = (records: readonly TurnRecord[]): readonly Turn[] =>
  records.map((record, index) => {
    const duration = numberOf(record, 'duration_ns');
    return {
      id: record.id,
      index,
      createdAt: record.created_at ?? '',
      isError: (record.status_code ?? 0) >= 400,
      cost: numberOf(record, 'cost'),
      durationMs: duration === null ? null : duration / 1e6,
    };
  });

const numberOf = ({ metrics, metric_info: info }: TurnRecord, name: string): number | null => {
  const shown = (info?.[name] as { readonly value?: unknown } | undefined)?.value;
  const value = shown ?? metrics?.[name];
  return typeof value === 'number' ? value : null;
};

/** Milliseconds from the begin of the first turn to the last end of a turn; 0 without turns. */
export const sessionLengthMs = (turns: readonly Turn[]): number => {
  const begins = turns.map(({ createdAt }) => Date.parse(createdAt));
  const ends = turns.map(({ durationMs }, index) => (begins[index] ?? 0) + (durationMs ?? 0));
  const first = begins.reduce((least, begin) => Math.min(least, begin), Infinity);
  const last = ends.reduce((greatest, end) => Math.max(greatest, end), -Infinity);
  return turns.length === 0 ? 0 : last - first;
};

/** The next turn with an error behind a place, around the end; null without errors. */
export const nextErrorTurn = (turns: readonly Turn[], index: number): Turn | null =>
  turns.find((turn) => turn.isError && turn.index > index) ??
  turns.find(({ isError }) => isError) ??
  null;

/** A bar of the strip: some turns that follow each other. */
type StripBar = { readonly cost: number; readonly hasError: boolean };

/** Costs of a session in at most so many bars, each of as many turns but the last. */
export const stripBars = (turns: readonly Turn[], barsMax: number): readonly StripBar[] => {
  const size = Math.max(1, Math.ceil(turns.length / barsMax));
  const bars: StripBar[] = [];
  for (let from = 0; from < turns.length; from += size) {
    const part = turns.slice(from, from + size);
    bars.push({
      cost: part.reduce((sum, { cost }) => sum + (cost ?? 0), 0),
      hasError: part.some(({ isError }) => isError),
    });
  }
  return bars;
};

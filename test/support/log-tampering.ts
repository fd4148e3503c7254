import { join } from 'node:path';
import { openDatabase } from '../../engines/sqlite/database.js';
import { digestOf } from '../../engines/node/digest.js';
import { below, oneOf, type Rng } from '../fuzz/valid-request.js';

/** An event as the embedded log has it on the disk. */
export type LogRow = {
  readonly pos: number;
  readonly stream: string;
  readonly rev: number;
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
  readonly salt: Buffer | null;
  readonly digest: Buffer | null;
};
export type LogRows = {
  readonly events: readonly LogRow[];
  /** Streams that are marked as erased. */
  readonly erased: readonly string[];
};

/**
 * A change that an attacker with the disk makes to the event at this index; null if not applicable.
 */
type Tampering = (log: LogRows, at: number, rng: Rng) => LogRows | null;

type Members = Record<string, unknown> & { readonly actor: Record<string, string> };

const rowAt = ({ events }: LogRows, at: number): LogRow => {
  const row = events[at];
  if (row === undefined) throw new RangeError(`no event at ${at}`);
  return row;
};
const replaced = (log: LogRows, at: number, ...by: readonly LogRow[]): LogRows => ({
  ...log,
  events: [...log.events.slice(0, at), ...by, ...log.events.slice(at + 1)],
});
const changed =
  (change: (row: LogRow, rng: Rng) => Partial<LogRow> | null): Tampering =>
  (log, at, rng) => {
    const row = rowAt(log, at);
    const by = change(row, rng);
    return by === null ? null : replaced(log, at, { ...row, ...by });
  };
const member = (change: (members: Members, rng: Rng) => Record<string, unknown>): Tampering =>
  changed((row, rng) => {
    const members = JSON.parse(row.metadata) as Members;
    return { metadata: JSON.stringify({ ...members, ...change(members, rng) }) };
  });
const actor = (which: 'type' | 'id' | 'role', value: string): Tampering =>
  member(({ actor: one }) => ({ actor: { ...one, [which]: value } }));
/** Every event from this place on, so many places further. */
const shifted = ({ events, ...rest }: LogRows, at: number, by: number): LogRows => ({
  ...rest,
  events: events.map((row, index) => (index < at ? row : { ...row, pos: row.pos + by })),
});
const otherText = (text: string, rng: Rng): string => {
  const place = below(rng, text.length);
  return `${text.slice(0, place)}${text[place] === '0' ? '1' : '0'}${text.slice(place + 1)}`;
};
const otherBytes = (bytes: Buffer, rng: Rng): Buffer => {
  const other = Buffer.from(bytes);
  const place = below(rng, other.length);
  other[place] = (other[place] ?? 0) ^ (1 << below(rng, 8));
  return other;
};
const isGone = ({ data }: LogRow): boolean => data === '';
const emptied = (log: LogRows, name: string): LogRows['events'] =>
  log.events.map((row) => (row.stream === name ? { ...row, data: '', salt: null } : row));
const aUuid = '00000000-0000-4000-8000-00000000f0f0';

export const tamperings: Readonly<Record<string, Tampering>> = {
  content: changed((row, rng) => (isGone(row) ? null : { data: otherText(row.data, rng) })),
  'content and digest': changed((row, rng) => {
    if (isGone(row)) return null;
    const data = otherText(row.data, rng);
    return { data, digest: digestOf(row.salt, data) };
  }),
  'content, salt and digest': changed((row, rng) => {
    const data = isGone(row) ? '{}' : otherText(row.data, rng);
    const salt = Buffer.alloc(16, below(rng, 256));
    return { data, salt, digest: digestOf(salt, data) };
  }),
  salt: changed(({ salt }, rng) => (salt === null ? null : { salt: otherBytes(salt, rng) })),
  'no salt': changed(({ salt }) => (salt === null ? null : { salt: null })),
  digest: changed(({ digest }, rng) => (digest ? { digest: otherBytes(digest, rng) } : null)),
  'no digest': changed(() => ({ digest: null })),
  'actor type': actor('type', 'user'),
  'actor id': actor('id', aUuid),
  'actor role': actor('role', 'owner'),
  time: member(() => ({ at: '2026-03-01T09:00:00.000001Z' })),
  request: member(() => ({ request_id: 'another' })),
  correlation: member(() => ({ correlation_id: 'another' })),
  causation: member(() => ({ causation_id: aUuid })),
  schema: member(({ schema }) => ({ schema: Number(schema) + 1 })),
  organisation: (log, at, rng) => {
    // Names shared by organisations belong to the service, whatever their events say.
    if (rowAt(log, at).stream.startsWith('reservation-email-')) return null;
    return member(({ organization_id: is }) => ({
      organization_id: oneOf(
        rng,
        [aUuid, null, '60c67a87-024d-48e3-9dcf-ae5652800741'].filter((one) => one !== is),
      ),
    }))(log, at, rng);
  },
  'torn metadata': changed(({ metadata: text }, rng) => ({
    metadata: text.slice(0, below(rng, text.length)),
  })),
  type: changed(({ type }) => ({ type: `${type}s` })),
  stream: changed(({ stream }) => ({ stream: `${stream}0` })),
  revision: changed(({ rev }) => ({ rev: rev + 1_000 })),
  id: changed(() => ({ id: aUuid })),
  removed: (log, at) => replaced(log, at),
  'removed, no gap': (log, at) => shifted(replaced(log, at), at, -1),
  'cut off': (log, at) => ({ ...log, events: log.events.slice(0, at) }),
  inserted: (log, at) => {
    const row = rowAt(log, at);
    const more = { ...row, id: aUuid, stream: `${row.stream}-x` };
    const room = shifted(log, at, 1);
    return { ...room, events: [...room.events.slice(0, at), more, ...room.events.slice(at)] };
  },
  gap: (log, at, rng) => shifted(log, at, 1 + below(rng, 5)),
  swapped: (log, at) => {
    const [one, next] = [rowAt(log, at), log.events[at + 1]];
    if (next === undefined) return null;
    const [second, first] = [
      { ...one, pos: next.pos },
      { ...next, pos: one.pos },
    ];
    return replaced(replaced(log, at, first), at + 1, second);
  },
  'contents swapped': (log, at, rng) => {
    const [one, place] = [rowAt(log, at), below(rng, log.events.length)];
    const other = rowAt(log, place);
    if (place === at || one.digest === null) return null;
    const take = ({ data, salt, digest }: LogRow) => ({ data, salt, digest });
    const half = replaced(log, at, { ...one, ...take(other) });
    return replaced(half, place, { ...other, ...take(one) });
  },
  'content gone': changed((row) => (isGone(row) ? null : { data: '', salt: null })),
  'erasure forged': (log, at) => {
    const { stream, data } = rowAt(log, at);
    if (data === '') return null;
    return { events: emptied(log, stream), erased: [...log.erased, stream] };
  },
  'marked as erased': (log, at) => {
    const { stream, data } = rowAt(log, at);
    return data === '' ? null : { ...log, erased: [...log.erased, stream] };
  },
  'mark taken away': (log) => (log.erased.length === 0 ? null : { ...log, erased: [] }),
  'another content put back': changed((row) =>
    isGone(row) ? { data: '{"put":"back"}', salt: Buffer.alloc(16, 7) } : null,
  ),
};

/** Opens the log's file bypassing the service, like an attacker with the disk. */
export const openLogFile = (dir: string) => {
  const database = openDatabase(join(dir, 'log.sqlite'));
  database.pragma('synchronous = OFF');
  const insert = database.prepare(
    `INSERT INTO events (pos, stream, rev, id, type, data, metadata, salt, digest)
     VALUES (@pos, @stream, @rev, @id, @type, @data, @metadata, @salt, @digest)`,
  );
  const mark = database.prepare('INSERT OR IGNORE INTO erased VALUES (?, 0)');
  return {
    rows: (): LogRows => ({
      events: database.prepare('SELECT * FROM events ORDER BY pos').all() as LogRow[],
      erased: database.prepareValue('SELECT stream FROM erased').all() as string[],
    }),
    put: ({ events, erased }: LogRows): void =>
      database.transaction('immediate', () => {
        // An attacker with the disk deletes the checksums too.
        database.exec('DELETE FROM events; DELETE FROM erased; DELETE FROM sums WHERE pos > 0');
        for (const row of events) insert.run(row);
        for (const stream of erased) mark.run(stream);
      }),
    close: database.close,
  };
};

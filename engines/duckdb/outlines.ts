import { microsecondsOf } from '../../kernel/records/time-buckets.js';
import {
  groupBySession,
  sessionsWithinLimit,
  spanOutline,
  traceOutline,
  type OutlineSelection,
  type SessionScope,
  type SpanOutline,
  type TraceOutline,
  type TracesOfSessionsPlan,
} from '../../kernel/records/outlines.js';
import type { QueryContext, StreamName } from '../../kernel/ports.js';
import type { RowOrdinals } from '../../kernel/records/records.js';
import { comparedCharactersMax, type SessionTraces } from '../../kernel/records/query-plans.js';
import type { RecordRow } from '../../kernel/records/record.js';
import type { Instant } from '../../kernel/schema-types.js';
import type { DuckDBUUIDValue } from '@duckdb/node-api';
import { parseJsonText } from '../../kernel/json-text.js';
import type { Rows, Statements } from './connections.js';
import { joinPieces, outlineName, type TextPiece } from './long-text.js';
import type { RecordsModel } from './model.js';
import { unpackRow } from './packed-row.js';
import { isUuid, ordinalsMax } from './schema.js';
import { bigintConstant, integerList, uuidConstant } from './sql.js';
import { recordKey, keysPerStatement, recordKeys } from './record-sizes.js';
import { groupsByName, readRowsByKey, type NamedGroup } from './row-decoding.js';

export const firstRows = (
  model: RecordsModel,
  names: readonly StreamName[],
  context: QueryContext = {},
): Promise<ReadonlyMap<StreamName, RecordRow>> =>
  model.connections.read(async (statements) => {
    const places = (await groupsByName(statements, names)).map((group) => recordKey(group, 0));
    const found = new Map<StreamName, RecordRow>();
    for (const population of ['session', 'trace'] as const) {
      for (const row of (await readRowsByKey(statements, population, places)).values()) {
        found.set(row.group, row);
      }
    }
    return found;
  }, context);

export const spanOutlines = (
  model: RecordsModel,
  names: readonly StreamName[],
): Promise<ReadonlyMap<StreamName, readonly SpanOutline[]>> =>
  model.connections.read(async (statements) => {
    const groups = (await groupsByName(statements, names)).filter(({ size }) => size > 1);
    const [small, large] = [
      groups.filter(({ size }) => size <= keysPerStatement),
      groups.filter(({ size }) => size > keysPerStatement),
    ];
    const conditions = [
      ...keyLists(small).map((list) => `key IN (${list.join(', ')})`),
      // Rows of a large group are read as a key range.
      ...large.map(
        (group) => `key > ${recordKey(group, 0)} AND key < ${recordKey(group, group.size)}`,
      ),
    ];
    const byGroup = new Map(groups.map(({ grp, name }) => [grp, name]));
    const found = new Map<StreamName, SpanOutline[]>();
    for (const condition of conditions) {
      const stored = await statements.rows(
        `SELECT key, coalesce(outline, rest) FROM spans WHERE ${condition} ORDER BY key`,
      );
      const texts = await wholeOutlines(statements, stored);
      for (const [at, [key]] of stored.entries()) {
        const name = byGroup.get(Number((key as bigint) / BigInt(ordinalsMax)));
        if (name === undefined) continue;
        const known = found.get(name) ?? [];
        known.push(outlineFrom(texts[at] ?? '', spanOutline));
        found.set(name, known);
      }
    }
    return found;
  });

/** Keys of the spans, in lists of one look-up each; a group may be split over two. */
const keyLists = (groups: readonly NamedGroup[]): readonly (readonly bigint[])[] => {
  const keys = groups.flatMap(recordKeys('span'));
  return Array.from({ length: Math.ceil(keys.length / keysPerStatement) }, (_, at) =>
    keys.slice(at * keysPerStatement, (at + 1) * keysPerStatement),
  );
};

/** Outline from its stored text, which is the outline itself or a short record. */
const outlineFrom = <Outline>(text: string, outlineOf: (row: RecordRow) => Outline): Outline =>
  text.startsWith('[') ? outlineOf(unpackRow(text)) : (parseJsonText(text) as Outline);

/** Outlines of rows (key, outline); long ones are joined from their pieces. */
const wholeOutlines = async ({ rows }: Statements, stored: Rows): Promise<readonly string[]> => {
  const long = stored.flatMap(([key, outline]) =>
    String(outline).length < comparedCharactersMax ? [] : [String(key)],
  );
  const pieces = new Map<string, TextPiece[]>();
  for (let from = 0; from < long.length; from += keysPerStatement) {
    const list = long.slice(from, from + keysPerStatement).join(', ');
    const parts = await rows(
      `SELECT key, start, text FROM texts
       WHERE key IN (${list}) AND name = '${outlineName}'`,
    );
    for (const [key, start, text] of parts) {
      const known = pieces.get(String(key)) ?? [];
      known.push({ start: Number(start), text: String(text) });
      pieces.set(String(key), known);
    }
  }
  return stored.map(([key, outline]) => {
    const parts = pieces.get(String(key));
    return parts === undefined ? String(outline) : joinPieces(parts);
  });
};

export const rowsByOrdinal = (
  model: RecordsModel,
  places: readonly RowOrdinals[],
): Promise<readonly RecordRow[]> =>
  model.connections.read(async (statements) => {
    const groups = await groupsByName(
      statements,
      places.map(({ group }) => group),
    );
    const byName = new Map(groups.map((group) => [group.name, group]));
    const spans = places.flatMap(({ group: name, ordinals }) => {
      const group = byName.get(name);
      return group === undefined ? [] : ordinals.map((ordinal) => recordKey(group, ordinal));
    });
    return [...(await readRowsByKey(statements, 'span', spans)).values()];
  });

export const sessionsWithTraces = (
  model: RecordsModel,
  sessions: readonly SessionScope[],
): Promise<readonly SessionScope[]> =>
  model.connections.read(async ({ rows }) => {
    const wanted = sessions.flatMap(({ project, session }) => {
      const number = model.projects.get(project);
      return number === undefined || !isUuid(session) ? [] : [{ project, session, number }];
    });
    if (wanted.length === 0) return [];
    const found = await rows(
      `SELECT DISTINCT project, session_id FROM traces WHERE NOT lone
       AND project IN (${integerList([...new Set(wanted.map(({ number }) => number))])})
       AND session_id IN (${wanted.map(({ session }) => uuidConstant(session)).join(', ')})`,
    );
    const known = new Set(
      found.map(([project, id]) => `${Number(project)} ${(id as DuckDBUUIDValue).toString()}`),
    );
    return wanted
      .filter(({ number, session }) => known.has(`${number} ${session}`))
      .map(({ project, session }) => ({ project, session }));
  });

/**
 * Implements `Records.tracesOfSessions`: counts the traces first, then reads those of as many
 * sessions as fit.
 */
export const tracesOfSessions = (
  model: RecordsModel,
  { project, sessions, tracesMax }: TracesOfSessionsPlan,
  context: QueryContext = {},
): Promise<readonly SessionTraces[]> =>
  model.connections.read(async ({ rows }) => {
    const number = model.projects.get(project);
    const from = (some: readonly string[]): string =>
      `FROM traces WHERE NOT lone AND project = ${integerList([number ?? 0])}
       AND session_id IN (${some.map(uuidConstant).join(', ')})`;
    const known = number === undefined ? [] : sessions.filter(isUuid);
    const counted =
      known.length === 0
        ? []
        : await rows(`SELECT session_id, count(*) ${from(known)} GROUP BY session_id`);
    const counts = new Map(counted.map(([session, count]) => [String(session), Number(count)]));
    const first = sessionsWithinLimit(sessions, counts, tracesMax);
    const some = first.filter((session) => counts.has(session));
    const found =
      some.length === 0 ? [] : await rows(`SELECT session_id, id, span_count ${from(some)}`);
    const traces = found.map(([session, id, spans]) => {
      const size = { id: String(id), spanCount: Number(spans) };
      return [String(session), size] as const;
    });
    return groupBySession(first, traces);
  }, context);

export const traceOutlines = (
  model: RecordsModel,
  { project, session }: SessionScope,
  { after, order, except, limit }: OutlineSelection,
): Promise<readonly TraceOutline[]> =>
  model.connections.read(async (statements) => {
    const number = model.projects.get(project);
    if (number === undefined || !isUuid(session)) return [];
    const without = (await groupsByName(statements, except)).map(({ grp }) => grp);
    const [sign, direction] = order === 'first' ? ['>', 'ASC'] : ['<', 'DESC'];
    const [at = '', id = ''] = (after ?? '').split(' ');
    const micros = after === null ? '' : bigintConstant(microsecondsOf(at as Instant));
    const conditions = [
      `NOT lone AND project = ${integerList([number])} AND session_id = ${uuidConstant(session)}`,
      ...(without.length === 0 ? [] : [`grp NOT IN (${integerList(without)})`]),
      ...(after === null
        ? []
        : [
            `(created_at ${sign} ${micros}` +
              ` OR (created_at = ${micros} AND id ${sign} ${uuidConstant(id)}))`,
          ]),
    ];
    const stored = await statements.rows(
      `SELECT key, coalesce(outline, rest) FROM traces WHERE ${conditions.join(' AND ')}
       ORDER BY created_at ${direction}, id ${direction} LIMIT ${integerList([limit])}`,
    );
    const texts = await wholeOutlines(statements, stored);
    return texts.map((text) => outlineFrom(text, traceOutline));
  });

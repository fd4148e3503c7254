import type { JsonObject } from '../../kernel/schema-types.js';
import { withIds } from './ids.js';
import type { FilePiece } from './lines.js';
import { parseObject, type ImportedRecord } from './records.js';

/**
 * Assay's own form: a trace with its spans a line as `POST …/traces` takes it (contract 5.6), or a
 * session as `POST …/sessions` does, with `"type": "session"`. `is_complete` and
 * `session_external_id` of a trace belong to the request there.
 */
export async function* traceLines(
  pieces: AsyncIterable<FilePiece>,
): AsyncGenerator<ImportedRecord> {
  for await (const piece of pieces) yield recordOf(piece);
}

const recordOf = (piece: FilePiece): ImportedRecord => {
  const { line } = piece;
  if ('problem' in piece) return piece;
  const value = parseObject(piece.text);
  if (typeof value === 'string') return { line, problem: value };
  if (value['type'] === 'session') {
    return { line, kind: 'session', session: sessionOf(value) };
  }
  const { is_complete: complete, session_external_id: external, ...sent } = value;
  return {
    line,
    kind: 'trace',
    trace: withIds(withoutOwnSession(sent)),
    request: {
      ...(complete === false && { is_complete: false }),
      ...(external != null && { session_external_id: external }),
    },
  };
};

/** Drops a session id equal to the trace's own, which means no session (contract 3.1, rule 4). */
const withoutOwnSession = (trace: JsonObject): JsonObject => {
  const { session_id: session, ...others } = trace;
  return session === undefined || session === trace['id'] ? others : trace;
};

const sessionOf = (value: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([name]) => sessionMembers.includes(name)));
const sessionMembers = ['id', 'name', 'external_id', 'previous_session_id', 'user_metadata'];

import type { SessionEvent, SessionStarted } from '../../events/traces.js';
import { reject, unreachable, type Decide, type Fold } from '../../kernel/decision.js';
import { streamNameOf, type StreamName } from '../../kernel/ports.js';
import type { ProjectId } from '../../kernel/schema-types.js';

export const sessionStream = (project: ProjectId, session: string): StreamName =>
  streamNameOf('session', project, session);

/** State of a session; null before it was started. */
export type Session = { readonly started: SessionStarted; readonly deleted: boolean };

export const sessions: Fold<Session | null, SessionEvent> = {
  initial: null,
  evolve: (session, { type, data }) => {
    switch (type) {
      case 'SessionStarted':
        return { started: data, deleted: false };
      case 'SessionDeleted':
        return session && { ...session, deleted: true };
      default:
        return unreachable(type);
    }
  },
};

/**
 * Starts a session as described by a client; an existing one must be equal (contract 5.6, rule 3).
 */
export const start =
  (requested: SessionStarted): Decide<Session | null, SessionEvent> =>
  (session) => {
    const joined = join(requested)(session);
    if (session === null || 'rejected' in joined) return joined;
    const { started } = session;
    const isSame =
      started.name === requested.name &&
      started.external_id === requested.external_id &&
      started.previous_session_id === requested.previous_session_id &&
      sameMap(started.user_metadata, requested.user_metadata);
    return isSame
      ? []
      : reject('conflict', `Session ${requested.session_id} was started with other content`);
  };

/**
 * Starts a session named by a trace; an existing one of the run is joined (contract 5.6, rule 2).
 */
export const join =
  (requested: SessionStarted): Decide<Session | null, SessionEvent> =>
  (session) => {
    if (session === null) return [{ type: 'SessionStarted', data: requested }];
    if (session.deleted) return reject('conflict', `Session ${requested.session_id} was deleted`);
    if (session.started.run_id !== requested.run_id) {
      return reject('conflict', `Session ${requested.session_id} belongs to another run`);
    }
    return [];
  };

type Texts = Readonly<Record<string, string>>;
const sameMap = (one: Texts, other: Texts): boolean => {
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && one[name] === other[name])
  );
};

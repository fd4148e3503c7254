import { reject, type Decision, type Fold } from './decision.js';
import { Fault } from './fault.js';
import type { EventLog, StreamName } from './ports.js';
import { load, transact, type Authorship } from './transact.js';
import type { Instant } from './shapes.js';

/** Who has a name, as its reservation stream says. */
export type Reservation = { readonly holder: string | null };

type ReservationEvent =
  | { readonly type: 'NameClaimed'; readonly data: { readonly holder: string } }
  | { readonly type: 'NameReleased'; readonly data: { readonly holder: string } };

export const reservation: Fold<Reservation, ReservationEvent> = {
  initial: { holder: null },
  evolve: ({ holder }, { type, data }) =>
    type === 'NameClaimed'
      ? { holder: data.holder }
      : { holder: holder === data.holder ? null : holder },
};

/**
 * How long a claim stands without its holder showing up: longer than a request can last, so that
 * nobody takes a name from under a request that is about to use it, and short enough that a crash
 * in between blocks the name for a minute.
 */
export const claimGraceSeconds = 60;

/**
 * How it stands with the holder of a claim: it exists and has the name; it is gone for good; or
 * neither, because it is about to be made or renamed, or because that never happened.
 */
export type Standing = 'has it' | 'gone' | 'may come';

/**
 * Makes `holder` the one who has the name of `stream`; answers whether it has it now. Engines
 * cannot append two streams as one, so a name and its holder's own stream may disagree after a
 * crash: a name counts as taken only while the other exists and still has it, or may come and its
 * claim is younger than the grace.
 */
export const claim = async (
  log: EventLog,
  stream: StreamName,
  holder: string,
  standingOf: (holder: string) => Promise<Standing>,
  authorship: Authorship,
): Promise<boolean> => {
  const { state } = await load(log, stream, reservation);
  if (state.holder === holder) return true;
  if (state.holder !== null) {
    const standing = await standingOf(state.holder);
    if (standing === 'has it') return false;
    const last = (await log.read(stream)).at(-1);
    const isEarly = last !== undefined && isRecent(last.metadata.at, authorship.at);
    if (standing === 'may come' && isEarly) return false;
  }
  try {
    await transact(
      log,
      stream,
      reservation,
      (now): Decision<ReservationEvent> =>
        now.holder === state.holder
          ? [{ type: 'NameClaimed', data: { holder } }]
          : now.holder === holder
            ? []
            : reject('already-exists', 'The name is taken'),
      authorship,
    );
    return true;
  } catch (error) {
    if (error instanceof Fault && error.code === 'already-exists') return false;
    throw error;
  }
};

/** Gives the name back; nothing happens when someone else has it by now. */
export const release = async (
  log: EventLog,
  stream: StreamName,
  holder: string,
  authorship: Authorship,
): Promise<void> => {
  await transact(
    log,
    stream,
    reservation,
    (now): Decision<ReservationEvent> =>
      now.holder === holder ? [{ type: 'NameReleased', data: { holder } }] : [],
    authorship,
  );
};

const isRecent = (since: Instant, now: Instant): boolean =>
  Date.parse(now) - Date.parse(since) < claimGraceSeconds * 1_000;

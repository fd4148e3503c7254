import { reject, type Decision, type Fold } from './decision.js';
import { Fault } from './fault.js';
import type { Event, EventLog, EventReader, StreamName } from './ports.js';
import { loadStreamState, transact, type Authorship } from './transact.js';
import type { Instant } from './schema-types.js';

/** Who has a name, as its reservation stream says. */
export type NameReservation = { readonly holder: string | null };

type ReservationEvent =
  | { readonly type: 'NameClaimed'; readonly data: { readonly holder: string } }
  | { readonly type: 'NameReleased'; readonly data: { readonly holder: string } };

export const nameReservationFold: Fold<NameReservation, ReservationEvent> = {
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
export type HolderState = 'has it' | 'gone' | 'may come';

/**
 * Makes `holder` the one who has the name of `stream`; answers whether it has it now. Engines
 * cannot append two streams as one, so a name and its holder's own stream may disagree after a
 * crash: a name counts as taken only while the other exists and still has it, or may come and its
 * claim is younger than the grace.
 */
export const claimName = async (
  log: EventLog,
  stream: StreamName,
  holder: string,
  stateOf: (holder: string) => Promise<HolderState>,
  authorship: Authorship,
): Promise<boolean> => {
  const { state } = await loadStreamState(log, stream, nameReservationFold);
  if (state.holder === holder) return true;
  if (state.holder !== null) {
    const holderState = await stateOf(state.holder);
    if (holderState === 'has it') return false;
    const last = (await log.read(stream)).at(-1);
    const isEarly = last !== undefined && isRecent(last.metadata.at, authorship.at);
    if (holderState === 'may come' && isEarly) return false;
  }
  try {
    await transact(
      log,
      stream,
      nameReservationFold,
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
export const releaseName = async (
  log: EventLog,
  stream: StreamName,
  holder: string,
  authorship: Authorship,
): Promise<void> => {
  await transact(
    log,
    stream,
    nameReservationFold,
    (now): Decision<ReservationEvent> =>
      now.holder === holder ? [{ type: 'NameReleased', data: { holder } }] : [],
    authorship,
  );
};

const isRecent = (since: Instant, now: Instant): boolean =>
  Date.parse(now) - Date.parse(since) < claimGraceSeconds * 1_000;

/** What a noun says of its unique names; `Where` is what it takes to find the stream of one. */
type NameRules<Where, Name, S, E extends Event> = {
  readonly stream: (where: Where, name: Name) => StreamName;
  /** The stream of who may have the name, and its fold: null before they exist. */
  readonly holder: (id: string, name: Name) => StreamName;
  readonly fold: Fold<S | null, E>;
  /** False once a holder is gone for good. */
  readonly isLive: (holder: S) => boolean;
  readonly has: (holder: S, name: Name) => boolean;
};

/**
 * Names of which each has one holder at most among those that live; see `claimName` and
 * `releaseName`.
 */
export const uniqueName = <Where, Name, S, E extends Event>({
  stream,
  holder: holderStream,
  fold,
  isLive,
  has,
}: NameRules<Where, Name, S, E>) => {
  type Reading = Where & { readonly log: EventReader };
  type Writing = Where & { readonly log: EventLog };
  const claimant = (where: Reading, name: Name) =>
    loadStreamState(where.log, stream(where, name), nameReservationFold);
  const holderOf = async ({ log }: Reading, id: string, name: Name): Promise<S | null> =>
    (await loadStreamState(log, holderStream(id, name), fold)).state;
  const stateOf = (holder: S | null, name: Name): HolderState => {
    if (holder !== null && !isLive(holder)) return 'gone';
    return holder !== null && has(holder, name) ? 'has it' : 'may come';
  };
  const claimFor = (where: Writing, name: Name, id: string, authorship: Authorship) =>
    claimName(
      where.log,
      stream(where, name),
      id,
      async (other) => stateOf(await holderOf(where, other, name), name),
      authorship,
    );
  return {
    stream,
    claim: claimFor,
    release: (where: Writing, name: Name, id: string, authorship: Authorship) =>
      releaseName(where.log, stream(where, name), id, authorship),
    /** Who lives and has the name; null when nobody does. */
    find: async (where: Reading, name: Name): Promise<S | null> => {
      const id = (await claimant(where, name)).state.holder;
      const holder = id === null ? null : await holderOf(where, id, name);
      return stateOf(holder, name) === 'has it' ? holder : null;
    },
    /**
     * Claims the name for the id that `idAfter` derives from the last revision of its reservation,
     * the same one for all who ask at once; answers whose it is then. Throws Fault `conflict`.
     */
    settle: async (
      where: Writing,
      name: Name,
      idAfter: (revision: string) => string,
      authorship: Authorship,
    ) => {
      const id = idAfter(String((await claimant(where, name)).revision));
      const isOurs = await claimFor(where, name, id, authorship);
      const holder = isOurs ? id : (await claimant(where, name)).state.holder;
      if (holder === null) throw new Fault('conflict', 'The name changed hands; try again');
      return { holder, isDerived: holder === id };
    },
  };
};

import { reject, type Decision, type Fold } from './decision.js';
import { Fault } from './fault.js';
import type { Event, EventLog, EventReader, StreamName } from './ports.js';
import { loadStreamState, transact, type Authorship, type StreamAddition } from './transact.js';
import type { Instant } from './schema-types.js';

/** Holder of a unique name, folded from its reservation stream. */
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
 * Grace period of a claim whose holder does not exist yet: longer than a request can last, so that
 * a name is not taken from a request that is about to use it, and short enough that a crash in
 * between blocks the name for a minute.
 */
export const claimGraceSeconds = 60;

/**
 * State of a claim's holder. `held`: it exists and has the name. `released`: it was deleted.
 * `pending`: it does not exist or has another name, and may be about to be created or renamed.
 */
export type HolderState = 'held' | 'released' | 'pending';

/**
 * Reserves the name of `stream` for `holder`; true if it has the name now. Engines cannot append
 * two streams atomically, so a name and its holder's own stream may disagree after a crash: a name
 * counts as taken only while its holder's state is `held`, or is `pending` with a claim younger
 * than `claimGraceSeconds`.
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
  if (await isTaken(log, stream, state, stateOf, authorship.at)) return false;
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

/** Releases the name; no effect when another holder has it by now. */
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

/**
 * Addition that claims the name of `stream`, to be appended before the event by which `holder`
 * takes it; null when another holder has it. A repeated claim is written again, so that of two
 * requests that know the same revision one loses.
 */
const claimAddition = async (
  log: EventReader,
  stream: StreamName,
  holder: string,
  stateOf: (holder: string) => Promise<HolderState>,
  at: Instant,
): Promise<StreamAddition | null> => {
  const { state, revision } = await loadStreamState(log, stream, nameReservationFold);
  const isOurs = state.holder === holder;
  if (!isOurs && (await isTaken(log, stream, state, stateOf, at))) return null;
  return { stream, expected: revision, events: [{ type: 'NameClaimed', data: { holder } }] };
};

/** Addition that releases the name of `stream`; null when `holder` does not have it. */
const releaseAddition = async (
  log: EventReader,
  stream: StreamName,
  holder: string,
): Promise<StreamAddition | null> => {
  const { state, revision } = await loadStreamState(log, stream, nameReservationFold);
  const events = [{ type: 'NameReleased', data: { holder } }];
  return state.holder === holder ? { stream, expected: revision, events } : null;
};

/** True while the claim counts: see `claimName`. */
const isTaken = async (
  log: EventReader,
  stream: StreamName,
  { holder }: NameReservation,
  stateOf: (holder: string) => Promise<HolderState>,
  at: Instant,
): Promise<boolean> => {
  const holderState = holder === null ? 'released' : await stateOf(holder);
  if (holderState !== 'pending') return holderState === 'held';
  const last = (await log.read(stream)).at(-1);
  return last !== undefined && isRecent(last.metadata.at, at);
};

const isRecent = (since: Instant, now: Instant): boolean =>
  Date.parse(now) - Date.parse(since) < claimGraceSeconds * 1_000;

/** Rules of a noun's unique names; `Where` is what its streams are named by. */
type NameRules<Where, Name, S, E extends Event> = {
  readonly stream: (where: Where, name: Name) => StreamName;
  /** The stream of a possible holder, and its fold: null before it exists. */
  readonly holder: (id: string, name: Name) => StreamName;
  readonly fold: Fold<S | null, E>;
  /** False once the holder is gone for good. */
  readonly isLive: (holder: S) => boolean;
  readonly has: (holder: S, name: Name) => boolean;
};

/** Unique names: each has at most one live holder; see `claimName` and `releaseName`. */
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
    if (holder !== null && !isLive(holder)) return 'released';
    return holder !== null && has(holder, name) ? 'held' : 'pending';
  };
  const stateIn = (where: Reading, name: Name) => async (id: string) =>
    stateOf(await holderOf(where, id, name), name);
  const claimFor = (where: Writing, name: Name, id: string, authorship: Authorship) =>
    claimName(where.log, stream(where, name), id, stateIn(where, name), authorship);
  return {
    stream,
    claim: claimFor,
    release: (where: Writing, name: Name, id: string, authorship: Authorship) =>
      releaseName(where.log, stream(where, name), id, authorship),
    /** See `claimAddition`. */
    claimAddition: (where: Reading, name: Name, id: string, at: Instant) =>
      claimAddition(where.log, stream(where, name), id, stateIn(where, name), at),
    /** See `releaseAddition`. */
    releaseAddition: (where: Reading, name: Name, id: string) =>
      releaseAddition(where.log, stream(where, name), id),
    /** The live holder of the name; null if there is none. */
    find: async (where: Reading, name: Name): Promise<S | null> => {
      const id = (await claimant(where, name)).state.holder;
      const holder = id === null ? null : await holderOf(where, id, name);
      return stateOf(holder, name) === 'held' ? holder : null;
    },
    /**
     * Claims the name for the id that `idAfter` derives from the last revision of its reservation,
     * so that concurrent callers derive the same one; returns the resulting holder. Throws Fault
     * `conflict`.
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
      if (holder === null)
        throw new Fault('conflict', 'Another request took this name meanwhile. Try again.');
      return { holder, isDerived: holder === id };
    },
  };
};

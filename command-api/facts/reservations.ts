import type { Fold } from '../../kernel/decision.js';
import { Fault } from '../../kernel/fault.js';
import {
  streamNameOf,
  type Event,
  type EventLog,
  type Ids,
  type StreamName,
} from '../../kernel/ports.js';
import { uniqueName } from '../../kernel/name-reservation.js';
import type { Authorship } from '../../kernel/transact.js';

/**
 * Stream that reserves a name. `digest` is derived from the name and its scope, so that no client
 * text is part of a stream's name.
 */
export const reservationStream = (
  what:
    | 'organization'
    | 'project'
    | 'log-stream'
    | 'experiment'
    | 'dataset'
    | 'api-key-value'
    | 'email'
    | 'session'
    | 'group'
    | 'invitation'
    | 'identity'
    | 'id-token'
    | 'last-admin'
    | 'scorer',
  digest: string,
): StreamName => streamNameOf('reservation', what, digest);

export type IdDeriver = { readonly ids: Pick<Ids, 'derive'> };
type NamingNeeds = IdDeriver & { readonly log: EventLog };
type NameChange = { readonly scope: string; readonly from: string; readonly to: string };

/** A name with the scope in which it is unique: the id of an organisation or a project. */
type ScopedName = { readonly scope: string; readonly name: string };

type NameHolder = { readonly name: string; readonly live: boolean };

/** Unique names within a scope, held by live holders; refusals begin with `called`. */
export const scopedNames = <S extends NameHolder, E extends Event>(rules: {
  readonly what: Parameters<typeof reservationStream>[0];
  readonly called: string;
  readonly holder: (id: string) => StreamName;
  readonly fold: Fold<S | null, E>;
}) => {
  const names = uniqueName({
    ...rules,
    stream: ({ ids }: IdDeriver, { scope, name }: ScopedName) =>
      reservationStream(rules.what, ids.derive('Reservation', scope, name)),
    isLive: (holder) => holder.live,
    has: (holder, { name }) => holder.name === name,
  });
  /** Reserves the name. Throws Fault `already-exists` when it has another holder. */
  const take = async (needs: NamingNeeds, name: ScopedName, id: string, authorship: Authorship) => {
    if (await names.claim(needs, name, id, authorship)) return;
    throw new Fault('already-exists', `${rules.called} named '${name.name}' exists already`);
  };
  return {
    ...names,
    take,
    /**
     * Reserves the new name, runs `work`, which renames, and releases the old name; only `work`
     * when both are equal.
     */
    rename: async <T>(
      needs: NamingNeeds,
      { scope, from, to }: NameChange,
      id: string,
      authorship: Authorship,
      work: () => Promise<T>,
    ): Promise<T> => {
      if (from === to) return work();
      await take(needs, { scope, name: to }, id, authorship);
      const done = await work();
      await names.release(needs, { scope, name: from }, id, authorship);
      return done;
    },
  };
};

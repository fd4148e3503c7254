import type { reservationHolders } from '../../events/reservations.js';
import type { Decide, Fold } from '../../kernel/decision.js';
import { Fault } from '../../kernel/fault.js';
import {
  streamNameOf,
  type Event,
  type EventLog,
  type Ids,
  type StreamName,
} from '../../kernel/ports.js';
import { uniqueName } from '../../kernel/name-reservation.js';
import {
  noCompanions,
  transact,
  type Authorship,
  type JoinedDecision,
} from '../../kernel/transact.js';

/**
 * Stream that reserves a name. `digest` is derived from the name and its scope, so that no client
 * text is part of a stream's name.
 */
export const reservationStream = (
  what: keyof typeof reservationHolders,
  digest: string,
): StreamName => streamNameOf('reservation', what, digest);

export type IdDeriver = { readonly ids: Pick<Ids, 'derive'> };
type NamingNeeds = IdDeriver & { readonly log: EventLog };
/** A name with the scope in which it is unique: the id of an organisation or a project. */
type ScopedName = { readonly scope: string; readonly name: string };

type NameHolder = { readonly name: string; readonly live: boolean };

type HolderIn<Scope extends string> = NameHolder & { readonly [scope in Scope]: string };

/**
 * Unique names within a scope, which the holder's member `scope` says, held by live holders;
 * refusals begin with `called`.
 */
export const scopedNames = <
  Scope extends 'organizationId' | 'projectId',
  S extends HolderIn<Scope>,
  E extends Event,
>(rules: {
  readonly what: keyof typeof reservationHolders;
  readonly scope: Scope;
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
  const takenFault = (name: string): Fault =>
    new Fault('already-exists', `${rules.called} named '${name}' exists already`);
  return {
    ...names,
    /**
     * `transact` on the holder's stream: events that create, rename or end the holder take its new
     * name and release its old one in the same append (D-235). Throws Fault `already-exists` when
     * the name has another holder. The events of `joined` come between claim and holder.
     */
    transact: <H extends HolderIn<Scope>, F extends Event>(
      needs: NamingNeeds,
      id: string,
      fold: Fold<H | null, F>,
      decide: Decide<H | null, NoInfer<F>>,
      authorship: Authorship,
      joined: JoinedDecision | null = null,
    ) => {
      const nameOf = (holder: H | null): ScopedName | null =>
        holder?.live === true ? { scope: holder[rules.scope], name: holder.name } : null;
      return transact(
        needs.log,
        rules.holder(id),
        fold,
        decide,
        authorship,
        async (state, events) => {
          const from = nameOf(state);
          const to = nameOf(events.reduce(fold.evolve, state));
          if (from?.name === to?.name) return noCompanions;
          const claim = to && (await names.claimAddition(needs, to, id, authorship.at));
          if (to !== null && claim === null) throw takenFault(to.name);
          const release = from && (await names.releaseAddition(needs, from, id));
          const other = joined && (await joined.addition(needs.log));
          const before = [claim, other].filter((addition) => addition !== null);
          return { before, after: release ? [release] : [] };
        },
        joined ? [joined.stream] : [],
      );
    },
  };
};

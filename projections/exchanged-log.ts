import { start, type Clock, type EventReader, type Position } from '../kernel/ports.js';
import { dropBuilding } from './building.js';
import type { Parking } from './parking.js';
import type { ReadModel } from './read-model.js';
import { whenReachable } from './ruled-out.js';

/** A read model that is ahead of the log. */
export type Ahead = {
  readonly name: string;
  readonly checkpoint: Position;
  readonly head: Position;
};

type Needs = {
  readonly reader: Pick<EventReader, 'head'>;
  readonly sources: readonly ReadModel[];
  readonly parking: Parking;
  readonly clock: Clock;
};

/**
 * The log is the truth, and a checkpoint beyond its head says that this is not the log that was
 * folded: an older backup was restored, or the log was begun anew (an embedded one without events
 * is refused before anything is opened, D-179). What the read models hold may
 * then come from events that no longer exist, so all of them are emptied, even those that are not
 * ahead, along with what was set aside in them. Returns those that were ahead; none on a sound
 * start.
 */
export const emptiedWhenExchanged = async (needs: Needs): Promise<readonly Ahead[]> => {
  const { sources, parking } = needs;
  const checkpoints = await Promise.all(sources.map((source) => source.checkpoint()));
  // Asked after the checkpoints: the log only grows.
  const head = await whenReachable(needs.clock, () => needs.reader.head());
  const ahead = sources.flatMap(({ name }, index) => {
    const checkpoint = checkpoints[index] ?? start;
    return checkpoint > head ? [{ name, checkpoint, head }] : [];
  });
  if (ahead.length === 0) return ahead;
  // Those that are ahead come last: a crash before they are emptied begins all of it again.
  const isAhead = (source: ReadModel): boolean => ahead.some(({ name }) => name === source.name);
  for (const source of sources) if (!isAhead(source)) await empty(source, parking);
  for (const source of sources) if (isAhead(source)) await empty(source, parking);
  return ahead;
};

/**
 * What a read model has set aside is the projector's to know. One that it knows nothing of, because
 * its own state was lost, may lack what was parked, and refuses a projector whose fences began
 * anew: it is emptied, and filled from the log. Returns which and until where; none on a sound
 * start.
 */
export const emptiedWhenForgotten = async (needs: Needs): Promise<readonly Forgotten[]> => {
  const { sources, parking, clock, reader } = needs;
  const forgotten: Forgotten[] = [];
  for (const source of sources) {
    const { name, version } = source;
    if (parking.version(name) !== null || (await source.checkpoint()) === start) continue;
    const until = await whenReachable(clock, () => reader.head());
    await empty(source, parking);
    await parking.noteVersion(name, version);
    forgotten.push({ name, until });
  }
  return forgotten;
};
type Forgotten = { readonly name: string; readonly until: Position };

const empty = async (source: ReadModel, parking: Parking): Promise<void> => {
  await parking.forget(source.name);
  await dropBuilding(parking, source);
  const copy = await source.shadow();
  // A projector that lost its lease must not fill it.
  const nothing = await copy.model.fold([], null, []);
  await nothing.apply({ position: start, fence: parking.fence() });
  await copy.promote();
};

/** Why it is rebuilt, for an operator. */
export const aheadReason = ({ checkpoint, head }: Ahead): string =>
  `built anew: its checkpoint ${checkpoint} is beyond the end of the log, ${head}`;
export const forgottenReason = 'built anew: it is not known any more what was set aside in it';

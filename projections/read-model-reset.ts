import { logStart, type Clock, type EventReader, type Position } from '../kernel/ports.js';
import { dropShadowBuild } from './shadow-build.js';
import type { Parking } from './parking.js';
import type { ReadModel } from './read-model.js';
import { retryWhileUnavailable } from './skipped-events.js';

/** A read model that is ahead of the log. */
export type AheadReadModel = {
  readonly name: string;
  readonly checkpoint: Position;
  readonly head: Position;
};

type Needs = {
  readonly reader: Pick<EventReader, 'head'>;
  readonly readModels: readonly ReadModel[];
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
export const resetIfLogReplaced = async (needs: Needs): Promise<readonly AheadReadModel[]> => {
  const { readModels, parking } = needs;
  const checkpoints = await Promise.all(readModels.map((source) => source.checkpoint()));
  // Asked after the checkpoints: the log only grows.
  const head = await retryWhileUnavailable(needs.clock, () => needs.reader.head());
  const ahead = readModels.flatMap(({ name }, index) => {
    const checkpoint = checkpoints[index] ?? logStart;
    return checkpoint > head ? [{ name, checkpoint, head }] : [];
  });
  if (ahead.length === 0) return ahead;
  // Those that are ahead come last: a crash before they are emptied begins all of it again.
  const isAhead = (source: ReadModel): boolean => ahead.some(({ name }) => name === source.name);
  for (const source of readModels) if (!isAhead(source)) await resetReadModel(source, parking);
  for (const source of readModels) if (isAhead(source)) await resetReadModel(source, parking);
  return ahead;
};

/**
 * What a read model has set aside is the projector's to know. One that it knows nothing of, because
 * its own state was lost, may lack what was parked, and refuses a projector whose fences began
 * anew: it is emptied, and filled from the log. Returns which and until where; none on a sound
 * start.
 */
export const resetIfStateLost = async (needs: Needs): Promise<readonly StateLoss[]> => {
  const { readModels, parking, clock, reader } = needs;
  const forgotten: StateLoss[] = [];
  for (const source of readModels) {
    const { name, version } = source;
    if (parking.version(name) !== null || (await source.checkpoint()) === logStart) continue;
    const until = await retryWhileUnavailable(clock, () => reader.head());
    await resetReadModel(source, parking);
    await parking.saveVersion(name, version);
    forgotten.push({ name, until });
  }
  return forgotten;
};
type StateLoss = { readonly name: string; readonly until: Position };

const resetReadModel = async (source: ReadModel, parking: Parking): Promise<void> => {
  await parking.clear(source.name);
  await dropShadowBuild(parking, source);
  const copy = await source.shadow();
  // A projector that lost its lease must not fill it.
  const nothing = await copy.model.fold([], null, []);
  await nothing.apply({ position: logStart, fence: parking.fence() });
  await copy.promote();
};

/** Why it is rebuilt, for an operator. */
export const aheadReason = ({ checkpoint, head }: AheadReadModel): string =>
  `built anew: its checkpoint ${checkpoint} is beyond the end of the log, ${head}`;
export const stateLostReason = 'built anew: it is not known any more what was set aside in it';

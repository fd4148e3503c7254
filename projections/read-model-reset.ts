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
 * Empties all read models when one is ahead of the log. The log is the truth: a checkpoint beyond
 * its head proves that another log was folded, since an older backup was restored, or the log was
 * begun anew (an embedded one without events is refused before anything is opened, D-179). Rows may
 * then come from events that no longer exist, so even read models that are not ahead are emptied,
 * along with their parked streams. Returns those that were ahead; empty on a sound start.
 */
export const resetIfLogReplaced = async (needs: Needs): Promise<readonly AheadReadModel[]> => {
  const { readModels, parking } = needs;
  const checkpoints = await Promise.all(readModels.map((source) => source.checkpoint()));
  // Read after the checkpoints: the log only grows.
  const head = await retryWhileUnavailable(needs.clock, () => needs.reader.head());
  const ahead = readModels.flatMap(({ name }, index) => {
    const checkpoint = checkpoints[index] ?? logStart;
    return checkpoint > head ? [{ name, checkpoint, head }] : [];
  });
  if (ahead.length === 0) return ahead;
  // Those that are ahead come last: after a crash before they are emptied, all of it starts again.
  const isAhead = (source: ReadModel): boolean => ahead.some(({ name }) => name === source.name);
  for (const source of readModels) if (!isAhead(source)) await resetReadModel(source, parking);
  for (const source of readModels) if (isAhead(source)) await resetReadModel(source, parking);
  return ahead;
};

/**
 * Empties read models for which the projector's state was lost. Without that state, parked streams
 * may be missing from the read model, and its store refuses a projector whose fencing tokens start
 * again: it is emptied, and filled from the log. Returns which and until which position; empty on a
 * sound start.
 */
export const resetIfStateLost = async (needs: Needs): Promise<readonly StateLoss[]> => {
  const { readModels, parking, clock, reader } = needs;
  const resets: StateLoss[] = [];
  for (const source of readModels) {
    const { name, version } = source;
    if (parking.version(name) !== null || (await source.checkpoint()) === logStart) continue;
    const until = await retryWhileUnavailable(clock, () => reader.head());
    await resetReadModel(source, parking);
    await parking.saveVersion(name, version);
    resets.push({ name, until });
  }
  return resets;
};
type StateLoss = { readonly name: string; readonly until: Position };

const resetReadModel = async (source: ReadModel, parking: Parking): Promise<void> => {
  await parking.clear(source.name);
  await dropShadowBuild(parking, source);
  const copy = await source.shadow();
  // Fenced, so that a projector that lost its lease cannot fill it.
  const nothing = await copy.model.fold([], null, []);
  await nothing.apply({ position: logStart, fence: parking.fence() });
  await copy.promote();
};

/** Reason for the rebuild, for operators. */
export const aheadReason = ({ checkpoint, head }: AheadReadModel): string =>
  `rebuilt: its checkpoint ${checkpoint} is beyond the head of the log, ${head}`;
export const stateLostReason = 'rebuilt: the projector state with its parked streams was lost';

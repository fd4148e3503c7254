import { checkAsked } from '../kernel/asking.js';
import { start, type Clock } from '../kernel/ports.js';
import { fillShadow, type Filling, type Progress } from './fill-shadow.js';
import { movedSubject } from './subscription.js';
import { nothingSetAside } from './parking.js';
import type { Runner, RunNeeds } from './run.js';

type Needs = Pick<RunNeeds, 'reader' | 'checkedDecode' | 'parking' | 'bus'> & {
  readonly runner: Runner;
  readonly clock: Clock;
};

/**
 * Builds the read model anew from the first event, next to the live one, which goes on serving and
 * being fed; then switches. The runner waits only for the last stretch. What failed to fold before
 * is tried again; what an operator ruled out stays out. Throws when the log has a gap, a store
 * fails or `signal` says that nobody wants it any more; the live model is then as it was, and
 * nothing is left of the copy.
 */
export const rebuild = async (
  needs: Needs,
  name: string,
  signal: AbortSignal,
  progress?: (progress: Progress) => void,
): Promise<void> => {
  const { reader, checkedDecode, parking, runner, clock, bus } = needs;
  const subscription = runner.subscription(name);
  if (subscription === null) throw new RangeError(`no read model is called ${name}`);
  const copy = await subscription.source.shadow();
  try {
    const work: Filling = {
      reader,
      decode: await checkedDecode(),
      sink: copy.model,
      fence: parking.fence(),
      exceptions: { ...nothingSetAside, skipped: parking.of(name).skipped },
      signal,
      ...(progress !== undefined && { progress }),
    };
    const nearly = await fillShadow(work, { position: start, poisons: new Map() }, null);
    await runner.exclusively(async () => {
      const { position, poisons } = await fillShadow(
        { ...work, fence: parking.fence() },
        nearly,
        null,
      );
      checkAsked({ signal });
      await copy.promote();
      await parking.replace(name, [...poisons.values()], clock.now());
      await parking.noteVersion(name, subscription.source.version);
      subscription.position = position;
      subscription.trouble = null;
      bus.publish(movedSubject, { name, position });
    });
  } catch (error) {
    await copy.discard().catch(() => null);
    throw error;
  }
  runner.wake();
};

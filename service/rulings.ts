import { recordRuling, type RulingNeeds } from '../command-api/parking/record.js';
import { retry, skip } from '../command-api/parking/parking.js';
import { Fault } from '../kernel/fault.js';
import type { StreamName } from '../kernel/ports.js';
import type { Projector } from '../projections/operate.js';
import type { ParkedStream } from '../projections/parking.js';

/** What an operator decides about a read model, or about one stream that it has set aside. */
type Ruling = {
  readonly projection: string;
  readonly reason: string;
  /** Who decides, as they say. */
  readonly operator: string;
};
export type StreamRuling = Ruling & { readonly stream: string };

/** What came of it. */
export type Ruled = {
  readonly projection: string;
  readonly stream: string;
  readonly revision: number;
  /** Where the stream is parked again, and why; null: it is folded to its end. */
  readonly parked: ParkedStream | null;
};

export type Rulings = {
  /** Rules out the event at which the stream is parked, for this read model and for good. */
  readonly skip: (ruling: StreamRuling) => Promise<Ruled>;
  /** Folds the stream from where it was parked. */
  readonly retry: (ruling: StreamRuling) => Promise<Ruled>;
  readonly resume: (ruling: Ruling) => Promise<void>;
  /** No event: every replay is as it would be without. */
  readonly pause: (projection: string) => Promise<void>;
};

/**
 * Each decision is an event in the log before anything follows from it, so that every replay has
 * it. Throws Fault `unavailable` when the log cannot be written, `conflict` when there is nothing
 * to decide about.
 */
export const openRulings = (
  needs: RulingNeeds,
  projector: Pick<Projector, 'parked' | 'status' | 'skip' | 'retry' | 'pause' | 'resume'>,
): Rulings => {
  const parkedAt = async ({ projection, stream }: StreamRuling): Promise<ParkedStream | null> =>
    (await projector.parked()).find(
      (one) => one.projection === projection && one.stream === stream,
    ) ?? null;
  const ruled = async (ruling: StreamRuling, { revision }: ParkedStream): Promise<Ruled> => {
    const { projection, stream } = ruling;
    return { projection, stream, revision, parked: await parkedAt(ruling) };
  };
  return {
    skip: async (ruling) => {
      const parked = (await parkedAt(ruling)) ?? (await notParked(projector, ruling));
      const { revision, event_id } = parked;
      if (event_id === undefined) throw new Fault('conflict', 'Its event was erased: retry it');
      await recordRuling(needs, skip({ ...ruling, revision, event_id }));
      await projector.skip(ruling.projection, parked.stream, revision);
      return ruled(ruling, parked);
    },
    retry: async (ruling) => {
      const parked = (await parkedAt(ruling)) ?? (await notParked(projector, ruling));
      const { revision, event_id = null } = parked;
      await recordRuling(needs, retry({ ...ruling, revision, event_id }));
      await projector.retry(ruling.projection, ruling.stream as StreamName);
      return ruled(ruling, parked);
    },
    resume: async (ruling) => {
      await known(projector, ruling.projection);
      await recordRuling(needs, retry({ ...ruling, stream: null, revision: null, event_id: null }));
      await projector.resume(ruling.projection);
    },
    pause: async (projection) => {
      await known(projector, projection);
      await projector.pause(projection);
    },
  };
};

const notParked = async (
  projector: Pick<Projector, 'status'>,
  { projection, stream }: StreamRuling,
): Promise<never> => {
  await known(projector, projection);
  throw new Fault('conflict', `${projection} has not parked ${stream}; see: assay parked list`);
};

/** Throws Fault `conflict` unless a read model has this name. */
const known = async (projector: Pick<Projector, 'status'>, name: string): Promise<void> => {
  const names = (await projector.status()).map((one) => one.name);
  if (names.includes(name)) return;
  throw new Fault('conflict', `no read model is called ${name}; there are ${names.join(', ')}`);
};

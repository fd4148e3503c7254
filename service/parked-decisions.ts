import {
  recordParkedDecision,
  type ParkedDecisionNeeds,
} from '../command-api/parking/parked-decision.js';
import { retryParkedStream, skipParkedEvent } from '../command-api/parking/parked-events.js';
import { Fault } from '../kernel/fault.js';
import type { StreamName } from '../kernel/ports.js';
import type { Projector } from '../projections/projector.js';
import type { ParkedStream } from '../projections/parking.js';

/** What an operator decides about a read model, or about one stream that it has set aside. */
type OperatorDecision = {
  readonly projection: string;
  readonly reason: string;
  /** Who decides, as they say. */
  readonly operator: string;
};
export type ParkedDecision = OperatorDecision & { readonly stream: string };

/** What came of it. */
export type ParkedDecisionResult = {
  readonly projection: string;
  readonly stream: string;
  readonly revision: number;
  /** Where the stream is parked again, and why; null: it is folded to its end. */
  readonly parked: ParkedStream | null;
};

export type ParkedDecisions = {
  /** Rules out the event at which the stream is parked, for this read model and for good. */
  readonly skip: (ruling: ParkedDecision) => Promise<ParkedDecisionResult>;
  /** Folds the stream from where it was parked. */
  readonly retry: (ruling: ParkedDecision) => Promise<ParkedDecisionResult>;
  readonly resume: (ruling: OperatorDecision) => Promise<void>;
  /** No event: every replay is as it would be without. */
  readonly pause: (projection: string) => Promise<void>;
};

/**
 * Each decision is an event in the log before anything follows from it, so that every replay has
 * it. Throws Fault `unavailable` when the log cannot be written, `conflict` when there is nothing
 * to decide about.
 */
export const openParkedDecisions = (
  needs: ParkedDecisionNeeds,
  projector: Pick<Projector, 'parked' | 'status' | 'skip' | 'retry' | 'pause' | 'resume'>,
): ParkedDecisions => {
  const parkedAt = async ({ projection, stream }: ParkedDecision): Promise<ParkedStream | null> =>
    (await projector.parked()).find(
      (one) => one.projection === projection && one.stream === stream,
    ) ?? null;
  const ruled = async (
    ruling: ParkedDecision,
    { revision }: ParkedStream,
  ): Promise<ParkedDecisionResult> => {
    const { projection, stream } = ruling;
    return { projection, stream, revision, parked: await parkedAt(ruling) };
  };
  return {
    skip: async (ruling) => {
      const parked = (await parkedAt(ruling)) ?? (await throwNotParked(projector, ruling));
      const { revision, event_id } = parked;
      if (event_id === undefined) throw new Fault('conflict', 'Its event was erased: retry it');
      await recordParkedDecision(needs, skipParkedEvent({ ...ruling, revision, event_id }));
      await projector.skip(ruling.projection, parked.stream, revision);
      return ruled(ruling, parked);
    },
    retry: async (ruling) => {
      const parked = (await parkedAt(ruling)) ?? (await throwNotParked(projector, ruling));
      const { revision, event_id = null } = parked;
      await recordParkedDecision(needs, retryParkedStream({ ...ruling, revision, event_id }));
      await projector.retry(ruling.projection, ruling.stream as StreamName);
      return ruled(ruling, parked);
    },
    resume: async (ruling) => {
      await requireProjection(projector, ruling.projection);
      await recordParkedDecision(
        needs,
        retryParkedStream({ ...ruling, stream: null, revision: null, event_id: null }),
      );
      await projector.resume(ruling.projection);
    },
    pause: async (projection) => {
      await requireProjection(projector, projection);
      await projector.pause(projection);
    },
  };
};

const throwNotParked = async (
  projector: Pick<Projector, 'status'>,
  { projection, stream }: ParkedDecision,
): Promise<never> => {
  await requireProjection(projector, projection);
  throw new Fault('conflict', `${projection} has not parked ${stream}; see: assay parked list`);
};

/** Throws Fault `conflict` unless a read model has this name. */
const requireProjection = async (
  projector: Pick<Projector, 'status'>,
  name: string,
): Promise<void> => {
  const names = (await projector.status()).map((one) => one.name);
  if (names.includes(name)) return;
  throw new Fault('conflict', `no read model is called ${name}; there are ${names.join(', ')}`);
};

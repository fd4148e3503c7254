import {
  recordParkedDecision,
  type ParkedDecisionNeeds,
} from '../command-api/parking/parked-decision.js';
import { retryParkedStream, skipParkedEvent } from '../command-api/parking/parked-events.js';
import { Fault } from '../kernel/fault.js';
import type { StreamName } from '../kernel/ports.js';
import type { Projector } from '../projections/projector.js';
import type { ParkedStream } from '../projections/parking.js';

/**
 * An operator's decision about a read model, or about one stream that it parked after a poison
 * event.
 */
type OperatorDecision = {
  readonly projection: string;
  readonly reason: string;
  /** Name that the operator gives. */
  readonly operator: string;
};
export type ParkedDecision = OperatorDecision & { readonly stream: string };

/** Outcome of a decision. */
export type ParkedDecisionResult = {
  readonly projection: string;
  readonly stream: string;
  readonly revision: number;
  /** Revision at which the stream is parked again, and why; null: it is folded to its end. */
  readonly parked: ParkedStream | null;
};

export type ParkedDecisions = {
  /** Skips the poison event at which the stream is parked, in this read model, for good. */
  readonly skip: (ruling: ParkedDecision) => Promise<ParkedDecisionResult>;
  /** Folds the stream again from where it was parked. */
  readonly retry: (ruling: ParkedDecision) => Promise<ParkedDecisionResult>;
  readonly resume: (ruling: OperatorDecision) => Promise<void>;
  /** Pauses a read model. Appends no event: replays are unaffected. */
  readonly pause: (projection: string) => Promise<void>;
};

/**
 * Operators' decisions about parked streams (dead letters). Each is an event in the log before it
 * takes effect, so that every replay repeats it. Throws Fault `unavailable` when the log cannot be
 * written, `conflict` when the stream is not parked or the read model is unknown.
 */
export const openParkedDecisions = (
  needs: ParkedDecisionNeeds,
  projector: Pick<Projector, 'parked' | 'status' | 'skip' | 'retry' | 'pause' | 'resume'>,
): ParkedDecisions => {
  const parkedAt = async ({ projection, stream }: ParkedDecision): Promise<ParkedStream | null> =>
    (await projector.parked()).find(
      (candidate) => candidate.projection === projection && candidate.stream === stream,
    ) ?? null;
  const outcomeOf = async (
    decision: ParkedDecision,
    { revision }: ParkedStream,
  ): Promise<ParkedDecisionResult> => {
    const { projection, stream } = decision;
    return { projection, stream, revision, parked: await parkedAt(decision) };
  };
  return {
    skip: async (decision) => {
      const parked = (await parkedAt(decision)) ?? (await throwNotParked(projector, decision));
      const { revision, event_id } = parked;
      if (event_id === undefined) throw new Fault('conflict', 'Its event was erased: retry it');
      await recordParkedDecision(needs, skipParkedEvent({ ...decision, revision, event_id }));
      await projector.skip(decision.projection, parked.stream, revision);
      return outcomeOf(decision, parked);
    },
    retry: async (decision) => {
      const parked = (await parkedAt(decision)) ?? (await throwNotParked(projector, decision));
      const { revision, event_id = null } = parked;
      await recordParkedDecision(needs, retryParkedStream({ ...decision, revision, event_id }));
      await projector.retry(decision.projection, decision.stream as StreamName);
      return outcomeOf(decision, parked);
    },
    resume: async (decision) => {
      await requireProjection(projector, decision.projection);
      await recordParkedDecision(
        needs,
        retryParkedStream({ ...decision, stream: null, revision: null, event_id: null }),
      );
      await projector.resume(decision.projection);
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
  const names = (await projector.status()).map((candidate) => candidate.name);
  if (names.includes(name)) return;
  throw new Fault('conflict', `no read model is called ${name}; there are ${names.join(', ')}`);
};

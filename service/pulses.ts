import type { Clock, EventLog, Position } from '../kernel/ports.js';
import { openHeadTimes, type HeadTimes } from '../projections/head-times.js';
import type { PendingErasure, ProjectionStatus, Projector } from '../projections/operate.js';
import { busyMs, heeding, openPulse, silentMs, type Pulse } from './pulse.js';
import type { Starting } from './starting.js';

export type Pulses = {
  readonly log: Pulse<Position>;
  readonly status: Pulse<readonly ProjectionStatus[]>;
  /** Files that hold content which was deleted. */
  readonly files: Pulse<readonly PendingErasure[]>;
  /** When the log was first seen where. */
  readonly times: HeadTimes;
  /** The log for whoever waits for an answer: given up once it is silent. */
  readonly heeded: EventLog;
  /** Aborts when nobody asks any more. */
  readonly signal: AbortSignal;
};

/** An append that is under way is waited for: whether it was written is found out there. */
const unheeded = ['append', 'erase', 'grown', 'health', 'close'] as const;

/** They beat until the service ends. */
export const openPulses = (
  { engines, open }: Pick<Starting, 'engines' | 'open'>,
  log: EventLog,
  clock: Clock,
  projector: Pick<Projector, 'status' | 'erasing'>,
): Pulses => {
  const stopped = new AbortController();
  open.begin('the pulses', () => stopped.abort());
  const { signal } = stopped;
  const times = openHeadTimes();
  const isRemote = engines.names.eventLog === 'eventstoredb';
  const head = async (): Promise<Position> => {
    const position = await log.head();
    times.note(position, clock.milliseconds());
    return position;
  };
  const patienceMs = isRemote ? silentMs : busyMs;
  const pulse = openPulse({ what: 'the log', clock, signal }, head, patienceMs);
  return {
    log: pulse,
    status: openPulse({ what: 'the projector', clock, signal }, () => projector.status(), busyMs),
    files: openPulse({ what: 'the projector', clock, signal }, () => projector.erasing(), busyMs),
    times,
    heeded: isRemote ? heeding(log, pulse, unheeded) : log,
    signal,
  };
};

import type { FaultCode } from '../kernel/fault.js';
import type { Requirement } from './roles.js';

type FaultSources = {
  readonly kind: 'r' | 'w';
  readonly path: string;
  readonly requires: Requirement;
  readonly conditional?: boolean;
  readonly faults?: readonly FaultCode[];
};

/**
 * Faults of an operation beyond those that every operation may answer: a write is contended
 * (contract 1.9), an object of the path may be missing, and a requirement may be unmet.
 */
export const operationFaults = (written: FaultSources): readonly FaultCode[] => [
  ...new Set<FaultCode>([
    ...(written.faults ?? []),
    ...(written.path.includes('{') ? (['not-found'] as const) : []),
    ...(neverForbidding.has(written.requires) ? [] : (['forbidden'] as const)),
    ...(written.conditional === true ? (['precondition-failed'] as const) : []),
    ...(written.kind === 'w' ? (['conflict'] as const) : []),
  ]),
];

/** Requirements that everybody meets who sees the object; to others it is 404 (contract 2.6). */
const neverForbidding: ReadonlySet<Requirement> = new Set<Requirement>([
  'public',
  'cookie',
  'signed-in',
  'viewer',
  'dataset-read',
  'prompt-read',
  'scorer-job',
  'scorer-task',
]);

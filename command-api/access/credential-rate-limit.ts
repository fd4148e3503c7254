import { Fault } from '../../kernel/fault.js';
import { networkPrefix } from '../../kernel/network-prefix.js';
import type { Clock } from '../../kernel/ports.js';

/** Rate limits: failed credentials a minute (contract 2.5, rule 2). */
const perSubjectMax = 5;
const perAddressMax = 30;
const windowMs = 60_000;
/** Subjects and addresses kept in memory: some 20 MB when all of them are busy. */
const entriesMax = 50_000;
/** Longer than any e-mail (RFC 5321: 254), short enough to be kept. */
const subjectCharactersMax = 320;

/**
 * Rate limiter of failed credentials over a sliding window of one minute. `subject` is the e-mail
 * or the shortened form of a key; null = the address alone counts. Kept in memory: a restart
 * forgets at most a minute, and each process of an installation counts for itself.
 */
export type CredentialRateLimit = {
  /** Throws Fault `too-many` when the limit is reached: call before costly work. */
  readonly check: (subject: string | null, address: string) => void;
  /** Records a failure; throws Fault `too-many` when the limit was reached already. */
  readonly recordFailure: (subject: string | null, address: string) => void;
};

export const openCredentialRateLimit = (
  clock: Pick<Clock, 'milliseconds'>,
): CredentialRateLimit => {
  const failures = new Map<string, readonly number[]>();
  const recent = (name: string): readonly number[] => {
    const since = clock.milliseconds() - windowMs;
    return (failures.get(name) ?? []).filter((at) => at > since);
  };
  const counted = (subject: string | null, address: string) => [
    ...(subject === null
      ? []
      : [
          { name: `s ${subject.slice(0, subjectCharactersMax).toLowerCase()}`, max: perSubjectMax },
        ]),
    { name: `a ${networkPrefix(address)}`, max: perAddressMax },
  ];
  const check = (subject: string | null, address: string): void => {
    const waits = counted(subject, address).flatMap(({ name, max }) => {
      const times = recent(name);
      const [oldest = 0] = times.slice(-max);
      return times.length < max ? [] : [oldest + windowMs - clock.milliseconds()];
    });
    if (waits.length === 0) return;
    throw new Fault('too-many', 'Too many failed credentials; try again later', {
      retryAfterSeconds: Math.max(1, Math.ceil(Math.max(...waits) / 1_000)),
    });
  };
  return {
    check,
    recordFailure: (subject, address) => {
      check(subject, address);
      for (const { name } of counted(subject, address)) {
        const times = [...recent(name), clock.milliseconds()];
        failures.delete(name);
        failures.set(name, times);
      }
      for (const name of failures.keys()) {
        if (failures.size <= entriesMax) break;
        failures.delete(name);
      }
    },
  };
};

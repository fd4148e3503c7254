import { Fault } from '../../kernel/fault.js';

/**
 * 512 requests are far more than two cores work on at once; beyond that waiting only makes each
 * slower. 128 MiB of bodies keep the process within its memory even when all of them are at their
 * limit.
 */
export const usualLoad = { requestsMax: 512, bytesMax: 134_217_728 } as const;
export type LoadLimits = { readonly requestsMax: number; readonly bytesMax: number };

export type Load = {
  /** Throws Fault `unavailable` when there is no room. Call the answer when the request is done. */
  readonly enter: () => () => void;
  readonly reserve: (bytes: number) => () => void;
  readonly requests: () => number;
};

/** Sheds what would only wait (contract 1.5: 503). */
export const openLoad = ({ requestsMax, bytesMax }: LoadLimits, shed: () => void): Load => {
  let requests = 0;
  let bytes = 0;
  const refuse = (): never => {
    shed();
    throw new Fault('unavailable', 'The service has more work than it can take; try again');
  };
  return {
    enter: () => {
      if (requests >= requestsMax) refuse();
      requests += 1;
      return () => {
        requests -= 1;
      };
    },
    reserve: (wanted) => {
      // One body always has room, else a large one could never come in.
      if (bytes > 0 && bytes + wanted > bytesMax) refuse();
      bytes += wanted;
      return () => {
        bytes -= wanted;
      };
    },
    requests: () => requests,
  };
};

/** Admission control: decides which waiting request begins next. */
type RequestAdmission = {
  /** Calls `go` now, or once this network's turn comes. */
  readonly admit: (network: string, go: () => void) => void;
};

type Queues = Map<string, (() => void)[]>;

/**
 * Fair admission control: starts this many requests per event-loop tick, networks round robin. A
 * request takes several ticks, each of which is as long as all that begins in it: without a limit,
 * hundreds of connections make every response to others some ten times their own work late.
 *
 * Networks with a recent valid credential (`isKnown`) go first, except for one place in each tick:
 * strangers can use any number of addresses.
 */
export const openRequestAdmission = (
  perTickMax: number,
  isKnown: (network: string) => boolean = () => false,
): RequestAdmission => {
  /** Networks in the order of their turns. */
  const known: Queues = new Map();
  const strangers: Queues = new Map();
  let begun = 0;
  let isTickScheduled = false;
  const scheduleTick = (): void => {
    if (isTickScheduled) return;
    isTickScheduled = true;
    setImmediate(() => {
      isTickScheduled = false;
      begun = 0;
      startWaiting(known, strangers.size > 0 ? Math.max(1, perTickMax - 1) : perTickMax);
      startWaiting(strangers, perTickMax);
      startWaiting(known, perTickMax);
    });
  };
  const begin = (go: () => void): void => {
    begun += 1;
    scheduleTick();
    go();
  };
  const startWaiting = (waiting: Queues, max: number): void => {
    // A network that is moved to the end of the map is reached again in this loop.
    for (const [network, queue] of waiting) {
      if (begun >= max) return;
      const go = queue.shift();
      waiting.delete(network);
      if (queue.length > 0) waiting.set(network, queue);
      if (go !== undefined) begin(go);
    }
  };
  return {
    admit: (network, go) => {
      if (begun < perTickMax && known.size + strangers.size === 0) return begin(go);
      const waiting = isKnown(network) ? known : strangers;
      const queue = waiting.get(network);
      if (queue === undefined) waiting.set(network, [go]);
      else queue.push(go);
    },
  };
};

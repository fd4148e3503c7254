/** Which of the requests that came begins next. */
type RequestAdmission = {
  /** Calls `go` now, or as soon as it is the turn of this network. */
  readonly admit: (network: string, go: () => void) => void;
};

type Queues = Map<string, (() => void)[]>;

/**
 * Lets so many requests begin in each turn of the event loop, networks one after the other. A
 * request takes several turns, each of which is as long as all that begins in it: without an end to
 * that, hundreds of connections make every answer to others some ten times their own work late.
 *
 * Networks from where somebody came in lately (`isKnown`) go first, but for one place in each turn:
 * strangers have as many addresses as they like.
 */
export const openRequestAdmission = (
  perTurnMax: number,
  isKnown: (network: string) => boolean = () => false,
): RequestAdmission => {
  /** In the order in which they go on. */
  const known: Queues = new Map();
  const strangers: Queues = new Map();
  let begun = 0;
  let isTurnComing = false;
  const nextTurn = (): void => {
    if (isTurnComing) return;
    isTurnComing = true;
    setImmediate(() => {
      isTurnComing = false;
      begun = 0;
      goOn(known, strangers.size > 0 ? Math.max(1, perTurnMax - 1) : perTurnMax);
      goOn(strangers, perTurnMax);
      goOn(known, perTurnMax);
    });
  };
  const begin = (go: () => void): void => {
    begun += 1;
    nextTurn();
    go();
  };
  const goOn = (waiting: Queues, max: number): void => {
    // One that goes to the end of the map comes again in this loop.
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
      if (begun < perTurnMax && known.size + strangers.size === 0) return begin(go);
      const waiting = isKnown(network) ? known : strangers;
      const queue = waiting.get(network);
      if (queue === undefined) waiting.set(network, [go]);
      else queue.push(go);
    },
  };
};

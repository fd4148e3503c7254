export type Turns = {
  /** Calls `go` now, or as soon as it is the turn of this network. */
  readonly take: (network: string, go: () => void) => void;
};

/**
 * Lets so many requests begin in each turn of the event loop, networks one after the other. A
 * request takes several turns, each of which is as long as all that begins in it: without an end to
 * that, hundreds of connections make every answer to others some ten times their own work late.
 */
export const openTurns = (perTurnMax: number): Turns => {
  /** In the order in which they go on. */
  const waiting = new Map<string, (() => void)[]>();
  let begun = 0;
  let isTurnComing = false;
  const nextTurn = (): void => {
    if (isTurnComing) return;
    isTurnComing = true;
    setImmediate(() => {
      isTurnComing = false;
      begun = 0;
      goOn();
    });
  };
  const begin = (go: () => void): void => {
    begun += 1;
    nextTurn();
    go();
  };
  const isFull = (): boolean => begun >= perTurnMax;
  const goOn = (): void => {
    // One that goes to the end of the map comes again in this loop.
    for (const [network, queue] of waiting) {
      if (isFull()) return;
      const go = queue.shift();
      waiting.delete(network);
      if (queue.length > 0) waiting.set(network, queue);
      if (go !== undefined) begin(go);
    }
  };
  return {
    take: (network, go) => {
      if (!isFull() && waiting.size === 0) return begin(go);
      const queue = waiting.get(network);
      if (queue === undefined) waiting.set(network, [go]);
      else queue.push(go);
    },
  };
};

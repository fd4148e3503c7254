/** Work to do when the process exits. */
const waiting = new Set<() => void>();
let isListening = false;

/**
 * Runs synchronous work when this process exits, unless the returned function was called. All work
 * shares one listener: Node warns of a leak at the eleventh of an event.
 */
export const atProcessExit = (work: () => void): (() => void) => {
  if (!isListening) {
    process.once('exit', () => {
      for (const one of waiting) one();
    });
  }
  isListening = true;
  waiting.add(work);
  return () => void waiting.delete(work);
};

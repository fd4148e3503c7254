import type { EventLog } from '../../kernel/ports.js';

/** A log that counts the events read from single streams, as a measure independent of time. */
export const countingReads = (
  log: EventLog,
): { readonly log: EventLog; readonly events: () => number } => {
  let events = 0;
  return {
    log: {
      ...log,
      read: async (name, reading) => {
        const found = await log.read(name, reading);
        events += found.length;
        return found;
      },
      portions: async function* (name, reading) {
        for await (const portion of log.portions(name, reading)) {
          events += portion.length;
          yield portion;
        }
      },
    },
    events: () => events,
  };
};

import { openBus } from '../engines/memory/bus.js';
import { openEventReader } from '../engines/sqlite/event-log.js';
import { logStart, type Position } from '../kernel/ports.js';

const pageEvents = 1_000;

/** Reads every event of a folder's log once. */
export const readWholeLog = async (
  dir: string,
): Promise<{ readonly events: number; readonly seconds: number }> => {
  const bus = openBus('bench');
  const reader = await openEventReader({ dir, bus });
  const began = performance.now();
  let events = 0;
  for (let after: Position = logStart, more = true; more;) {
    const page = await reader.page(after, pageEvents);
    events += page.events.length;
    more = page.through > after;
    after = page.through;
  }
  const seconds = (performance.now() - began) / 1_000;
  await reader.close();
  await bus.close();
  return { events, seconds };
};

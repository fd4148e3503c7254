import { logStart, type EventReader, type Position, type StoredEvent } from '../../kernel/ports.js';

/** Every event after `after`, a page at a time. */
export const readAllPages = async (
  log: EventReader,
  after: Position = logStart,
  limit = 1_000,
): Promise<readonly StoredEvent[]> => {
  const events: StoredEvent[] = [];
  for (let from = after; ;) {
    const page = await log.page(from, limit);
    events.push(...page.events);
    if (page.through === from) return events;
    from = page.through;
  }
};

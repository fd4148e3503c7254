import { start, type EventReader, type Position, type Recorded } from '../../kernel/ports.js';

/** Every event after `after`, a page at a time. */
export const pagesOf = async (
  log: EventReader,
  after: Position = start,
  limit = 1_000,
): Promise<readonly Recorded[]> => {
  const events: Recorded[] = [];
  for (let from = after; ;) {
    const page = await log.page(from, limit);
    events.push(...page.events);
    if (page.through === from) return events;
    from = page.through;
  }
};

import type { EventReader, StreamName } from '../../kernel/ports.js';

const pageStreams = 100;

/** Names of all streams that begin with `prefix`, by code point; read from the log page by page. */
export async function* streamNames(
  log: Pick<EventReader, 'streams'>,
  prefix: string,
): AsyncGenerator<StreamName, void> {
  for (let after: StreamName | null = null; ;) {
    const names: readonly StreamName[] = await log.streams(prefix, after, pageStreams);
    yield* names;
    after = names.at(-1) ?? null;
    if (names.length < pageStreams) return;
  }
}

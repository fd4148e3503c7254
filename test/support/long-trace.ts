import { randomUUID } from 'node:crypto';
import type { Client } from './client.js';

const spansPerRequest = 1_000;
const childrenPerSpan = 100;
const begin = Date.parse('2026-03-01T09:00:00Z');
/** The one failing span, by its number. */
export const failingStep = 9_000;

/**
 * Logs a trace of so many spans, `step 0` and so on, each with up to 100 children. `position`: of
 * the last write.
 */
export const logLongTrace = async (
  client: Client,
  projectId: string,
  spanCount: number,
): Promise<{ readonly id: string; readonly position: string }> => {
  const root = `/v2/projects/${projectId}`;
  const trace = { name: 'many', input: 'q', output: 'a' };
  const { body, position: begun } = await client.call<{ readonly trace_ids: readonly string[] }>(
    'POST',
    `${root}/traces`,
    { body: { traces: [trace], include_trace_ids: true } },
  );
  const id = body.trace_ids[0] ?? '';
  const ids = Array.from({ length: spanCount }, () => randomUUID());
  const spanOf = (index: number) => ({
    type: 'tool',
    id: ids[index],
    trace_id: id,
    name: `step ${index}`,
    created_at: new Date(begin + index * 10).toISOString(),
    parent_id: index < childrenPerSpan ? id : ids[Math.floor(index / childrenPerSpan)],
    metrics: { duration_ns: 20_000_000 },
    input: 'question '.repeat(50),
    ...(index === failingStep && {
      status_code: 500,
      user_metadata: { 'error.message': 'the tool broke' },
    }),
  });
  let position = begun;
  for (let from = 0; from < spanCount; from += spansPerRequest) {
    const length = Math.min(spansPerRequest, spanCount - from);
    const spans = Array.from({ length }, (_span, index) => spanOf(from + index));
    const body = { trace_id: id, parent_id: id, spans };
    ({ position } = await client.call('POST', `${root}/spans`, { body }));
  }
  return { id, position: position ?? '' };
};

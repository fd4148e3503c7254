import { randomUUID } from 'node:crypto';
import type { Metadata, NewEvent, StreamAppend, StreamName } from '../../kernel/ports.js';
import type { Instant } from '../../kernel/schema-types.js';

export const metadata: Metadata = {
  actor: { type: 'service', id: 'assay', role: 'system' },
  request_id: 'request-1',
  correlation_id: 'correlation-1',
  causation_id: null,
  at: '2026-03-01T09:00:00.000000Z' as Instant,
  schema: 1,
};

/** An event of a type that only tests know. */
export const newEvent = (data: unknown = {}, id: string = randomUUID()): NewEvent => ({
  id,
  type: 'SomethingHappened',
  data,
  metadata,
});

export const newStream = (noun = 'thing'): StreamName => `${noun}-${randomUUID()}` as StreamName;

export const appendOf = (
  stream: StreamName,
  expected: StreamAppend['expected'],
  ...events: readonly NewEvent[]
): StreamAppend => ({ stream, expected, events });

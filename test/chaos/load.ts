import type { SeededRandom } from '../../kernel/seeded-random.js';
import type { Client, Reply } from '../support/client.js';
import type { Attempt, Entry, Ledger } from './ledger.js';

export type Target = { readonly root: string; readonly run: string };
/** An answer that no crash explains: anything but a 2xx or a 503. */
export type UnexpectedAnswer = {
  readonly attempt: Attempt;
  readonly status: number;
  readonly body: unknown;
};

/**
 * Clients that each send one small request after another, until the service is gone. Most log a new
 * trace; some add a span or a tag to one that was acknowledged, or repeat a request whose outcome
 * is unknown, byte for byte.
 */
export const runLoad = async (options: {
  readonly client: Client;
  readonly ledger: Ledger;
  readonly random: SeededRandom;
  readonly target: Target;
  readonly workers: number;
  readonly surprises: UnexpectedAnswer[];
  /** True once the service was told to die: what breaks from then on is meant to. */
  readonly over: () => boolean;
  readonly acknowledged?: () => void;
}): Promise<void> => {
  const { client, ledger, target, surprises, over } = options;
  const unknown = [...ledger.open()];
  const work = async (): Promise<void> => {
    while (!over()) {
      const entry = nextEntry(options, unknown);
      const reply = await send(client, target, entry.attempt);
      if (reply === null) return;
      if (reply.status >= 200 && reply.status < 300) {
        ledger.acknowledge(entry);
        options.acknowledged?.();
      } else if (reply.status !== 503)
        surprises.push({ attempt: entry.attempt, status: reply.status, body: reply.body });
    }
  };
  await Promise.all(Array.from({ length: options.workers }, work));
};

const nextEntry = (
  { ledger, random }: { readonly ledger: Ledger; readonly random: SeededRandom },
  unknown: Entry[],
): Entry => {
  const again = random.chance(0.5) ? unknown.pop() : undefined;
  if (again !== undefined) return again;
  const known = ledger.traces();
  const trace = known[random.integer(0, Math.max(0, known.length - 1))];
  const kind = random.next();
  if (trace !== undefined && kind < 0.15)
    return ledger.sent({ kind: 'span', trace, span: random.uuid() });
  if (trace !== undefined && kind < 0.25)
    return ledger.sent({ kind: 'tag', trace, tag: `tag-${random.uuid().slice(0, 8)}` });
  return ledger.sent({
    kind: 'trace',
    trace: random.uuid(),
    spans: Array.from({ length: random.integer(0, 3) }, () => random.uuid()),
    session: random.chance(0.3) ? sessionOf(random.integer(0, 7)) : null,
  });
};
const sessionOf = (n: number): string => `0000000${n}-0000-4000-8000-000000000000`;

/** Null when the connection broke: the outcome stays unknown. */
const send = (
  client: Client,
  { root, run }: Target,
  attempt: Attempt,
): Promise<Reply<unknown> | null> => {
  const at = '2026-03-01T09:00:00Z';
  const span = (id: string): object => ({ type: 'tool', id, name: 'work', created_at: at });
  const asked = (): Promise<Reply<unknown>> => {
    if (attempt.kind === 'trace') {
      const { trace, session, spans } = attempt;
      const body = {
        log_stream_id: run,
        session_id: session,
        traces: [{ id: trace, name: trace, created_at: at, spans: spans.map(span) }],
      };
      return client.send('POST', `${root}/traces`, { body });
    }
    const { trace } = attempt;
    if (attempt.kind === 'tag')
      return client.send('PATCH', `${root}/traces/${trace}`, { body: { tags: [attempt.tag] } });
    const body = { trace_id: trace, parent_id: trace, spans: [span(attempt.span)] };
    return client.send('POST', `${root}/spans`, { body });
  };
  return asked().catch(() => null);
};

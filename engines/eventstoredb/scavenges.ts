import type { SpaceReclaim } from '../../kernel/ports.js';
import type { Connection } from './connection.js';

/** Start and end events of scavenges that are read: those of months. */
const scavengeEventsMax = 1_000;

type Scavenge = {
  readonly scavengeId?: string;
  readonly nodeEndpoint?: string;
  readonly result?: unknown;
};

/**
 * Time of the last scavenge, by the server's own stream of scavenges: each node has chunks of its
 * own, so the one that is furthest behind counts. `unknown` without the right to read it, which
 * only operators of the server have by default.
 */
export const openScavengeStatus =
  ({ client, patience }: Pick<Connection, 'client' | 'patience'>) =>
  async (): Promise<SpaceReclaim> => {
    const ended = new Map<string, string>();
    const begun = new Map<string, string>();
    try {
      const reading = client.readStream<{
        readonly type: string;
        readonly data: Scavenge;
        readonly metadata: unknown;
      }>('$scavenges', {
        direction: 'backwards',
        fromRevision: 'end',
        maxCount: scavengeEventsMax,
        resolveLinkTos: true,
        deadline: patience.answerMs,
      });
      reading.on('error', () => undefined);
      for await (const { event } of reading) {
        const { scavengeId: id = '', nodeEndpoint: node = '', result } = event?.data ?? {};
        if (event?.type === '$scavengeCompleted' && result === 'Success') ended.set(id, node);
        const isLast = event?.type === '$scavengeStarted' && !begun.has(node);
        if (isLast && ended.get(id) === node) {
          begun.set(node, event.created.toISOString());
        }
      }
    } catch (error) {
      return (error as { readonly type?: unknown }).type === 'stream-not-found'
        ? { when: 'later', since: null }
        : { when: 'unknown' };
    }
    return { when: 'later', since: [...begun.values()].sort()[0] ?? null };
  };

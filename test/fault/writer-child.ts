import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { openBus } from '../../engines/memory/bus.js';
import { openEventLog } from '../../engines/sqlite/event-log.js';
import { Fault } from '../../kernel/fault.js';
import { logStart, type EventLog, type StreamName } from '../../kernel/ports.js';
import { newEvent } from '../support/new-events.js';
import type { WriterMessage } from './writer-process.js';

/**
 * A process that appends and says what came of it, a line of JSON each: for tests that take its
 * disk away. Arguments: folder, writers at once, bytes of an event, appends in all; 0 = until its
 * input ends. It goes on after a refusal, as a careless service would.
 */
const [dir = '', writers = '1', bytes = '100', count = '0'] = process.argv.slice(2);

const say = (said: WriterMessage): void => void process.stdout.write(`${JSON.stringify(said)}\n`);

let begun = 0;
let ended = false;
process.stdin.on('end', () => (ended = true)).resume();
const isDone = (): boolean => (count === '0' ? ended : begun >= Number(count));

const write = async (log: EventLog): Promise<void> => {
  for (let stream = randomUUID() as string as StreamName, revision = -1; !isDone();) {
    begun += 1;
    const event = newEvent({ text: 'x'.repeat(Number(bytes)) });
    const expected = revision < 0 ? 'none' : revision;
    try {
      const [result = 'conflict'] = await log.append([{ stream, expected, events: [event] }]);
      if (result === 'conflict') throw new Error('nobody else writes this stream');
      say({ acknowledged: event.id });
      revision += 1;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      say({ refused: event.id, code: error.code, again: error.retryAfterSeconds, ...log.health() });
      await pause(10);
    }
  }
};

const stored = async (log: EventLog): Promise<readonly string[]> => {
  const ids: string[] = [];
  for (let after = logStart; ;) {
    const page = await log.page(after, 1_000);
    ids.push(...page.events.map(({ id }) => id));
    if (page.through === after) return ids;
    after = page.through;
  }
};

const bus = openBus('writer');
const log = await openEventLog({ dir, bus });
say({ ready: true });
await Promise.all(Array.from({ length: Number(writers) }, () => write(log)));
say({ stored: await stored(log), ...log.health() });
await log.close();
await bus.close();
process.stdin.destroy();

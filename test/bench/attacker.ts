import { once, setMaxListeners } from 'node:events';
import { setPriority } from 'node:os';
import { prepared, type Prepared, type Stage } from './attack.js';
import { playable } from './attacks.js';

/**
 * A process that plays one attack: prepares on its first message, strikes on the second, until it
 * is killed. At low priority, so that what it computes itself takes nothing from whom it attacks.
 */
setPriority(19);

const play = async ({ attack, stage }: { attack: string; stage: Stage }): Promise<void> => {
  const one = playable.find(({ name }) => name === attack);
  if (one === undefined) throw new Error(`No attack ${attack}`);
  const set = await prepared(stage);
  const ready = await one.prepare(set);
  process.send?.('prepared');
  await once(process, 'message');
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  await one.strike(counted(set), ready as never, signal);
};

/** Tells its parent now and then how many of its requests were answered how. */
const counted = (set: Prepared): Prepared => {
  const said: Record<string, number> = {};
  const count = (status: number | string): void => {
    said[`attack answered ${status}`] = (said[`attack answered ${status}`] ?? 0) + 1;
  };
  setInterval(() => process.send?.(said), 250).unref();
  const send: Prepared['client']['send'] = async (method, path, ask) => {
    try {
      const reply = await set.client.send<never>(method, path, ask);
      count(reply.status);
      return reply;
    } catch (error) {
      count('by a cut');
      throw error;
    }
  };
  return { ...set, count, client: { ...set.client, send } };
};

process.once('message', (asked: { readonly attack: string; readonly stage: Stage }) => {
  play(asked).catch((error: unknown) => {
    process.stderr.write(`attacker: ${String(error)}\n`);
    process.exit(1);
  });
});

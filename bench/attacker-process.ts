import { once, setMaxListeners } from 'node:events';
import { setPriority } from 'node:os';
import { openAttackContext, type AttackContext, type AttackTenant } from './attackers.js';
import { playableAttacks } from './attacks.js';

/**
 * A process that plays one attack: prepares on its first message, strikes on the second, until it
 * is killed. At low priority, so that what it computes itself takes nothing from whom it attacks.
 */
setPriority(19);

const runAttack = async ({
  attack,
  stage,
}: {
  attack: string;
  stage: AttackTenant;
}): Promise<void> => {
  const one = playableAttacks.find(({ name }) => name === attack);
  if (one === undefined) throw new Error(`No attack ${attack}`);
  const set = await openAttackContext(stage);
  const ready = await one.prepare(set);
  process.send?.('prepared');
  await once(process, 'message');
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  await one.strike(reportingContext(set), ready as never, signal);
};

/** Tells its parent now and then how many of its requests were answered how. */
const reportingContext = (set: AttackContext): AttackContext => {
  const said: Record<string, number> = {};
  const count = (status: number | string): void => {
    said[`attack answered ${status}`] = (said[`attack answered ${status}`] ?? 0) + 1;
  };
  setInterval(() => process.send?.(said), 250).unref();
  const send: AttackContext['client']['send'] = async (method, path, ask) => {
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

process.once('message', (asked: { readonly attack: string; readonly stage: AttackTenant }) => {
  runAttack(asked).catch((error: unknown) => {
    process.stderr.write(`attacker: ${String(error)}\n`);
    process.exit(1);
  });
});

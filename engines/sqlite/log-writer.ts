import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import {
  endOfOrders,
  type Damage,
  type Order,
  type OrderOutcome,
  type Ready,
  type WriteFailure,
} from './log-orders.js';
import { unmarkDamaged } from '../node/broken-files.js';
import { damageAtStart, openCheck } from './log-check.js';
import { lastIn, logFile, openForReading, openForWriting } from './log-schema.js';
import { openTransactions, take } from './log-transactions.js';

/**
 * The one writer, in a thread of its own. Whatever waits goes into one transaction: one sync serves
 * every append that waits (group commit). Answers leave after the commit.
 */
const serveOrders = (port: MessagePort, dir: string): void => {
  const database = openForWriting(dir);
  const transactions = openTransactions(database);
  const answer = (outcomes: readonly OrderOutcome[]): void => port.postMessage(outcomes);
  const waiting: Order[] = [];
  let ending = false;

  const accept = (message: readonly Order[] | typeof endOfOrders): void => {
    if (message === endOfOrders) ending = true;
    else for (const order of message) waiting.push(order);
  };

  port.on('message', (first: readonly Order[] | typeof endOfOrders) => {
    accept(first);
    do {
      for (let more = receiveMessageOnPort(port); more; more = receiveMessageOnPort(port)) {
        accept(more.message as readonly Order[] | typeof endOfOrders);
      }
      if (waiting.length > 0) answer(transactions.execute(take(waiting)));
      const failed = transactions.keepWalShort();
      if (failed !== null) answer([{ id: 0, failed }]);
    } while (waiting.length > 0);
    if (!ending) return;
    database.close();
    port.close();
  });
  port.postMessage({ last: transactions.last(), damage: null } satisfies Ready);
  const check = openCheck(database);
  const look = (): void => {
    if (!database.isOpen()) return;
    const { restMs, damage } = check();
    if (damage === null) setTimeout(look, restMs).unref();
    else answer([{ id: 0, failed: transactions.refuse(damage) }]);
  };
  // Orders come first.
  setTimeout(look, 1).unref();
};

/** Nothing is written to a damaged file, not even its schema: each order is refused. */
const refuseOrders = (port: MessagePort, dir: string, damage: Damage): void => {
  const database = openForReading(dir);
  const last = lastIn(database);
  database.close();
  const failed: WriteFailure = { kind: 'damaged', ...damage };
  port.on('message', (message: readonly Order[] | typeof endOfOrders) => {
    if (message === endOfOrders) port.close();
    else port.postMessage(message.map(({ id }): OrderOutcome => ({ id, failed })));
  });
  port.postMessage({ last, damage } satisfies Ready);
};

if (parentPort === null) throw new Error('this file is the entry of the log writer’s thread');
try {
  const { dir } = workerData as { readonly dir: string };
  const damage = damageAtStart(dir);
  if (damage === null) {
    unmarkDamaged(logFile(dir));
    serveOrders(parentPort, dir);
  } else refuseOrders(parentPort, dir, damage);
} catch (error) {
  parentPort.postMessage({ refused: String(error) } satisfies Ready);
}

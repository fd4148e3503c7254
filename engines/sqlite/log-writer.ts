import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { endOfOrders, type Order, type OrderOutcome, type Ready } from './log-orders.js';
import { openCheck } from './log-check.js';
import { openForWriting } from './log-schema.js';
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
  port.postMessage({ last: transactions.last() } satisfies Ready);
  const check = openCheck(database);
  const look = (): void => {
    if (!database.open) return;
    const { isOver, damage } = check();
    if (damage !== null) answer([{ id: 0, failed: { kind: 'damaged', cause: damage } }]);
    if (!isOver) setTimeout(look, restMs).unref();
  };
  setTimeout(look, restMs).unref();
};

/** Between two pieces of the check, orders are taken. */
const restMs = 5;

if (parentPort === null) throw new Error('this file is the entry of the log writer’s thread');
try {
  serveOrders(parentPort, (workerData as { readonly dir: string }).dir);
} catch (error) {
  parentPort.postMessage({ refused: String(error) } satisfies Ready);
}

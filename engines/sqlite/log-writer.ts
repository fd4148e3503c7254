import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import {
  endOfOrders,
  type LogDamage,
  type WriteOrder,
  type OrderOutcome,
  type WriterReady,
  type WriteFailure,
} from './log-orders.js';
import { unmarkDamaged } from '../node/file-quarantine.js';
import { damageAtStart, openIncrementalCheck } from './log-check.js';
import { lastPosIn, logFile, openForReading, openForWriting } from './log-schema.js';
import { openTransactions, takeTransaction } from './log-transactions.js';

/**
 * Single writer, in its own thread. All waiting orders go into one transaction: one sync serves
 * every waiting append (group commit). Outcomes are sent after the commit.
 */
const serveOrders = (port: MessagePort, dir: string): void => {
  const database = openForWriting(dir);
  const transactions = openTransactions(database);
  const answer = (outcomes: readonly OrderOutcome[]): void => port.postMessage(outcomes);
  const waiting: WriteOrder[] = [];
  let ending = false;

  const accept = (message: readonly WriteOrder[] | typeof endOfOrders): void => {
    if (message === endOfOrders) ending = true;
    else for (const order of message) waiting.push(order);
  };

  port.on('message', (first: readonly WriteOrder[] | typeof endOfOrders) => {
    accept(first);
    do {
      for (let more = receiveMessageOnPort(port); more; more = receiveMessageOnPort(port)) {
        accept(more.message as readonly WriteOrder[] | typeof endOfOrders);
      }
      if (waiting.length > 0) answer(transactions.execute(takeTransaction(waiting)));
      const failed = transactions.keepWalShort();
      if (failed !== null) answer([{ id: 0, failed }]);
    } while (waiting.length > 0);
    if (!ending) return;
    database.close();
    port.close();
  });
  port.postMessage({ last: transactions.last(), damage: null } satisfies WriterReady);
  const check = openIncrementalCheck(database);
  const checkNext = (): void => {
    if (!database.isOpen()) return;
    const { pauseMs, damage } = check();
    if (damage === null) setTimeout(checkNext, pauseMs).unref();
    else answer([{ id: 0, failed: transactions.refuse(damage) }]);
  };
  // Orders come first.
  setTimeout(checkNext, 1).unref();
};

/** Refuses every order: nothing is written to a damaged file, not even its schema. */
const refuseOrders = (port: MessagePort, dir: string, damage: LogDamage): void => {
  const database = openForReading(dir);
  const last = lastPosIn(database);
  database.close();
  const failed: WriteFailure = { kind: 'damaged', ...damage };
  port.on('message', (message: readonly WriteOrder[] | typeof endOfOrders) => {
    if (message === endOfOrders) port.close();
    else port.postMessage(message.map(({ id }): OrderOutcome => ({ id, failed })));
  });
  port.postMessage({ last, damage } satisfies WriterReady);
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
  parentPort.postMessage({ refused: String(error) } satisfies WriterReady);
}

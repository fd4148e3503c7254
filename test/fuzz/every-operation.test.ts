import { expect } from 'chai';
import { seededRandom } from '../../kernel/seeded-random.js';
import { operations } from '../../contract/all.js';
import { readConfig } from '../../config.js';
import { openReadOnlyLog } from '../../service/log-reader.js';
import type { Position } from '../../kernel/ports.js';
import type { Operation } from '../../contract/operation.js';
import { appPassword, startApp, type App } from '../support/app.js';
import { adminEmail, basic, cookie, openLoginClient } from '../support/logins.js';
import { drawSeed } from '../support/test-environment.js';
import { createOneOfEach } from '../support/one-of-each-object.js';
import { runs } from '../support/runs.js';
import { fuzzOperation } from './bad-input.js';

/** One of a scheme that the operation lists. */
const credentialFor = async (
  { schemes }: Operation,
  app: App,
): Promise<Readonly<Record<string, string>>> => {
  if (schemes.includes('K')) return { 'Service-API-Key': app.apiKey };
  if (schemes.includes('P')) return basic(adminEmail, appPassword);
  if (!schemes.includes('C')) return {};
  const door = openLoginClient(app);
  const login = await door.logIn();
  door.close();
  return cookie(login.cookie);
};

/** Statuses of input that is wrong in itself: nothing of it may reach the log. */
const badInput = new Set([400, 413, 415, 422]);

/** They would take from the others what they ask about. */
const destructive = new Set(['deleteScorer', 'deleteProject', 'deleteGroup']);

/** An unknown trace or span is waited for, 2 s each time (contract 5.6, rule 4). */
const waiting = new Set(['updateTrace', 'logSpans', 'updateSpan']);
const runsOf = (operationId: string): number => runs(waiting.has(operationId) ? 2 : 8);

describe('bad input on every operation', function () {
  const seed = drawSeed();
  let app: App;
  let ids: Readonly<Record<string, unknown>>;
  let head: () => Promise<Position>;
  /** Events that requests wrote since; the service's own background work does not count. */
  let written: (since: Position) => Promise<readonly string[]>;
  let close: () => Promise<void>;

  before(async () => {
    app = await startApp();
    ids = await createOneOfEach(app.client, 'fuzz');
    const log = await openReadOnlyLog(readConfig({ ASSAY_DATA_DIR: app.dir }));
    head = () => log.reader.head();
    written = async (since) => {
      const { events } = await log.reader.page(since, 1_000);
      return events
        .filter(({ metadata }) => metadata.actor.type !== 'service')
        .map(({ type }) => type);
    };
    close = async () => {
      await log.close();
      await app.close();
    };
  });
  after(() => close());

  for (const operation of operations.filter(({ operationId }) => !destructive.has(operationId))) {
    it(`is a 4xx of the contract's shape, writes nothing: ${operation.operationId}`, async () => {
      const credential = await credentialFor(operation, app);
      let before = await head();
      const tally = await fuzzOperation({
        baseUrl: app.url,
        credential,
        operation,
        runs: runsOf(operation.operationId),
        rng: seededRandom(seed).next,
        known: ids,
        after: async (status) => {
          const now = await head();
          if (badInput.has(status)) {
            expect(await written(before), `${status} wrote something`).to.deep.equal([]);
          }
          before = now;
        },
      }).catch((error: unknown) => {
        throw new Error(`ASSAY_TEST_SEED=${seed}: ${String(error)}`, { cause: error });
      });
      expect(Object.values(tally).reduce((sum, count) => sum + count, 0)).to.equal(
        runsOf(operation.operationId),
      );
    });
  }
});

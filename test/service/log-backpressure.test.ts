import { expect } from 'chai';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig, withRoles } from '../../config.js';
import { startService, type Service } from '../../service/service.js';
import { appKey } from '../support/app.js';
import { clientOf, type Client } from '../support/client.js';
import { startEventStoreServer } from '../support/eventstore-server/server.js';
import { temporaryFolder } from '../support/folder.js';
import { startNatsServer } from '../support/nats-server.js';
import { describeWithTool, natsServer } from '../support/required-tools.js';
import { pollUntil } from '../support/poll-until.js';
import { withMongo } from '../support/with-mongo.js';

type Made = { readonly id: string };
type Side = { readonly service: Service; readonly client: Client };

/** A text that is folded in no time and counts as a megabyte. */
const text = 'x'.repeat(1_000_000);

withMongo('a process that only takes writes', (mongo) => {
  describeWithTool(natsServer, 'for projections elsewhere', function () {
    this.timeout(240_000);
    for (const records of ['shared', 'replica'] as const) {
      describe(`with records ${records}`, () => {
        let close: (() => Promise<void>)[] = [];
        let command: Side;
        let query: Side;
        before(async () => {
          const { dir, remove } = await temporaryFolder();
          const log = await startEventStoreServer({ dir });
          const nats = await startNatsServer();
          const url = mongo().url();
          const started = async (name: string, roles: string): Promise<Side> => {
            await mkdir(join(dir, name));
            const config = readConfig({
              ASSAY_DATA_DIR: join(dir, name),
              ASSAY_RECORDS: records,
              ASSAY_EVENTSTORE_URL: log.url,
              ASSAY_MONGODB_URL: url,
              ASSAY_NATS_URL: nats.url,
              ASSAY_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
              ASSAY_PORT: '0',
              ASSAY_OPS_PORT: '0',
              ASSAY_BOOTSTRAP_API_KEY: appKey,
              ASSAY_LOG_LEVEL: 'silent',
              ASSAY_SANDBOX: 'off',
            });
            const service = await startService(withRoles(config, roles), { strict: true });
            return { service, client: clientOf({ url: service.url, apiKey: appKey }) };
          };
          command = await started('command', 'command');
          query = await started('query', 'projections,query');
          close = [
            () => query.service.close(),
            () => command.service.close(),
            () => nats.kill(),
            () => log.close(),
            remove,
          ];
        });
        after(async () => {
          for (const one of close) await one();
        });

        const newProject = async (name: string) => {
          const made = await command.client.call<Made>('POST', '/v2/projects', { body: { name } });
          const root = `/v2/projects/${made.body.id}`;
          const logs = (...inputs: readonly string[]) =>
            command.client.send('POST', `${root}/traces`, {
              body: { traces: inputs.map((input) => ({ input })) },
            });
          const reads = () =>
            query.client.send<{ total_count: number }>('POST', `${root}/traces/count`, {
              body: {},
            });
          return { logs, reads };
        };
        const waited = async (): Promise<number> => {
          const metrics = await (await fetch(`${command.service.opsUrl}/metrics`)).text();
          return Number(/^assay_pause_seconds_count (\d+)$/m.exec(metrics)?.[1] ?? 0);
        };

        it('delays only a project whose records are not readable yet', async () => {
          const [heavy, small] = [await newProject('heavy'), await newProject('small')];
          // Two, one after the other: where the first one was folded is known by then.
          for (const count of [1, 2]) {
            expect((await small.logs('to Paris')).status).to.equal(200);
            await pollUntil('it is readable', 20_000, async () => {
              const { status, body } = await small.reads();
              return status === 200 && body.total_count === count;
            });
          }
          await pollUntil('the lease is known here', 20_000, async () =>
            (await query.service.projector.status()).some(({ name }) => name === 'records'),
          );
          // On a busy machine a round may take longer than a project waits for a read model that
          // stands still: then it is tried again.
          let rounds = 0;
          await pollUntil('a project waited', 60_000, async () => {
            rounds += 1;
            await query.service.projector.pause('records');
            // Within 5 s of another project's write a project has 4 MiB.
            expect((await small.logs('to Rome')).status).to.equal(200);
            expect((await heavy.logs(...Array<string>(4).fill(text))).status).to.equal(200);
            const next = heavy.logs(text);
            expect((await small.logs('to Oslo')).status).to.equal(200);
            await query.service.projector.resume('records');
            expect((await next).status).to.equal(200);
            return (await waited()) > 0;
          });
          await pollUntil('all is readable', 20_000, async () => {
            const { status, body } = await heavy.reads();
            return status === 200 && body.total_count === 5 * rounds;
          });
        });
      });
    }
  });
});

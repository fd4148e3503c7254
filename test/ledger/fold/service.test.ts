import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { openBus } from '../../../engines/memory/bus.js';
import { sha256 } from '../../../engines/node/digest.js';
import { openDocuments } from '../../../engines/sqlite/documents.js';
import { openEventReader } from '../../../engines/sqlite/event-log.js';
import { logStart, type EventReader, type Evidence } from '../../../kernel/ports.js';
import { openChainReader } from '../../../ledger/chain-reader.js';
import { startApp, type App } from '../../support/app.js';
import { pollUntil } from '../../support/poll-until.js';

type Made = { readonly id: string };

/** All of the log, erased or not. */
const everything = async (reader: EventReader): Promise<readonly Evidence[]> => {
  const all: Evidence[] = [];
  for (let after = logStart; ;) {
    const page = await reader.evidence(after, 500);
    if (page.through === after) return all;
    all.push(...page.events);
    after = page.through;
  }
};

describe('the history of a service', () => {
  let app: App;
  before(async () => {
    app = await startApp();
  });
  after(() => app.close());
  const post = async (path: string, body: object): Promise<Made> =>
    (await app.client.call<Made>('POST', path, { body })).body;

  it('lists every event by project and resource', async () => {
    const project = (await post('/v2/projects', { name: 'one' })).id;
    const other = (await post('/v2/projects', { name: 'two' })).id;
    const at = `/v2/projects/${project}`;
    const run = (await post(`${at}/log_streams`, { name: 'production' })).id;
    const [kept, gone] = [randomUUID(), randomUUID()];
    const traces = [kept, gone].map((id) => ({ type: 'trace', id, input: 'hello' }));
    await post(`${at}/traces`, { log_stream_id: run, traces });
    const filters = [{ type: 'id', name: 'id', operator: 'eq', value: gone }];
    await app.untilCaughtUp();
    await post(`${at}/traces/delete`, { log_stream_id: run, filters });
    await app.untilCaughtUp();

    const bus = openBus(randomUUID());
    const reader = await openEventReader({ dir: app.dir, bus });
    const documents = await openDocuments({ dir: app.dir, readOnly: true });
    try {
      const chains = openChainReader(documents, sha256);
      const listed = async (): Promise<readonly string[]> => {
        const heads = await chains.heads(null, 10);
        const entries = await Promise.all(
          heads.map(({ chain, size }) => chains.entries(chain, 1, size)),
        );
        return entries
          .flat()
          .map(({ eventId }) => eventId)
          .sort();
      };
      const logged = async () => (await everything(reader)).map(({ id }) => id).sort();
      // Workers go on after the deletion: the log may grow between the two questions.
      await pollUntil('the history has every event', 20_000, async () =>
        isDeepStrictEqual(await listed(), await logged()),
      );

      const heads = await chains.heads(null, 10);
      const chain = heads.find((head) => head.chain !== 'system')?.chain ?? '';
      const asked = { at: null, ascending: true, limit: 100, technical: false };
      const ofProject = await chains.page(chain, { ...asked, projects: [project] });
      const told = ofProject.entries.map(({ type, resource }) => `${type} ${resource.id}`);
      expect(told).to.deep.equal([
        `ProjectCreated ${project}`,
        `LogStreamCreated ${run}`,
        `TraceLogged ${kept}`,
        `TraceLogged ${gone}`,
        ...told.slice(4),
      ]);
      expect(told.slice(4)).to.include(`RecordsDeleted ${project}`);
      const ofOther = await chains.page(chain, { ...asked, projects: [other] });
      expect(ofOther.entries.map(({ type }) => type)).to.deep.equal(['ProjectCreated']);
    } finally {
      await documents.close();
      await reader.close();
      await bus.close();
    }
  });

  it('equals a replay of the log', async () => {
    const [verified] = await app.projector.verify('history');
    expect(verified?.difference, JSON.stringify(verified)).to.equal(null);
  });
});

import { watch } from 'node:fs';
import { expect } from 'chai';
import { checkRecordsFile } from '../../engines/duckdb/integrity-check.js';
import { logStart } from '../../kernel/ports.js';
import { pollUntil } from '../support/poll-until.js';
import { temporaryFolder } from '../support/folder.js';
import { runAssay, startService, type ServiceProcess } from '../support/service-process.js';
import { newRun } from './kill-loop.js';
import type { Target } from './load.js';

const tracesOfRound = 200;

type Found = { readonly records: readonly { readonly id: string; readonly output?: string }[] };
type Observed = ReadonlyMap<string, string | undefined>;

describe('records that are killed before a flush', function () {
  this.timeout(300_000);
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let service: ServiceProcess;
  let target: Target;
  /** Output by id of the traces that a read must show. */
  const expected = new Map<string, string>();
  const deleted = new Set<string>();

  /** Everything that a search shows; null while it is refused because the file is being filled. */
  const search = async (): Promise<Observed | null> => {
    const body = { log_stream_id: target.run, limit: 1_000 };
    const { status, body: found } = await service.client.send<Found & { readonly code?: string }>(
      'POST',
      `${target.root}/traces/search`,
      { body },
    );
    if (status === 503) {
      expect(found.code).to.equal('read_model_filling');
      return null;
    }
    expect(status, JSON.stringify(found)).to.equal(200);
    const ids = found.records.map(({ id }) => id);
    expect(new Set(ids).size, 'each trace once').to.equal(ids.length);
    for (const id of ids) expect(deleted.has(id), `the deleted trace ${id}`).to.equal(false);
    return new Map(found.records.map(({ id, output }) => [id, output]));
  };
  /** The first answer has everything, whatever was lost: before it there are only refusals. */
  const expectAll = async (): Promise<void> => {
    let seen: Observed | null = null;
    await pollUntil('a search is answered', 60_000, async () => {
      seen = await search();
      return seen !== null;
    });
    expect(seen).to.deep.equal(expected);
  };
  /** New traces, one changed and one deleted; all of it can be read. */
  const write = async (): Promise<void> => {
    const { client } = service;
    const name = `gone ${expected.size}`;
    const traces = Array.from({ length: tracesOfRound }, (_, at) => {
      return { id: crypto.randomUUID(), output: 'first', ...(at === 0 && { name }) };
    });
    const body = { log_stream_id: target.run, traces };
    await client.call('POST', `${target.root}/traces`, { body });
    for (const { id, output } of traces) expected.set(id, output);
    const [gone, changed] = traces.map(({ id }) => id);
    const output = `changed to ${expected.size}`;
    await client.call('PATCH', `${target.root}/traces/${changed}`, { body: { output } });
    expected.set(String(changed), output);
    const filters = [{ type: 'text', name: 'name', operator: 'eq', value: name }];
    await client.call('POST', `${target.root}/traces/delete`, { body: { filters } });
    expected.delete(String(gone));
    deleted.add(String(gone));
    await expectAll();
  };
  const start = async (): Promise<void> => {
    service = await startService({ dir: folder.dir });
  };
  const positionInFile = async (): Promise<string> => {
    const { summary } = await checkRecordsFile(folder.dir, { quick: true });
    return summary.split(' at ')[1] ?? summary;
  };

  before(async () => {
    folder = await temporaryFolder();
    await start();
    target = await newRun(service.client, 'killed before a flush');
  });
  after(async () => {
    await service.kill();
    await folder.remove();
  });

  it('have all that a search showed before, and nothing twice', async () => {
    await write();
    await service.kill();
    expect(await positionInFile(), 'nothing was flushed').to.equal(logStart);
    await start();
    await expectAll();
  });

  it('have it too where the fold after a kill is killed', async () => {
    await write();
    await service.kill();
    await start();
    await service.kill();
    await start();
    await expectAll();
  });

  it('have it too where the kill comes amid the flush of a stop', async () => {
    await write();
    // The engine has this file for the time of a flush only.
    const seen = watch(folder.dir, (_event, name) => {
      if (name?.endsWith('.duckdb.wal') === true) process.kill(service.pid, 'SIGKILL');
    });
    const { signal } = await service.stop();
    seen.close();
    expect(signal).to.equal('SIGKILL');
    await start();
    await expectAll();
    await write();
    expect(await service.stop()).to.deep.equal({ code: 0, signal: null });
    expect((await positionInFile()) > logStart, 'a stop flushes').to.equal(true);
  });

  it('equal a replay from scratch afterwards', async () => {
    const { code, output } = await runAssay(folder.dir, 'verify');
    expect(code, output).to.equal(0);
  });
});

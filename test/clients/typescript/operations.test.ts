import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { AssayFault } from '../../../clients/typescript/src/fault.js';
import { Assay } from '../../../clients/typescript/src/node.js';
import { sharedApp } from '../../support/app.js';
import { startTcpProxy } from '../../support/tcp-proxy.js';

/** A client of the real service, in a project of its own. */
const inNewProject = async (): Promise<{ readonly assay: Assay; readonly project: string }> => {
  const { url, apiKey } = await sharedApp();
  const nowhere = new Assay({ url, apiKey });
  const { id } = await nowhere.projects.create({ name: `client ${randomUUID()}` });
  return { assay: new Assay({ url, apiKey, project: id }), project: id };
};
const failed = (work: Promise<unknown>): Promise<AssayFault> =>
  work.then(
    () => expect.fail('it succeeded'),
    (fault: unknown) => fault as AssayFault,
  );
const traces = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `n${index}`, input: 'in', output: 'out' }));

describe('the TypeScript client with the real service', () => {
  it('writes, reads what it wrote, changes it and deletes it', async () => {
    const { assay, project } = await inNewProject();
    const logged = await assay.traces.log({ traces: traces(3) });
    expect(logged).to.include({ project_id: project, traces_count: 3 });
    const [first = ''] = logged.trace_ids ?? [];
    expect(await assay.traces.count()).to.include({ total_count: 3 });
    await assay.traces.update({ trace_id: first, output: 'other', metrics: { reward: 1 } });
    const trace = await assay.traces.get({ trace_id: first });
    expect([trace.output, trace.metrics['reward']]).to.deep.equal(['other', 1]);
    const experiment = await assay.experiments.create({ name: 'first' });
    await assay.experiments.change({ experiment_id: experiment.id, name: 'second' });
    expect((await assay.experiments.list()).map(({ name }) => name)).to.deep.equal(['second']);
    expect(await assay.experiments.delete({ experiment_id: experiment.id })).to.equal(undefined);
    expect(await assay.experiments.list()).to.deep.equal([]);
  });

  it('returns what it logged before, without a flush', async () => {
    const { assay } = await inNewProject();
    for (const name of ['a', 'b', 'c']) {
      assay.trace(name, () => name);
      const found = await Array.fromAsync(assay.traces.search());
      expect(found.map((one) => one.name)).to.include(name);
    }
    await assay.close();
  });

  it('reads without its own writes if they are not accepted in time', async () => {
    const { url, apiKey } = await sharedApp();
    const away: typeof fetch = async (asked, init) => {
      if (init?.method === 'POST') throw new TypeError('the network is gone');
      return fetch(asked, init);
    };
    const logger = { exitMs: 1, onWarning: () => undefined };
    const assay = new Assay({ url, apiKey, project: randomUUID(), fetch: away, logger });
    assay.trace('waits', () => 1);
    const begun = performance.now();
    const stopped = await failed(assay.projects.list({}, { signal: AbortSignal.timeout(50) }));
    expect(stopped.code).to.equal('aborted');
    expect(performance.now() - begun).to.be.lessThan(4_000);
    expect(await assay.projects.list()).to.be.an('array');
    await assay.close();
  });

  it('walks every row of a search, page after page, each once', async () => {
    const { assay } = await inNewProject();
    const { trace_ids: ids } = await assay.traces.log({ traces: traces(23) });
    const found = await Array.fromAsync(assay.traces.search({ limit: 5 }));
    expect(found.map(({ id }) => id).sort()).to.deep.equal([...(ids ?? [])].sort());
    const page = await assay.traces.search({ limit: 5 });
    expect([page.records.length, page.next_starting_token]).to.deep.equal([5, 5]);
    const sizes = (await Array.fromAsync(assay.traces.search({ limit: 10 }).pages())).map(
      ({ records }) => records.length,
    );
    expect(sizes).to.deep.equal([10, 10, 3]);
  });

  it('types records by fields: some members of all, or all of them', async () => {
    const { assay } = await inNewProject();
    await assay.traces.log({ traces: traces(2) });
    const outlined: readonly { readonly id: string; readonly name?: string }[] =
      await Array.fromAsync(assay.traces.search({ fields: ['name'], limit: 1 }));
    expect(outlined.map((record) => Object.keys(record))).to.deep.equal([
      ['id', 'name'],
      ['id', 'name'],
    ]);
    const [whole] = (await assay.traces.search({ limit: 1 })).records;
    const name: string | undefined = whole?.name;
    expect(name).to.equal(outlined[0]?.name);
    const refused = await failed(assay.spans.search({ fields: ['nmae'] }));
    expect(refused.complaints[0]?.loc).to.deep.equal(['body', 'fields', '0']);
  });

  it('walks listings whose page is in the query, in the body, and behind a cursor', async () => {
    const { assay, project } = await inNewProject();
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const name of names) await assay.logStreams.create({ name });
    const byQuery = await Array.fromAsync(assay.logStreams.page({ limit: 2 }));
    const byBody = await Array.fromAsync(assay.logStreams.search({ limit: 2 }));
    for (const rows of [byQuery, byBody])
      expect(rows.map(({ name }) => name)).to.include.members(names);
    const mine = assay.projects.page({
      limit: 1,
      filters: [{ name: 'id', operator: 'eq', value: project }],
    });
    expect((await Array.fromAsync(mine)).map(({ id }) => id)).to.deep.equal([project]);
    const entries = await Array.fromAsync(assay.history.listOfProject({ limit: 2, order: 'asc' }));
    const made = entries.filter(({ event_type: type }) => type === 'LogStreamCreated');
    expect(made.length).to.equal(names.length);
    const kinds = ['ProjectCreated', 'LogStreamCreated'];
    const some = await assay.history.listOfProject({ event_type: kinds });
    expect(new Set(some.entries.map(({ event_type: kind }) => kind))).to.deep.equal(new Set(kinds));
    const first = await assay.history.listOfProject({ limit: 2, order: 'asc' });
    expect(first.next_cursor).to.be.a('string');
    expect(new Set(entries.map(({ event_id: id }) => id)).size).to.equal(entries.length);
  });

  it('uploads and downloads files, and compares datasets by their ETags', async () => {
    const { assay, project } = await inNewProject();
    const file = new File(['question,answer\nTo Oslo?,booked\n'], 'operations-flights.csv');
    const made = await assay.datasets.create({ file, project_id: project });
    expect(made.name).to.equal('operations-flights');
    let tag = '';
    await assay.datasets.get(
      { dataset_id: made.id },
      { onAnswer: ({ headers }) => (tag = headers.get('ETag') ?? '') },
    );
    const renamed = { dataset_id: made.id, name: 'operations-flights-2' };
    await assay.datasets.change(renamed, { ifMatch: tag });
    const late = await failed(assay.datasets.change(renamed, { ifMatch: tag }));
    expect(late).to.include({ code: 'precondition_failed', status: 412 });
    const rows = await Array.fromAsync(assay.datasets.content({ dataset_id: made.id }));
    expect(rows.length).to.equal(1);
    const asked = { dataset_id: made.id, format: 'csv' } as const;
    const csv = await (await assay.datasets.exportContent(asked)).text();
    expect(csv).to.contain('To Oslo?');
    await assay.traces.log({ traces: traces(4) });
    const lines = await Array.fromAsync((await assay.traces.export()).lines());
    expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).to.deep.equal(
      Array.from({ length: 4 }, () => 'trace'),
    );
  });

  it('throws by type: request, key, object, ignored members', async () => {
    const { assay } = await inNewProject();
    const { url } = await sharedApp();
    const empty = await failed(assay.traces.log({ traces: [] }));
    expect(empty).to.include({ code: 'invalid_request', status: 422 });
    expect(empty.complaints).to.deep.equal([
      {
        loc: ['body', 'traces'],
        msg: 'List should have at least 1 item, not 0',
        type: 'too_short',
      },
    ]);
    const unknown = await failed(assay.traces.get({ trace_id: randomUUID() }));
    expect(unknown).to.include({ code: 'not_found', status: 404, message: 'Trace not found' });
    expect(unknown.requestId).to.match(/^[0-9a-f-]{36}$/);
    const stranger = new Assay({ url, apiKey: 'not-a-key-of-anybody-0123456789abcdef' });
    expect(await failed(stranger.projects.list())).to.include({ code: 'invalid_credentials' });
    const nobody = new Assay({ url, apiKey: '' });
    expect(await failed(nobody.projects.list())).to.include({ code: 'unauthenticated' });
    const misspelt = { name: 'x', nmae: 'y' };
    const strict = await failed(assay.experiments.create(misspelt, { strict: true }));
    expect(strict.complaints.map(({ type }) => type)).to.deep.equal(['extra_forbidden']);
  });

  it('creates once what it had to send twice', async () => {
    const { project } = await inNewProject();
    const { url, apiKey } = await sharedApp();
    const proxy = await startTcpProxy(Number(new URL(url).port));
    let tries = 0;
    const lossy: typeof fetch = async (...asked) => {
      const answer = await fetch(...asked);
      tries += 1;
      // The service has answered; the answer is lost on its way.
      if (tries === 1) throw new TypeError('the network is gone');
      return answer;
    };
    const assay = new Assay({
      url: `http://127.0.0.1:${proxy.port}`,
      apiKey,
      project,
      fetch: lossy,
      retries: { firstWaitMs: 1 },
    });
    let replayed: string | null = null;
    await assay.experiments.create(
      { name: 'once' },
      { onAnswer: ({ headers }) => (replayed = headers.get('Idempotency-Replayed')) },
    );
    expect([tries, replayed]).to.deep.equal([2, 'true']);
    expect((await assay.experiments.list()).length).to.equal(1);
    await proxy.close();
  });

  it('waits for a job of the organisation and reports progress', async () => {
    const { assay } = await inNewProject();
    const entry = { metadata_key: 'customer', metadata_value: randomUUID() };
    const user_metadata = { [entry.metadata_key]: entry.metadata_value };
    await assay.traces.log({ traces: [{ name: 'x', user_metadata }, { name: 'stays' }] });
    const dry = await assay.jobs.deleteByMetadata({ ...entry, dry_run: true });
    expect(dry).to.deep.include({ job_id: null, matched_count: 1 });
    const { job_id } = await assay.jobs.deleteByMetadata({ ...entry, immediate: true });
    const seen: string[] = [];
    const job = await assay.jobs.waitOfOrganization(
      { job_id: job_id ?? '' },
      { intervalMs: 20, withinMs: 60_000, onProgress: ({ status }) => void seen.push(status) },
    );
    expect(job.status).to.equal('completed');
    expect(job.result).to.include({ traces: 1 });
    expect(seen.at(-1)).to.equal('completed');
    const left = await Array.fromAsync(assay.traces.search());
    expect(left.map(({ name }) => name)).to.deep.equal(['stays']);
  });

  it('stops waiting on timeout or abort', async () => {
    const { url } = await sharedApp();
    const forever = new Assay({
      url,
      fetch: async () => new Response(JSON.stringify({ status: 'in_progress' })),
    });
    const input = { job_id: randomUUID() };
    const late = await failed(forever.jobs.wait(input, { intervalMs: 10, withinMs: 50 }));
    expect(late.code).to.equal('timeout');
    const begun = performance.now();
    const signal = AbortSignal.timeout(50);
    const stopped = await failed(forever.jobs.wait(input, { intervalMs: 60_000, signal }));
    expect(stopped.code).to.equal('aborted');
    expect(performance.now() - begun).to.be.lessThan(30_000);
  });
});

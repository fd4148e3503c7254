import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { opsCaller, opsStreamCaller } from '../../../cli/ops-client.js';
import { auditExport } from '../../../ledger/audit/export.js';
import { watchOnce } from '../../../ledger/audit/watch.js';
import { readConfig } from '../../../config.js';
import { sealCommand } from '../../../ledger/sealing.js';
import { startApp, type App } from '../../support/app.js';
import { temporaryFolder } from '../../support/folder.js';
import { repository } from '../../support/test-environment.js';
import { runAssay } from '../../support/service-process.js';

type Verifier = {
  readonly readKey: (file: string) => object;
  readonly verifyBundle: (
    dir: string,
    trust: { readonly key: object; readonly origin: string; readonly since: string | null },
  ) => Promise<{ readonly entries: number; readonly unsealed: number }>;
};
const file = join(repository, 'verifier/assay-verify.mjs');
const { readKey, verifyBundle } = (await import(pathToFileURL(file).href)) as Verifier;

describe('a history that a service sealed', () => {
  let app: App;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  before(async () => {
    app = await startApp(undefined, { ASSAY_SEAL_ORIGIN: 'assay.example.org' });
    folder = await temporaryFolder();
  });
  after(async () => {
    await app.close();
    await folder.remove();
  });

  it('has no keys to print before its first seal, and says so', async () => {
    const keys = await runAssay(app.dir, 'audit', 'keys');
    expect([keys.code, keys.output]).to.deep.equal([
      1,
      'assay: nothing is sealed yet: the service seals each hour, and ' +
        'node dist/assay.js audit seal seals now\n',
    ]);
  });

  it('is watched and exported by an auditor, and the verifier accepts it', async () => {
    const at = (name: string): string => join(folder.dir, name);
    const made = (name: string) => app.client.call('POST', '/v2/projects', { body: { name } });
    const seal = () => opsCaller(app.opsUrl, { opsToken: null })(sealCommand, {});
    await made('one');
    await seal();
    type Keys = { readonly keys: readonly { readonly vkey: string }[] };
    const { keys } = (await app.client.call<Keys>('GET', '/v2/history/keys')).body;
    await writeFile(at('vkey'), keys[0]?.vkey ?? '');
    await writeFile(at('api-key'), app.apiKey);
    const watch = { state: at('kept'), key: at('vkey'), apiKey: at('api-key') };
    const first = await watchOnce(app.url, watch);
    expect(first.why).to.equal(null);
    const { body: since } = await app.client.call<string>('GET', '/v2/history/checkpoint');
    await made('two');
    await seal();
    await made('three');
    const second = await watchOnce(app.url, watch);
    expect(second.watched?.since).to.equal(first.watched?.size);
    const out = at('bundle');
    const source = { out, url: app.url, apiKey: at('api-key'), data: true };
    await auditExport(readConfig({}), source);
    const origin = second.watched?.origin ?? '';
    const found = await verifyBundle(out, { key: readKey(at('vkey')), origin, since });
    expect(found.entries - found.unsealed).to.equal(second.watched?.size);
  });

  it('is sealed on command, and its keys are printed for an auditor', async () => {
    await app.client.call('POST', '/v2/projects', { body: { name: 'four' } });
    const sealed = await runAssay(app.dir, 'audit', 'seal');
    expect(sealed.output).to.match(/histories sealed: [1-9]/);
    expect(sealed.code).to.equal(0);
    const keys = await runAssay(app.dir, 'audit', 'keys');
    expect(keys.output).to.match(/^assay\.example\.org\+[0-9a-f]{8}\+\S+$/m);
    const jwk = await runAssay(app.dir, 'audit', 'keys', '--json');
    expect(jwk.output).to.contain('"crv":"P-256"');
  });

  it('waits for a history that is behind, and exits with 2 when that takes too long', async () => {
    await app.projector.pause('history');
    await app.client.call('POST', '/v2/projects', { body: { name: 'five' } });
    const late = await runAssay(app.dir, 'audit', 'seal', '--wait', '0.5');
    expect(late.output).to.match(/The history is at \w{16}, the log at \w{16}, after 0\.5 s/);
    expect(late.code).to.equal(2);
    const lines: unknown[] = [];
    const ask = opsStreamCaller(app.opsUrl, { opsToken: null });
    const sealed = await ask(sealCommand, {}, (line) => {
      if (lines.push(line) === 5) void app.projector.resume('history');
    });
    expect(lines.length).to.be.at.least(5);
    expect(lines[0]).to.have.all.keys('position', 'head');
    expect(sealed).to.deep.equal({ sealed: 1, refused: [] });
  });

  it('exits with 2 when no service answers, and for a --wait other than a number', async () => {
    const nobody = await runAssay(app.dir, 'audit', 'seal', '--ops', 'http://127.0.0.1:9');
    expect([nobody.code, nobody.output]).to.deep.equal([2, nobody.output]);
    expect(nobody.output).to.match(/no operators' listener answers/);
    const wrong = await runAssay(app.dir, 'audit', 'seal', '--wait', 'long');
    expect([wrong.code, wrong.output]).to.deep.equal([2, wrong.output]);
    expect(wrong.output).to.match(/--wait takes a number of seconds, not long/);
  });
});

import { spawnSync } from 'node:child_process';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  bundleOf,
  chainEntries,
  checkpointOf,
  newSigner,
  testOrigin,
  writeBundle,
  type Bundle,
  type BundleEntry,
  type EntrySpec,
} from '../support/bundles.js';
import { tamperBundle, bundleTamperings } from '../support/bundle-tampering.js';
import { temporaryFolder } from '../support/folder.js';
import { repository } from '../support/test-environment.js';
import { runs } from '../support/runs.js';
import { readKey, verifierFile, verifyBundle } from '../support/verifier.js';

const project = '60c67a87-024d-48e3-9dcf-ae5652800741';
/** Traces, one of them erased and named by a fact, and a secret. */
const history = (count: number): readonly BundleEntry[] =>
  chainEntries(
    Array.from({ length: count }, (_, at): EntrySpec => {
      const data = JSON.stringify({ text: `of ${at} \u2028 \ud83d\ude00`, at });
      const trace = { event_type: 'TraceLogged', stream: `trace-${project}-${at % 7}` };
      if (at % 7 === 3) return { ...trace, data, gone: 'erased' };
      if (at % 11 === 5)
        return { event_type: 'ApiKeyCreated', stream: 'api-key-1', data, gone: 'withheld' };
      if (at % 13 !== 1) return { ...trace, data };
      const erased = { project_id: project, session_ids: [], trace_ids: ['3'] };
      return { event_type: 'RecordsErased', stream: 'deletion-1', data: JSON.stringify(erased) };
    }),
  );

describe('a bundle at the verifier', function () {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  const [signer, stranger] = [newSigner(), newSigner()];
  const pem = (): string => join(folder.dir, 'key.pem');
  let made = 0;
  before(async () => {
    folder = await temporaryFolder();
    await writeFile(pem(), signer.publicKey.export({ format: 'pem', type: 'spki' }));
  });
  after(() => folder.remove());
  const written = async (bundle: Bundle): Promise<string> => {
    made += 1;
    const dir = join(folder.dir, `bundle ${made}`);
    await writeBundle(dir, bundle);
    return dir;
  };
  const verdict = async (bundle: Bundle, since: string | null = null): Promise<string> => {
    const dir = await written(bundle);
    return verifyBundle(dir, { key: readKey(pem()), origin: testOrigin, since }).then(
      ({ entries, unsealed }) => `intact: ${entries}, ${unsealed} unsealed`,
      (error: unknown) => (error as Error).message,
    );
  };
  const twin = async (bundle: Bundle): Promise<string> => {
    const script = join(repository, 'test/verifier/assay_verify.py');
    const ran = spawnSync('python3', ['-B', script, await written(bundle), pem(), testOrigin]);
    return `${ran.stdout.toString()}${ran.stderr.toString()}`;
  };

  it('is intact, whole or in part, at every size where trees differ', async () => {
    for (const count of [1, 2, 3, 7, 64, 255, 256, 257]) {
      const all = history(count);
      const size = count > 3 ? count - 2 : count;
      const whole = await bundleOf(all, size, signer);
      expect(await verdict(whole)).to.equal(`intact: ${count}, ${count - size} unsealed`);
      const own = (entry: BundleEntry): boolean => entry.stream === `trace-${project}-2`;
      const part = await bundleOf(all, size, signer, own);
      expect(await verdict(part)).to.match(/^intact/);
      if (count < 64) continue;
      expect(await twin(whole)).to.equal('intact\n');
      expect(await twin(part)).to.equal('intact\n');
    }
  });

  it('continues a checkpoint that was kept, and refuses a fork of it', async () => {
    const all = history(40);
    const bundle = await bundleOf(all, 40, signer);
    for (const size of [0, 1, 8, 31, 40]) {
      expect(await verdict(bundle, checkpointOf(all, size, signer))).to.match(/^intact/);
    }
    const fork = checkpointOf(
      chainEntries([{ event_type: 'A', stream: 'b', data: '1' }]),
      1,
      signer,
    );
    expect(await verdict(bundle, fork)).to.match(/not those of your checkpoint/);
    const later = checkpointOf(history(41), 41, signer);
    expect(await verdict(bundle, later)).to.match(/older than your checkpoint/);
  });

  it('is refused with another key, another origin, a changed text', async () => {
    const all = history(9);
    const bundle = await bundleOf(all, 9, signer);
    const foreign = { ...bundle, checkpoint: checkpointOf(all, 9, stranger) };
    expect(await verdict(foreign)).to.match(/not signed with your key/);
    const elsewhere = { ...bundle, checkpoint: checkpointOf(all, 9, signer, 'assay.local/x') };
    expect(await verdict(elsewhere)).to.match(/is of assay\.local/);
    const changed = { ...bundle, checkpoint: bundle.checkpoint.replace('\n9\n', '\n8\n') };
    expect(await verdict(changed)).to.match(/not that of its text/);
    for (const one of [foreign, elsewhere, changed]) expect(await twin(one)).to.match(/broken/);
  });

  it('names the entry at which it is broken, whatever was changed', async () => {
    const all = history(60);
    const whole = await bundleOf(all, 60, signer);
    const own = (entry: BundleEntry): boolean => entry.stream === `trace-${project}-2`;
    const part = await bundleOf(all, 60, signer, own);
    let tried = 0;
    const refusals = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.boolean(), bundleTamperings(60), async (isPart, one) => {
        const bundle = tamperBundle(isPart ? part : whole, one);
        if (bundle === null) return;
        const said = await verdict(bundle);
        expect(said, JSON.stringify(one)).to.not.match(/^intact/);
        refusals.add(said.replace(/\d+/g, 'N'));
        tried += 1;
        if (tried % 50 === 0) expect(await twin(bundle)).to.match(/broken/);
      }),
      { numRuns: runs(300) },
    );
    expect(refusals.size).to.be.greaterThan(3);
  });

  it('is refused when the chain was rewritten, hashes included, under the old seal', async () => {
    const all = history(30);
    const told = (role: string): readonly EntrySpec[] =>
      all.map(({ event_type, stream }, at) => ({
        event_type,
        stream,
        data: `{"role":"${role}${at}"}`,
      }));
    const genuine = chainEntries(told('viewer'));
    const rewritten = chainEntries(told('owner'));
    const seal = checkpointOf(genuine, 30, signer);
    const forged = { ...(await bundleOf(rewritten, 30, signer)), checkpoint: seal };
    expect(await verdict(forged)).to.match(/do not make the root/);
    expect(await twin(forged)).to.match(/broken/);
  });

  it('is refused when content is gone and no event says why', async () => {
    const gone: EntrySpec = {
      event_type: 'TraceLogged',
      stream: `trace-${project}-9`,
      data: '{}',
      gone: 'erased',
    };
    const all = chainEntries([gone]);
    expect(await verdict(await bundleOf(all, 1, signer))).to.match(/entry 1: its content is gone/);
    const fact: EntrySpec = {
      event_type: 'StreamsErased',
      stream: 'erasure-1',
      data: JSON.stringify({ streams: [gone.stream] }),
    };
    expect(await verdict(await bundleOf(chainEntries([gone, fact]), 2, signer))).to.match(
      /^intact/,
    );
  });

  it('is refused when content that was lost is called withheld, or an erasure', async () => {
    const trace = (at: number, gone?: EntrySpec['gone']): EntrySpec => {
      const one = { event_type: 'TraceLogged', stream: `trace-${project}-${at}`, data: '{}' };
      return gone === undefined ? one : { ...one, gone };
    };
    const all = chainEntries([trace(1), trace(2), trace(3, 'withheld')]);
    const bundle = await bundleOf(all, 3, signer);
    const asked = (from: number): Bundle => ({
      ...bundle,
      entries: bundle.entries.map((one, at) =>
        at < from ? one : { ...one, salt: null, data: null, withheld: 'asked' },
      ),
    });
    const refused = [bundle, asked(2), asked(1)];
    for (const one of refused) {
      expect(await verdict(one)).to.match(/its content is kept back/);
      expect(await twin(one)).to.match(/broken: content of/);
    }
    expect(await verdict(asked(0))).to.match(/^intact/);
    expect(await twin(asked(0))).to.equal('intact\n');
    const user: EntrySpec = {
      event_type: 'UserUpdated',
      stream: 'user-1',
      data: '{}',
      gone: 'erased',
    };
    const lost = await bundleOf(chainEntries([user]), 1, signer);
    expect(await verdict(lost)).to.match(/entry 1: its content is gone/);
    expect(await twin(lost)).to.match(/broken/);
  });

  it('is refused when an entry of the unsealed end is taken out of its middle', async () => {
    const bundle = await bundleOf(history(12), 6, signer);
    const without = { ...bundle, entries: bundle.entries.filter(({ seq }) => seq !== 9) };
    expect(await verdict(without)).to.equal('entry 9 is missing');
    expect(await twin(without)).to.match(/broken/);
    const cut = { ...bundle, entries: bundle.entries.slice(0, 9) };
    expect(await verdict(cut)).to.match(/^intact/);
  });

  it('is refused where hex is more than hex, and where a file is not the manifest’s', async () => {
    const all = history(20);
    const whole = await bundleOf(all, 20, signer);
    const [first, ...others] = whole.entries;
    if (first === undefined) throw new Error('no entries');
    const padded = { ...whole, entries: [{ ...first, salt: `${first.salt}zz` }, ...others] };
    expect(await verdict(padded)).to.equal('entry 1: its salt is not hex');
    expect(await twin(padded)).to.match(/ValueError/);
    const part = await bundleOf(all, 20, signer, ({ seq }) => seq === 20);
    const nodes = part.nodes.map(({ hash, ...node }) => ({ ...node, hash: `${hash}zz` }));
    expect(await verdict({ ...part, nodes })).to.equal('the node from 0 has no hash');
    const dir = await written(whole);
    const said = () =>
      verifyBundle(dir, { key: readKey(pem()), origin: testOrigin }).then(
        () => 'intact',
        (error: unknown) => (error as Error).message,
      );
    for (const more of ['\n', 'no JSON']) {
      await appendFile(join(dir, 'entries-000000.jsonl'), more);
      expect(await said()).to.equal(
        'entries-000000.jsonl is not the file that manifest.json names',
      );
    }
  });

  it('is checked by CLI: an exit code and a sentence for each outcome', async () => {
    const dir = await written(await bundleOf(history(5), 5, signer));
    const run = (...args: readonly string[]) =>
      spawnSync(process.execPath, [verifierFile, ...args], { encoding: 'utf8' });
    const intact = run(dir, '--key', pem(), '--origin', testOrigin);
    expect([intact.status, intact.stdout.split('\n')[0]]).to.deep.equal([
      0,
      `intact: 5 entries of ${testOrigin}`,
    ]);
    const elsewhere = run(dir, '--key', pem(), '--origin', 'another');
    expect([elsewhere.status, elsewhere.stderr]).to.deep.equal([
      1,
      `broken: the checkpoint is of ${testOrigin}, not of another\n`,
    ]);
    const spki = signer.publicKey.export({ format: 'der', type: 'spki' });
    const vkey = join(folder.dir, 'vkey');
    const value = Buffer.concat([Buffer.of(2), spki]).toString('base64');
    await writeFile(vkey, `${testOrigin}+00000000+${value}\n`);
    expect(run(dir, '--key', vkey).status).to.equal(0);
    const [installation = ''] = testOrigin.split('/');
    await writeFile(vkey, `${installation}+00000000+${value}\n`);
    expect(run(dir, '--key', vkey).stdout).to.include(testOrigin);
    await writeFile(vkey, `${installation.slice(0, -1)}+00000000+${value}\n`);
    expect(run(dir, '--key', vkey).status).to.equal(1);
    const jwk = join(folder.dir, 'jwk');
    await writeFile(jwk, JSON.stringify(signer.publicKey.export({ format: 'jwk' })));
    expect(run(dir, '--key', jwk, '--origin', testOrigin).status).to.equal(0);
    expect(run(dir, '--key', pem()).stderr).to.match(/^cannot be checked: .* --origin/);
    expect(run().status).to.equal(2);
  });
});

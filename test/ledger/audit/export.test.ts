import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { writeBundle, type BundleWriteOptions } from '../../../ledger/audit/bundle.js';
import { logSource } from '../../../ledger/audit/sources.js';
import { openHistoryReader } from '../../../ledger/reader.js';
import { seqFrom, seqTo } from '../../../ledger/chain/bounds.js';
import { systemChain } from '../../../ledger/chain/entries.js';
import { streamNameOf, type Position, type StreamName } from '../../../kernel/ports.js';
import type { BundleRequest } from '../../../ledger/exports/bundle-pages.js';
import { bareEnvironment, program, repository } from '../../support/test-environment.js';
import {
  readBundle,
  writeBundle as writeAgain,
  type Bundle,
  type BundleEntry,
} from '../../support/bundles.js';
import { temporaryFolder } from '../../support/folder.js';
import { runs } from '../../support/runs.js';
import { installation, openSealedLog, sealSigningKey } from '../../support/sealed-log.js';
import { ours, projects, theirs, sampleEventAt, traceOf } from '../../support/sample-history.js';
import { tamperBundle, bundleTamperings } from '../../support/bundle-tampering.js';
import { readKey, verifyBundle } from '../../support/verifier.js';

const whole: BundleRequest = {
  chain: ours,
  projectId: null,
  resource: null,
  from: null,
  to: null,
};
const gone = streamNameOf('trace', projects[0] ?? '', traceOf(3));

describe('assay audit export', function () {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let data = '';
  let made = 0;
  const keyFile = (): string => join(folder.dir, 'key.pem');
  const vkeyFile = (chain: string): string => join(folder.dir, `${chain}.vkey`);
  const newDir = (): string => {
    made += 1;
    return join(folder.dir, `bundle-${made}`);
  };

  before(async () => {
    folder = await temporaryFolder();
    data = join(folder.dir, 'data');
    const log = await openSealedLog(data);
    await log.publishKey();
    for (let at = 0; at < 1_100; at += 100) {
      await log.append(Array.from({ length: 100 }, (_, n) => sampleEventAt(at + n)));
    }
    const fact = { streams: [gone] };
    await log.append([
      {
        stream: streamNameOf('erasure', 'x'),
        type: 'StreamsErased',
        data: fact,
        organization: ours,
      },
    ]);
    await log.log.erase(gone);
    await log.fold();
    for (const chain of [ours, theirs, systemChain]) {
      await log.seal(chain);
      await writeFile(vkeyFile(chain), `${sealSigningKey.vkey(`${installation}/${chain}`)}\n`);
    }
    await log.append(Array.from({ length: 20 }, (_, n) => sampleEventAt(1_100 + n)));
    await log.fold();
    await log.close();
    const { createPublicKey } = await import('node:crypto');
    const key = createPublicKey({ key: { ...sealSigningKey.jwk }, format: 'jwk' });
    await writeFile(keyFile(), key.export({ format: 'pem', type: 'spki' }));
  });
  after(() => folder.remove());

  const write = async (
    dir: string,
    question: BundleRequest,
    {
      hasData = true,
      ...writing
    }: Partial<BundleWriteOptions> & { readonly hasData?: boolean } = {},
  ) => {
    const source = logSource(
      await openHistoryReader({ dataDir: data, ...embedded }),
      question,
      hasData,
    );
    try {
      return await writeBundle(source, {
        dir,
        gzip: false,
        by: 'a test',
        now: () => '2026-03-01T09:00:00.000000Z',
        asked: { question: JSON.stringify(question), hasData },
        progress: () => undefined,
        ...writing,
      });
    } finally {
      await source.close();
    }
  };
  const verdict = (dir: string, chain: string = ours) =>
    verifyBundle(dir, { key: readKey(keyFile()), origin: `${installation}/${chain}` }).then(
      ({ entries, erased, withheld }) => ({ entries, erased, withheld }),
      (error: unknown) => (error as Error).message,
    );
  const twin = (dir: string, chain: string = ours): string => {
    const script = join(repository, 'test/verifier/assay_verify.py');
    const origin = `${installation}/${chain}`;
    const ran = spawnSync('python3', ['-B', script, dir, keyFile(), origin], { encoding: 'utf8' });
    return `${ran.stdout}${ran.stderr}`;
  };
  it('writes a bundle of each scope that the verifier accepts', async () => {
    const [project = ''] = projects;
    const questions: readonly BundleRequest[] = [
      whole,
      { ...whole, chain: theirs },
      { ...whole, chain: systemChain },
      { ...whole, projectId: project },
      { ...whole, projectId: project, resource: { type: 'trace', id: traceOf(5) } },
      { ...whole, projectId: project, resource: { type: 'trace', id: traceOf(9_999) } },
    ];
    for (const question of questions) {
      const dir = newDir();
      const manifest = await write(dir, question);
      const { entries } = readBundle(dir);
      expect(await verdict(dir, question.chain), JSON.stringify(question)).to.deep.equal({
        entries: manifest.entries,
        erased: manifest.erased,
        withheld: manifest.withheld,
      });
      expect(twin(dir, question.chain)).to.equal('intact\n');
      const organization = question.chain === systemChain ? null : question.chain;
      for (const entry of entries) expect(entry.organization_id).to.equal(organization);
    }
  });

  it('shows neither what was erased nor a secret, and says so', async () => {
    const dir = newDir();
    const manifest = await write(dir, whole);
    const { entries } = readBundle(dir);
    const erased = entries.filter((one) => one.stream === gone);
    expect(erased.length).to.be.greaterThan(3);
    for (const one of erased) {
      expect([one.erased, one.data, one.salt, one.salted]).to.deep.equal([true, null, null, null]);
    }
    expect(manifest.erased).to.equal(erased.length);
    const secrets = entries.filter((one) => one.event_type === 'ApiKeyCreated');
    expect(secrets.length).to.be.greaterThan(3);
    for (const one of secrets) expect([one.data, one.salt]).to.deep.equal([null, null]);
    expect(manifest.withheld).to.equal(secrets.length);
    expect(JSON.stringify(entries)).to.not.include('secret of nobody');
    expect(manifest.to).to.be.greaterThan(manifest.size);
  });

  it('leaves content out on request, except the facts of erasures', async () => {
    const dir = newDir();
    await write(dir, whole, { hasData: false });
    const shown = readBundle(dir).entries.filter(({ data: text }) => text !== null);
    expect(shown.map(({ event_type }) => event_type)).to.deep.equal(['StreamsErased']);
    const erased = readBundle(dir).entries.filter((one) => one.erased).length;
    expect(await verdict(dir)).to.include({ erased });
    expect(twin(dir)).to.equal('intact\n');
  });

  it('exports ranges by position and time, equal to the whole there', async () => {
    const dir = newDir();
    await write(dir, whole);
    const all = readBundle(dir).entries as (BundleEntry & { position: Position })[];
    const [from, to] = [all[300]?.position ?? '', all[401]?.position ?? ''] as Position[];
    if (from === undefined || to === undefined) throw new Error('no such entries');
    const part = newDir();
    const manifest = await write(part, {
      ...whole,
      from: { position: from },
      to: { position: to },
    });
    expect(readBundle(part).entries).to.deep.equal(all.slice(300, 402));
    expect([manifest.scope, manifest.from, manifest.to]).to.deep.equal(['range', 301, 402]);
    expect(await verdict(part)).to.include({ entries: 102 });
    expect(twin(part)).to.equal('intact\n');
    const { chains, close } = await openHistoryReader({ dataDir: data, ...embedded });
    const head = { chain: ours, size: all.length };
    const between = { position: `${from.slice(0, -1)}g` as Position };
    expect(await seqTo(chains, head, between)).to.be.within(301, 317);
    const instant = all[0]?.at as never;
    expect(await seqFrom(chains, head, { instant })).to.equal(1);
    // All were told in one instant.
    expect(await seqTo(chains, head, { instant })).to.equal(all.length);
    expect(await seqTo(chains, head, { position: '0000000000000000' as Position })).to.equal(0);
    await close();
  });

  it('compresses, and what is checked is the same', async () => {
    const [plain, small] = [newDir(), newDir()];
    await write(plain, whole, { partEntries: 256 });
    await write(small, whole, { partEntries: 256, gzip: true });
    expect(readBundle(small).entries).to.deep.equal(readBundle(plain).entries);
    expect(await verdict(small)).to.deep.equal(await verdict(plain));
    expect(twin(small)).to.equal('intact\n');
    expect(readdirSync(small).filter((name) => name.endsWith('.jsonl.gz')).length).to.equal(4);
  });

  it('resumes wherever it was stopped, and ends as if uninterrupted', async () => {
    const [project = ''] = projects;
    for (const question of [whole, { ...whole, projectId: project }]) {
      const unbroken = newDir();
      await write(unbroken, question, { partEntries: 128 });
      const dir = newDir();
      const stops = new Error('stopped');
      let calls = 0;
      for (let left = 40; ; left += 40) {
        const progress = ({ entries }: { readonly entries: number }): void => {
          calls += 1;
          if (calls % 3 === 2 && entries < 900) throw stops;
        };
        try {
          await write(dir, question, { partEntries: 128, progress });
          break;
        } catch (error) {
          if (error !== stops || left > 4_000) throw error;
        }
      }
      expect(digests(dir)).to.deep.equal(digests(unbroken));
      expect(await verdict(dir)).to.include({ entries: readBundle(unbroken).entries.length });
    }
  });

  it('refuses a folder that holds something else', async () => {
    const dir = newDir();
    await write(dir, whole);
    const refused = await write(dir, whole).catch((error: unknown) => (error as Error).message);
    expect(refused).to.match(/holds a finished bundle/);
    const begun = newDir();
    const stop = (): void => {
      throw new Error('stopped');
    };
    await write(begun, whole, { progress: stop }).catch(() => null);
    const other = { ...whole, chain: theirs };
    const mixed = await write(begun, other).catch((error: unknown) => (error as Error).message);
    expect(mixed).to.match(/holds another export/);
  });

  it('refuses a history without entries, and one without a seal', async () => {
    const unknown = await write(newDir(), { ...whole, chain: 'nobody' }).catch(
      (error: unknown) => (error as Error).message,
    );
    expect(unknown).to.equal('no history exists of nobody');
  });

  it('makes a bundle in which every tampering is detected', async () => {
    const bundles: Bundle[] = [];
    for (const question of [whole, { ...whole, projectId: projects[1] ?? '' }]) {
      const dir = newDir();
      const { size } = await write(dir, question);
      const bundle = readBundle(dir);
      // Entries that are not sealed yet can be cut off: ALGORITHM.md says so.
      bundles.push({ ...bundle, entries: bundle.entries.filter(({ seq }) => seq <= size) });
    }
    let tried = 0;
    const property = fc.asyncProperty(fc.nat(1), bundleTamperings(1_000), async (which, one) => {
      const bundle = bundles[which];
      const other = bundle === undefined ? null : tamperBundle(bundle, one);
      if (other === null) return;
      const dir = newDir();
      await writeAgain(dir, other, 400);
      expect(await verdict(dir), JSON.stringify(one)).to.be.a('string');
      if (tried % 20 === 0) expect(twin(dir)).to.match(/broken/);
      tried += 1;
    });
    await fc.assert(property, { numRuns: runs(60) });
  });

  const cli = (...args: readonly string[]) =>
    spawnSync(process.execPath, [program, 'audit', ...args], {
      encoding: 'utf8',
      env: { ...bareEnvironment(), ASSAY_DATA_DIR: data },
    });

  it('exits with the codes of the verifier', () => {
    const dir = newDir();
    const exported = cli('export', '--organization', ours, '--out', dir, '--json');
    expect(exported.status, exported.stderr).to.equal(0);
    const last = exported.stdout.trim().split('\n').at(-1) ?? '';
    expect(JSON.parse(last)).to.have.nested.property('manifest.format', 'assay-bundle-1');
    const verified = cli('verify', dir, '--key', vkeyFile(ours));
    expect([verified.status, verified.stdout.split('\n')[0]]).to.deep.equal([
      0,
      `intact: ${readBundle(dir).entries.length} entries of ${installation}/${ours}`,
    ]);
    const other = cli('verify', dir, '--key', vkeyFile(theirs));
    expect([other.status, other.stderr]).to.deep.equal([
      1,
      `broken: the checkpoint is of ${installation}/${ours}, not of ${installation}/${theirs}\n`,
    ]);
    const log = cli('verify', '--json');
    expect(log.status, log.stderr).to.equal(0);
    const verdicts = log.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { chain: string; status: string });
    expect(verdicts.map(({ chain, status }) => [chain, status])).to.deep.equal(
      [ours, theirs, systemChain].map((chain) => [chain, 'intact']),
    );
    expect(cli('export', '--out', newDir()).stderr).to.match(
      /Either --organization ID or --system/,
    );
  });

  it('resumes after SIGKILL, in constant memory', async () => {
    const big = await temporaryFolder();
    const log = await openSealedLog(big.dir);
    const text = 'x'.repeat(10_000);
    for (let at = 0; at < 6_000; at += 500) {
      await log.append(
        Array.from({ length: 500 }, (_, n) => ({
          stream: `session-${at}-${n}` as StreamName,
          type: 'SessionStarted',
          data: { text, at, n },
          organization: ours,
        })),
      );
    }
    await log.fold();
    await log.seal(ours);
    await log.fold();
    await log.close();
    const out = join(big.dir, 'bundle');
    const child = fileURLToPath(new URL('../../support/export-child.js', import.meta.url));
    // 60 MB of content and 40 MB of heap.
    const started = () =>
      spawn(process.execPath, ['--max-old-space-size=40', child, big.dir, ours, out], {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: bareEnvironment(),
      });
    const first = started();
    const secondPart = join(out, 'entries-000001.jsonl');
    const watch = setInterval(() => void (existsSync(secondPart) && first.kill('SIGKILL')), 2);
    const [, signal] = (await once(first, 'exit')) as [number | null, string | null];
    clearInterval(watch);
    expect(signal).to.equal('SIGKILL');
    expect(existsSync(join(out, 'manifest.json'))).to.equal(false);
    const [code] = (await once(started(), 'exit')) as [number | null];
    expect(code).to.equal(0);
    expect(await verdict(out)).to.include({ entries: 6_001 });
    await big.remove();
  });

  it('includes the facts of erasures during the export', async () => {
    const dataDir = join(folder.dir, 'erasing');
    const log = await openSealedLog(dataDir);
    await log.append(Array.from({ length: 60 }, (_, at) => sampleEventAt(at)));
    await log.fold();
    await log.seal(ours);
    await log.fold();
    const source = logSource(await openHistoryReader({ dataDir, ...embedded }), whole, true);
    const begun = await source.begin();
    const fact = { streams: [gone] };
    await log.append([
      {
        stream: streamNameOf('erasure', 'x'),
        type: 'StreamsErased',
        data: fact,
        organization: ours,
      },
    ]);
    await log.log.erase(gone);
    await log.fold();
    const out = newDir();
    const manifest = await writeBundle(
      { ...source, begin: async () => begun },
      {
        dir: out,
        gzip: false,
        by: 'a test',
        now: () => '2026-03-01T09:00:00.000000Z',
        asked: {},
        progress: () => undefined,
      },
    );
    expect(manifest.to).to.be.greaterThan(begun.begun.to);
    expect(await verdict(out)).to.include({ erased: manifest.erased });
    expect(manifest.erased).to.be.greaterThan(0);
    await source.close();
    await log.close();
  });

  const digests = (dir: string): Readonly<Record<string, string>> =>
    Object.fromEntries(
      readdirSync(dir)
        .sort()
        .map((name) => {
          const bytes = readFileSync(join(dir, name));
          return [name, createHash('sha256').update(bytes).digest('hex')];
        }),
    );
});

const embedded = { eventStoreUrl: null, mongodbUrl: null, natsUrl: null } as const;

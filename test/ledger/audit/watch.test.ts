import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { watchOnce, type WatchOptions, type WatchOutcome } from '../../../ledger/audit/watch.js';
import { sha256 } from '../../../engines/node/digest.js';
import { base64 } from '../../../ledger/chain/checkpoint.js';
import {
  consistencyRanges,
  appendSubtree,
  leafHash,
  merkleRoot,
  rangeRoot,
  type CompactRange,
} from '../../../ledger/chain/merkle-tree.js';
import {
  chainEntries,
  checkpointOf,
  newSigner,
  testOrigin,
  type BundleEntry,
} from '../../support/bundles.js';
import { temporaryFolder } from '../../support/folder.js';
import { program } from '../../support/test-environment.js';

const signer = newSigner();
const history = (count: number, forged = -1): readonly BundleEntry[] =>
  chainEntries(
    Array.from({ length: count }, (_, at) => ({
      event_type: 'ProjectRenamed',
      stream: 'project-1',
      data: JSON.stringify({ name: at === forged ? 'forged' : `name ${at}` }),
    })),
  );

describe('assay audit watch', () => {
  let server: Server;
  let url: string;
  let dir: string;
  let remove: () => Promise<void>;
  /** History of the service, and the size that is sealed. */
  let entries: readonly BundleEntry[];
  let sealed: number;
  let origin: string;
  let by: typeof signer;

  const consistency = async (from: number, to: number): Promise<readonly string[]> => {
    const leaves = entries.map(({ hash }) => leafHash(sha256, Buffer.from(hash, 'hex')));
    const hashOf = async (at: number, width: number): Promise<Uint8Array> =>
      merkleRoot(
        sha256,
        leaves
          .slice(at, at + width)
          .reduce<CompactRange>((range, leaf) => appendSubtree(sha256, range, 1, leaf), []),
      );
    const hashes = consistencyRanges(from, to).map((span) => rangeRoot(sha256, hashOf, span));
    return (await Promise.all(hashes)).map(base64);
  };
  beforeEach(async () => {
    ({ dir, remove } = await temporaryFolder());
    [entries, sealed, origin, by] = [history(20), 5, testOrigin, signer];
    server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
      if (request.headers['service-api-key'] !== 'key of an auditor') {
        response.writeHead(401).end();
      } else if (pathname === '/v2/history/consistency') {
        const [from, to] = ['from', 'to'].map((name) => Number(searchParams.get(name)));
        void consistency(from ?? 0, to ?? 0).then((hashes) =>
          response.end(JSON.stringify({ hashes })),
        );
      } else if (sealed === 0) response.writeHead(404).end('{"code":"not_found"}');
      else response.end(checkpointOf(entries, sealed, by, origin));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const pem = signer.publicKey.export({ format: 'pem', type: 'spki' });
    await writeFile(join(dir, 'key.pem'), pem);
    await writeFile(join(dir, 'api-key'), 'key of an auditor\n');
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await remove();
  });
  const watch = (more: Partial<WatchOptions> = {}): Promise<WatchOutcome> =>
    watchOnce(url, {
      state: join(dir, 'state'),
      key: join(dir, 'key.pem'),
      apiKey: join(dir, 'api-key'),
      origin: testOrigin,
      ...more,
    });
  const state = (name = 'state'): Promise<string> => readFile(join(dir, name), 'utf8');

  it('stores the checkpoint, and proves later ones consistent with it', async () => {
    expect((await watch()).watched).to.include({ size: 5, since: null });
    expect((await watch()).watched).to.include({ size: 5, since: 5 });
    for (const size of [6, 8, 13, 20]) {
      const before = sealed;
      sealed = size;
      expect((await watch()).watched).to.include({ size, since: before });
    }
    expect(await state()).to.contain(`${testOrigin}\n20\n`);
  });

  it('detects a rewritten history, hashes, tree and seal included', async () => {
    await watch();
    const kept = await state();
    entries = history(20, 2);
    sealed = 9;
    expect(await watch()).to.include({ exit: 1 });
    expect((await watch()).why).to.match(/do not begin with the 5 that were kept/);
    // What was kept stays, and what contradicts it is kept beside.
    expect(await state()).to.equal(kept);
    expect(await state('state.broken')).to.contain(`${testOrigin}\n9\n`);
    sealed = 5;
    expect(await watch()).to.include({ exit: 1 });
  });

  it('detects a history that shrank or lost its seals', async () => {
    await watch();
    sealed = 4;
    expect((await watch()).why).to.equal('5 entries were sealed, and now there are 4');
    sealed = 0;
    expect((await watch()).why).to.match(/returned no seal, although 5 entries/);
    expect(await watch()).to.include({ exit: 1 });
  });

  it('refuses another key and another origin', async () => {
    by = newSigner();
    expect(await watch()).to.include({ exit: 1 });
    by = signer;
    origin = `${testOrigin}x`;
    expect(await watch()).to.include({ exit: 1 });
    origin = testOrigin;
    await watch();
    // From then on what was kept says whose it is.
    expect(await watchOnce(url, paths(dir))).to.include({ exit: 0 });
  });

  it('exits with 2 for wrong usage; 1 is for a broken history', () => {
    const ended = (...args: readonly string[]) =>
      spawnSync(process.execPath, [program, 'audit', 'watch', ...args]).status;
    expect(ended(url, '--state', join(dir, 'kept'))).to.equal(2);
    expect(ended('--help')).to.equal(0);
  });

  it('reports when it could not check, without a verdict', async () => {
    sealed = 0;
    expect(await watch()).to.include({ exit: 2, why: 'the history is not sealed yet' });
    sealed = 5;
    const { apiKey: _key, ...nobody } = paths(dir);
    expect((await watchOnce(url, { ...nobody, origin: testOrigin })).why).to.match(/answers 401/);
    expect((await watchOnce(url, paths(dir))).why).to.match(/add --origin/);
    expect(await watchOnce('http://127.0.0.1:1', { ...paths(dir), origin: testOrigin })).to.include(
      { exit: 2 },
    );
    await writeFile(join(dir, 'state'), 'not a checkpoint');
    expect((await watch()).why).to.match(/holds no checkpoint/);
    expect(await watch({ key: join(dir, 'nothing') })).to.include({ exit: 2 });
  });
});

const paths = (dir: string): WatchOptions => ({
  state: join(dir, 'state'),
  key: join(dir, 'key.pem'),
  apiKey: join(dir, 'api-key'),
});

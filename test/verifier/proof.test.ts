import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  chainEntries,
  checkpointOf,
  newSigner,
  proofHashesOf,
  testOrigin,
} from '../support/bundles.js';
import { temporaryFolder } from '../support/folder.js';
import { verifierFile } from '../support/verifier.js';
import { inclusionProofText } from '../../ledger/chain/proof-text.js';

const entries = chainEntries(
  Array.from({ length: 37 }, (_, at) => ({
    event_type: 'DatasetRenamed',
    stream: 'dataset-1',
    data: `{"at":${at}}`,
  })),
);

describe('the verifier with the proof of one entry', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  const signer = newSigner();
  const pem = (): string => join(folder.dir, 'key.pem');
  before(async () => {
    folder = await temporaryFolder();
    await writeFile(pem(), signer.publicKey.export({ format: 'pem', type: 'spki' }));
  });
  after(() => folder.remove());

  /** An answer of GET /v2/history/proof. */
  const answerOf = (seq: number, size: number) => {
    const found = entries[seq - 1];
    if (found === undefined) throw new Error(`no entry ${seq}`);
    const { salt, data, ...entry } = found;
    const hashes = proofHashesOf(entries, seq - 1, size);
    const note = checkpointOf(entries, size, signer);
    return { entry, salt, data, proof: inclusionProofText(seq - 1, hashes, note) };
  };
  const verdict = async (answer: unknown): Promise<readonly [number | null, string]> => {
    const file = join(folder.dir, 'proof.json');
    await writeFile(file, JSON.stringify(answer));
    const args = [verifierFile, file, '--key', pem(), '--origin', testOrigin];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    return [status, `${stdout}${stderr}`.split('\n', 1)[0] ?? ''];
  };

  it('leads from the entry to the seal, wherever it stands', async () => {
    for (const [seq, size] of [
      [1, 1],
      [1, 37],
      [33, 37],
      [36, 37],
      [37, 37],
      [7, 8],
    ] as const) {
      const [code, said] = await verdict(answerOf(seq, size));
      expect([code, said]).to.deep.equal([0, `intact: 1 entries of ${testOrigin}`]);
    }
  });

  it('is broken by other content, another place and another seal', async () => {
    const answer = answerOf(5, 37);
    expect((await verdict({ ...answer, data: '{}' }))[1]).to.match(/^broken: entry 5: its data/);
    const moved = { ...answer, proof: answer.proof.replace('index 4', 'index 5') };
    expect((await verdict(moved))[1]).to.match(/^broken: the proof is of entry 6/);
    const { proof } = answerOf(5, 20);
    const hashes = answer.proof.slice(0, answer.proof.indexOf('\n\n'));
    const other = { ...answer, proof: hashes + proof.slice(proof.indexOf('\n\n')) };
    expect((await verdict(other))[1]).to.match(/^broken: the proof does not lead/);
  });

  it('says how it is used', () => {
    const { status, stdout } = spawnSync(process.execPath, [verifierFile, '--help'], {
      encoding: 'utf8',
    });
    expect([status, stdout.includes('PROOF')]).to.deep.equal([0, true]);
  });
});

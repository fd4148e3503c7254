import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { verifyEcdsa } from '../../../console/engines/signatures.js';
import { openBundleCheck } from '../../../console/history/bundle-check.js';
import {
  checkContinuity,
  checkProof,
  type ProofSteps,
} from '../../../console/history/proof-check.js';
import { checkSealSignature } from '../../../console/history/seal-signature.js';
import { sha256 } from '../../../console/history/sha256.js';
import { base64, noteTypes, parseCheckpoint, vkeyOf } from '../../../ledger/chain/checkpoint.js';
import {
  appendSubtree,
  consistencyRanges,
  leafHash,
  merkleRoot,
} from '../../../ledger/chain/merkle-tree.js';
import { inclusionProofText } from '../../../ledger/chain/proof-text.js';
import { bundleTamperings, tamperBundle } from '../../support/bundle-tampering.js';
import {
  bundleOf,
  chainEntries,
  checkpointOf,
  newSigner,
  proofHashesOf,
  testOrigin,
  writeBundle,
  type Bundle,
  type EntrySpec,
} from '../../support/bundles.js';
import { temporaryFolder } from '../../support/folder.js';
import { runs } from '../../support/runs.js';
import { readKey, verifyBundle } from '../../support/verifier.js';

const project = '60c67a87-024d-48e3-9dcf-ae5652800741';
const entries = chainEntries(
  Array.from({ length: 45 }, (_, at): EntrySpec => {
    const data = JSON.stringify({ text: `of ${at} \u2028 \ud83d\ude00`, at });
    const trace = { event_type: 'TraceLogged', stream: `trace-${project}-${at % 7}` };
    if (at % 7 === 3) return { ...trace, data, gone: 'erased' };
    if (at % 11 === 5) {
      return { event_type: 'ApiKeyCreated', stream: 'api-key-1', data, gone: 'withheld' };
    }
    if (at % 13 !== 1) return { ...trace, data };
    const erased = { project_id: project, session_ids: [], trace_ids: ['3'] };
    return { event_type: 'RecordsErased', stream: 'deletion-1', data: JSON.stringify(erased) };
  }),
);
const signer = newSigner();
const spki = (from = signer): Uint8Array => from.publicKey.export({ format: 'der', type: 'spki' });
const vkeyFor = (from = signer): string =>
  vkeyOf(sha256, 'assay.example.org', noteTypes.ecdsa, spki(from));
const keys = { vkeys: [vkeyFor()], verify: verifyEcdsa };
const size = 41;

const answerOf = (seq: number) => {
  const found = entries[seq - 1];
  if (found === undefined) throw new Error(`no entry ${seq}`);
  const { salt, data, ...entry } = found;
  const hashes = proofHashesOf(entries, seq - 1, size);
  const proof = inclusionProofText(seq - 1, hashes, checkpointOf(entries, size, signer));
  return { entry, salt, data, proof };
};
const outcomes = (steps: ProofSteps): readonly string[] =>
  Object.entries(steps).map(([name, { outcome }]) => `${name} ${outcome}`);
const failed = (steps: ProofSteps): readonly string[] =>
  Object.entries(steps).flatMap(([name, { outcome }]) => (outcome === 'fails' ? [name] : []));

/** The text with another character at `at`, of the same kind. */
const altered = (text: string, at: number): string =>
  `${text.slice(0, at)}${text[at] === '1' ? '2' : '1'}${text.slice(at + 1)}`;
const alteredLine = (text: string, line: number, at: number): string => {
  const lines = text.split('\n');
  return lines.with(line, altered(lines[line] ?? '', at)).join('\n');
};

describe('the checks of the history', () => {
  it('hash as SHA-256 does, at every length of a block', () => {
    const text = 'é'.repeat(70);
    for (let length = 0; length <= 140; length += 1) {
      const bytes = Buffer.from(text).subarray(0, length);
      const expected = createHash('sha256').update(bytes).digest();
      expect(Buffer.from(sha256(bytes)).equals(expected), `${length}`).to.equal(true);
    }
    expect(sha256('a', Uint8Array.of(1))).to.deep.equal(sha256(Uint8Array.of(0x61, 1)));
  });

  it('hold for each step of a proof, wherever the entry stands', async () => {
    for (const seq of [1, 2, 8, 33, 41]) {
      expect(failed(await checkProof(answerOf(seq), keys)), `${seq}`).to.deep.equal([]);
    }
    expect(outcomes(await checkProof(answerOf(8), keys))).to.deep.equal([
      'content holds',
      'fields holds',
      'path holds',
      'signature holds',
    ]);
    const erased = await checkProof(answerOf(4), keys);
    expect(outcomes(erased)[0]).to.equal('content unchecked');
    expect(failed(erased)).to.deep.equal([]);
  });

  it('fail alone for an altered byte; of the root the signature fails too (check 30)', async () => {
    const answer = answerOf(8);
    const { entry, data, salt, proof } = answer;
    const lines = proof.split('\n');
    const empty = lines.indexOf('');
    const cases: readonly (readonly [string, object, readonly string[]])[] = [
      ['content', { data: altered(data ?? '', 3) }, ['content']],
      ['salt', { salt: altered(salt ?? '', 0) }, ['content']],
      ['stream', { entry: { ...entry, stream: altered(entry.stream, 9) } }, ['fields']],
      ['role', { entry: { ...entry, actor: { ...entry.actor, role: 'guest' } } }, ['fields']],
      ['time', { entry: { ...entry, at: altered(entry.at, 20) } }, ['fields']],
      ['a hash', { proof: alteredLine(proof, 3, 5) }, ['path']],
      ['the root', { proof: alteredLine(proof, empty + 3, 5) }, ['path', 'signature']],
      ['a signature', { proof: alteredLine(proof, lines.length - 2, 120) }, ['signature']],
    ];
    for (const [what, change, expected] of cases) {
      const steps = await checkProof({ ...answer, ...change }, keys);
      expect(failed(steps), what).to.deep.equal(expected);
    }
  });

  it('refuse a signature of another key or installation, and say what is not checked', async () => {
    const seal = parseCheckpoint(checkpointOf(entries, size, signer));
    if (seal === null) throw new Error('no checkpoint');
    const outcome = async (change: object) =>
      (await checkSealSignature(seal, { ...keys, ...change })).outcome;
    expect(await outcome({})).to.equal('holds');
    expect(await outcome({ vkeys: [vkeyFor(newSigner())] })).to.equal('fails');
    const elsewhere = vkeyOf(sha256, 'assay.example', noteTypes.ecdsa, spki());
    expect(await outcome({ vkeys: [elsewhere] })).to.equal('fails');
    expect(await outcome({ vkeys: ['nonsense'] })).to.equal('unchecked');
    expect(await outcome({ verify: () => Promise.resolve(null) })).to.equal('unchecked');
  });

  it('tell a history that continues a checkpoint from a rewritten one (check 31)', () => {
    const leaves = entries.map(({ hash }) => leafHash(sha256, Buffer.from(hash, 'hex')));
    const rootOf = (from: number, to: number): string =>
      base64(
        merkleRoot(
          sha256,
          leaves
            .slice(from, to)
            .reduce<Parameters<typeof merkleRoot>[1]>(
              (range, leaf) => appendSubtree(sha256, range, 1, leaf),
              [],
            ),
        ),
      );
    const newest = checkpointOf(entries, size, signer);
    const rewritten = chainEntries([{ event_type: 'Other', stream: 'a-1', data: '{}' }]);
    for (const older of [1, 8, 31, 41]) {
      const hashes = consistencyRanges(older, size).map(({ from, to }) => rootOf(from, to));
      const kept = checkpointOf(entries, older, signer);
      expect(checkContinuity({ kept, newest, hashes }).outcome, `${older}`).to.equal('holds');
      if (older === size) continue;
      expect(checkContinuity({ kept, newest, hashes: null }).outcome).to.equal('fails');
      const forged = kept.replace(kept.split('\n')[2] ?? '', rootOf(1, older + 1));
      expect(checkContinuity({ kept: forged, newest, hashes }).outcome).to.equal('fails');
    }
    const shorter = checkpointOf(rewritten, 1, signer);
    expect(checkContinuity({ kept: newest, newest: shorter, hashes: [] }).outcome).to.equal(
      'fails',
    );
  });

  it('find in a bundle what the verifier finds, however it was tampered with', async function () {
    const folder = await temporaryFolder();
    const pem = join(folder.dir, 'key.pem');
    await writeFile(pem, signer.publicKey.export({ format: 'pem', type: 'spki' }));
    let made = 0;
    const verifierSays = async (bundle: Bundle): Promise<boolean> => {
      const dir = join(folder.dir, `bundle ${(made += 1)}`);
      await writeBundle(dir, bundle);
      const trust = { key: readKey(pem), origin: testOrigin };
      return verifyBundle(dir, trust).then(
        () => true,
        () => false,
      );
    };
    const own = await bundleOf(entries, size, signer, ({ stream }) => stream.endsWith('-2'));
    const bundles = [await bundleOf(entries, size, signer), own];
    for (const bundle of bundles) {
      expect(await verifierSays(bundle)).to.equal(true);
      expect(complaintOf(bundle, 1)).to.equal(null);
    }
    const places = fc.tuple(fc.nat(1), bundleTamperings(45), fc.integer({ min: 1, max: 45 }));
    await fc.assert(
      fc.asyncProperty(places, async ([which, tampering, pageEntries]) => {
        const bundle = bundles[which];
        const tampered = bundle === undefined ? null : tamperBundle(bundle, tampering);
        if (tampered === null) return;
        const isIntact = complaintOf(tampered, pageEntries) === null;
        expect(isIntact).to.equal(await verifierSays(tampered));
      }),
      { numRuns: runs(60) },
    );
    await folder.remove();
  });

  it('accept a part of a history, whatever lies between and however it is paged', async () => {
    const parts = fc.record({
      keeps: fc.array(fc.boolean(), { minLength: 45, maxLength: 45 }),
      sealed: fc.integer({ min: 1, max: 45 }),
      pageEntries: fc.integer({ min: 1, max: 45 }),
    });
    await fc.assert(
      fc.asyncProperty(parts, async ({ keeps, sealed, pageEntries }) => {
        const part = await bundleOf(entries, sealed, signer, ({ seq }) => keeps[seq - 1] === true);
        expect(complaintOf(part, pageEntries)).to.equal(null);
      }),
      { numRuns: runs(60) },
    );
  });

  it('refuse nodes that are missing, repeated, out of order or beyond the seal', async () => {
    const own = await bundleOf(entries, size, signer, ({ stream }) => stream.endsWith('-2'));
    const { nodes } = own;
    const [first] = nodes;
    if (first === undefined) throw new Error('no nodes');
    const beyond = { from: size, to: size + 1, hash: first.hash };
    const cases = {
      missing: nodes.slice(1),
      repeated: [first, ...nodes],
      'of an entry': [...nodes, ...own.entries.slice(-1).map(nodeOf)].toSorted(leftFirst),
      'out of order': nodes.toReversed(),
      'beyond the seal': [...nodes, beyond],
      misshapen: [{ ...first, to: first.from + 3 }, ...nodes.slice(1)],
      'without a hash': [{ ...first, hash: '' }, ...nodes.slice(1)],
    };
    for (const [what, changed] of Object.entries(cases)) {
      for (const pageEntries of [1, 3, 45]) {
        const complaint = complaintOf({ ...own, nodes: changed }, pageEntries);
        expect(complaint, `${what}, ${pageEntries} a page`).to.be.a('string');
      }
    }
  });
});

const nodeOf = ({ seq, hash }: Bundle['entries'][number]): Bundle['nodes'][number] => ({
  from: seq - 1,
  to: seq,
  hash: Buffer.from(leafHash(sha256, Buffer.from(hash, 'hex'))).toString('hex'),
});
const leftFirst = (one: { readonly from: number }, other: { readonly from: number }): number =>
  one.from - other.from;

/**
 * The lines of a bundle in the order of an export: page by page, the nodes between a page's entries
 * before all of these, and those after the last entry with the last page.
 */
const complaintOf = (bundle: Bundle, pageEntries: number): string | null => {
  const { entries: some, nodes, checkpoint, scope } = bundle;
  const check = openBundleCheck({ checkpoint, isWhole: scope === 'organization', kept: null });
  const rest = [...nodes];
  const lines: object[] = [];
  for (let from = 0; from < some.length; from += pageEntries) {
    const page = some.slice(from, from + pageEntries);
    const isLast = from + pageEntries >= some.length;
    const end = isLast ? Number.POSITIVE_INFINITY : (page.at(-1)?.seq ?? 0) - 1;
    while (rest[0] !== undefined && rest[0].from < end) lines.push(rest.shift() ?? {});
    lines.push(...page);
  }
  for (const line of [...lines, ...rest]) {
    const complaint = check.add(JSON.stringify(line));
    if (complaint !== null) return complaint;
  }
  return check.end();
};

import { expect } from 'chai';
import * as fc from 'fast-check';
import { sha256 } from '../../../engines/node/digest.js';
import {
  consistencyRanges,
  appendSubtree,
  inclusionRanges,
  isConsistent,
  isIncluded,
  leafHash,
  nodeHash,
  merkleRoot,
  leafCount,
  rangeRoot,
  perfectSubtrees,
  type CompactRange,
} from '../../../ledger/chain/merkle-tree.js';
import { runs } from '../../support/runs.js';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
/** RFC 9162, 2.1.1, word by word. */
const naiveRoot = (leaves: readonly Uint8Array[]): Uint8Array => {
  const [only] = leaves;
  if (only === undefined) return sha256();
  if (leaves.length === 1) return leafHash(sha256, only);
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return nodeHash(sha256, naiveRoot(leaves.slice(0, split)), naiveRoot(leaves.slice(split)));
};
const leavesOf = (count: number): readonly Uint8Array[] =>
  Array.from({ length: count }, (_, at) => Buffer.from(`leaf ${at}`));
const grownFrom = (leaves: readonly Uint8Array[]): CompactRange =>
  leaves.reduce<CompactRange>(
    (range, leaf) => appendSubtree(sha256, range, 1, leafHash(sha256, leaf)),
    [],
  );
const hashesOf = (leaves: readonly Uint8Array[]) => async (at: number, width: number) =>
  naiveRoot(leaves.slice(at, at + width));

/** The leaves that every implementation of certificate transparency is tried with. */
const known = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657'];
const knownLast = '606162636465666768696a6b6c6d6e6f';

describe('the Merkle tree of a chain', () => {
  it('has the roots of the published vectors', () => {
    const leaves = [...known, knownLast].map((one) => Buffer.from(one, 'hex'));
    const roots = leaves.map((_, at) =>
      hex(merkleRoot(sha256, grownFrom(leaves.slice(0, at + 1)))),
    );
    expect(roots[0]).to.equal('6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d');
    expect(roots[7]).to.equal('5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328');
    expect(hex(merkleRoot(sha256, []))).to.equal(hex(sha256('')));
  });

  it('grows leaf by leaf, or by whole subtrees, to the root of the definition', () => {
    const grows = fc.property(fc.integer({ min: 0, max: 300 }), fc.nat(300), (count, cut) => {
      const leaves = leavesOf(count);
      const root = hex(naiveRoot(leaves));
      const range = grownFrom(leaves);
      expect(hex(merkleRoot(sha256, range))).to.equal(root);
      expect(leafCount(range)).to.equal(count);
      const from = Math.min(cut, count);
      const joined = perfectSubtrees({ from, to: count }).reduce<CompactRange>(
        (one, { at, width }) =>
          appendSubtree(sha256, one, width, naiveRoot(leaves.slice(at, at + width))),
        grownFrom(leaves.slice(0, from)),
      );
      expect(hex(merkleRoot(sha256, joined))).to.equal(root);
    });
    fc.assert(grows, { numRuns: runs(50) });
  });

  it('refuses a subtree at an index that its width does not divide', () => {
    const range = grownFrom(leavesOf(3));
    expect(() => appendSubtree(sha256, range, 2, sha256())).to.throw(RangeError);
  });

  it('proves each leaf, and refuses another leaf, index, root or proof', async () => {
    for (const size of [1, 2, 3, 7, 8, 21]) {
      const leaves = leavesOf(size);
      const root = naiveRoot(leaves);
      for (const [index, content] of leaves.entries()) {
        const spans = inclusionRanges(index, { from: 0, to: size });
        const proof = await Promise.all(
          spans.map((span) => rangeRoot(sha256, hashesOf(leaves), span)),
        );
        const leaf = { index, hash: leafHash(sha256, content) };
        const tree = { size, root };
        expect(isIncluded(sha256, leaf, tree, proof)).to.equal(true);
        const other = { ...leaf, hash: leafHash(sha256, Buffer.from('other')) };
        expect(isIncluded(sha256, other, tree, proof)).to.equal(false);
        expect(isIncluded(sha256, { ...leaf, index: index + 1 }, tree, proof)).to.equal(false);
        expect(isIncluded(sha256, leaf, { size, root: sha256() }, proof)).to.equal(false);
        expect(isIncluded(sha256, leaf, tree, [...proof, root])).to.equal(false);
        if (proof.length > 0) {
          expect(isIncluded(sha256, leaf, tree, proof.slice(1))).to.equal(false);
        }
      }
    }
  });

  it('proves that an older tree is a prefix, and refuses a fork', async () => {
    for (let size = 0; size <= 21; size += 1) {
      const leaves = leavesOf(size);
      const newer = { size, root: naiveRoot(leaves) };
      for (let older = 0; older <= size; older += 1) {
        const spans = consistencyRanges(older, size);
        const proof = await Promise.all(
          spans.map((span) => rangeRoot(sha256, hashesOf(leaves), span)),
        );
        const before = { size: older, root: naiveRoot(leaves.slice(0, older)) };
        expect(isConsistent(sha256, before, newer, proof), `${older} of ${size}`).to.equal(true);
        if (older === 0) continue;
        const fork = { size: older, root: sha256('another') };
        expect(isConsistent(sha256, fork, newer, proof)).to.equal(false);
        expect(isConsistent(sha256, before, { size, root: sha256('x') }, proof)).to.equal(false);
        expect(isConsistent(sha256, before, newer, [...proof, newer.root])).to.equal(false);
      }
    }
    const [one, two] = [1, 2].map((size) => ({ size, root: naiveRoot(leavesOf(size)) }));
    if (one === undefined || two === undefined) throw new Error('no trees');
    expect(isConsistent(sha256, two, one, [])).to.equal(false);
  });
});

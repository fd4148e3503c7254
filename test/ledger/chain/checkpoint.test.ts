import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { sha256 } from '../../../engines/node/digest.js';
import { sealingKey, trustedKey, witnessKey } from '../../../engines/node/seal-keys.js';
import {
  checkpointText,
  noteText,
  parseCheckpoint,
  parseNote,
  parseVkey,
  vkeyOf,
} from '../../../ledger/chain/checkpoint.js';
import {
  addCheckpointText,
  inclusionProofText,
  parseAddCheckpoint,
  parseInclusionProof,
} from '../../../ledger/chain/proof-text.js';
import { newCosigner } from '../../support/seal-witness.js';

/** Published: of a log of Sigstore, and of the first library for notes. */
const published = JSON.parse(
  readFileSync(new URL('../../../../test/golden/notes.json', import.meta.url), 'utf8'),
) as readonly { readonly key: string; readonly note: string }[];
const seed = Buffer.alloc(32, 7);
const origin = 'assay.example.org/system';
const text = checkpointText({ origin, size: 3, root: Buffer.alloc(32, 1) });
const key = sealingKey({ seed });

describe('the note of a seal', () => {
  it('verifies like published notes, with ECDSA and with Ed25519', () => {
    for (const { key: trusted, note } of published) {
      const parsed = parseNote(note);
      if (parsed === null) throw new Error('a published note was not read');
      expect(noteText(parsed)).to.equal(note);
      expect(trustedKey(trusted).hasSigned(parsed)).to.equal(true);
      const forged = { ...parsed, text: parsed.text.replace('o', '0') };
      expect(trustedKey(trusted).hasSigned(forged)).to.equal(false);
    }
  });

  it('has a key in the published form, which only its own id matches', () => {
    for (const { key: trusted } of published) {
      const vkey = parseVkey(sha256, trusted);
      expect(vkey && vkeyOf(sha256, vkey.name, vkey.type, vkey.key)).to.equal(trusted);
      expect(parseVkey(sha256, trusted.replace(/\+[0-9a-f]/, '+3'))).to.equal(null);
    }
    for (const wrong of ['', 'a+b', `${origin}+00000000+`, 'a b+00000000+AQ==', 'PEM']) {
      expect(parseVkey(sha256, wrong), wrong).to.equal(null);
    }
  });

  it('is signed by the key derived from the secret, and by no other', () => {
    const note = { text, signatures: [key.sign(origin, text)] };
    expect(trustedKey(key.vkey(origin)).hasSigned(note)).to.equal(true);
    expect(trustedKey(JSON.stringify(key.jwk)).hasSigned(note)).to.equal(true);
    expect(sealingKey({ seed }).vkey(origin)).to.equal(key.vkey(origin));
    const other = sealingKey({ seed: Buffer.alloc(32, 8) });
    expect(trustedKey(other.vkey(origin)).hasSigned(note)).to.equal(false);
    expect(key.kid.slice(0, 8)).to.equal(note.signatures[0]?.keyId);
  });

  it('has a second signature in Ed25519 that verifies alone', () => {
    const second = witnessKey(key);
    const note = { text, signatures: [key.sign(origin, text), second.sign(origin, text)] };
    const read = parseCheckpoint(noteText(note));
    if (read === null) throw new Error('the note was not read');
    expect(trustedKey(second.vkey(origin)).hasSigned(read)).to.equal(true);
    expect(trustedKey(key.vkey(origin)).hasSigned(read)).to.equal(true);
    expect(second.jwk.crv).to.equal('Ed25519');
  });

  it('may carry a witness’s cosignature with its time', () => {
    const witness = newCosigner('witness.example.org/w1');
    const note = {
      text,
      signatures: [key.sign(origin, text), witness.cosigned(text, 1679315147)],
    };
    expect(trustedKey(witness.vkey).hasSigned(note)).to.equal(true);
    const earlier = witness.cosigned(text, 1679315147);
    earlier.signature[7] = (earlier.signature[7] ?? 0) ^ 1;
    expect(trustedKey(witness.vkey).hasSigned({ text, signatures: [earlier] })).to.equal(false);
  });

  it('is refused when it is incomplete', () => {
    const note = noteText({ text, signatures: [key.sign(origin, text)] });
    expect(parseCheckpoint(note)).to.include({ origin, size: 3 });
    const wrong = [
      '',
      text,
      note.trimEnd(),
      note.replace('\n3\n', '\n03\n'),
      note.replace('\n3\n', '\n-3\n'),
      note.replace('AQEB', 'AQE'),
      note.replace('\u2014 ', '- '),
      `${note}\u2014 two words AAAAAAA=\n`,
      `${note}\u2014 short AAAA\n`,
    ];
    for (const one of wrong) expect(parseCheckpoint(one), one).to.equal(null);
  });
});

describe('the texts of proofs', () => {
  const hash = fc.uint8Array({ minLength: 32, maxLength: 32 });
  const note = noteText({ text, signatures: [key.sign(origin, text)] });

  it('parse back to their parts', () => {
    fc.assert(
      fc.property(fc.nat(), fc.array(hash, { maxLength: 63 }), (index, hashes) => {
        const proof = parseInclusionProof(inclusionProofText(index, hashes, note));
        expect(proof?.index).to.equal(index);
        expect(proof?.hashes.map((one) => [...one])).to.deep.equal(hashes.map((one) => [...one]));
        expect(proof?.checkpoint.size).to.equal(3);
        const asked = parseAddCheckpoint(addCheckpointText({ old: index, hashes, note }));
        expect(asked).to.include({ old: index, note });
        expect(asked?.hashes).to.have.length(hashes.length);
      }),
      { numRuns: 50 },
    );
  });

  it('are refused with a malformed line', () => {
    const proof = inclusionProofText(2, [Buffer.alloc(32)], note);
    expect(parseInclusionProof(proof.replace('@v1\n', '@v1\nextra AAAA\n'))?.index).to.equal(2);
    const wrong = ['', proof.replace('@v1', '@v2'), proof.replace('index 2', 'index 02')];
    for (const one of [...wrong, proof.replace('AAAA\n', 'AAA\n'), proof.replace(/=\n\n/, '=\n')]) {
      expect(parseInclusionProof(one === proof ? '' : one), one).to.equal(null);
    }
    const asked = addCheckpointText({ old: 0, hashes: [], note });
    expect(parseAddCheckpoint(asked)?.old).to.equal(0);
    expect(parseAddCheckpoint(asked.replace('old 0', 'old'))).to.equal(null);
  });
});

import { createHash, sign } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { verifyEcdsa } from '../../../console/engines/signatures.js';
import {
  openCertificateCheck,
  type CertificateOutcome,
} from '../../../console/history/certificate-check.js';
import { certifiedDeletion } from '../../../console/history/model.js';
import { sha256 } from '../../../console/history/sha256.js';
import { base64, keyIdOf, noteTypes, vkeyOf } from '../../../ledger/chain/checkpoint.js';
import {
  chainEntries,
  checkpointOf,
  newSigner,
  proofHashesOf,
  testOrigin,
  type EntrySpec,
} from '../../support/bundles.js';
import { temporaryFolder } from '../../support/folder.js';
import { readKey, verifyCertificate } from '../../support/verifier.js';

const project = '60c67a87-024d-48e3-9dcf-ae5652800741';
const deletion = '3d4e0000-0000-4000-8000-000000000001';
const entries = chainEntries([
  ...Array.from({ length: 9 }, (_, at): EntrySpec => {
    const trace = { event_type: 'TraceLogged', stream: `trace-${project}-${at}`, data: '{}' };
    return at < 3 ? { ...trace, gone: 'erased' } : trace;
  }),
  { event_type: 'RecordsDeleted', stream: `deletion-${deletion}`, data: '{}' },
  { event_type: 'RecordsErased', stream: `deletion-${deletion}`, data: '{}' },
  { event_type: 'ErasureCompleted', stream: `erasure-${deletion}`, data: '{}' },
]);
const size = entries.length;
const signer = newSigner();
const spki = (from = signer): Uint8Array => from.publicKey.export({ format: 'der', type: 'spki' });
const vkeyFor = (from = signer): string =>
  vkeyOf(sha256, 'assay.example.org', noteTypes.ecdsa, spki(from));
const keys = { vkeys: [vkeyFor()], verify: verifyEcdsa };

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let pem: string;

const rolesBySeq = new Map([
  [1, 'erased'],
  [2, 'erased'],
  [3, 'erased'],
  [10, 'asked'],
  [11, 'closed'],
  [12, 'closed'],
]);
const entryLines = (): readonly string[] =>
  entries
    .filter(({ seq }) => rolesBySeq.has(seq))
    .map(({ salt: _salt, data: _data, ...entry }) => {
      const hashes = proofHashesOf(entries, entry.seq - 1, size).map(base64);
      const proof = { index: entry.seq - 1, size, hashes };
      return JSON.stringify({ role: rolesBySeq.get(entry.seq), entry, proof });
    });
const certificateOf = (lines: readonly string[]) => ({
  format: 'assay-certificate-1',
  of: { kind: 'deletion', id: deletion },
  organization_id: testOrigin.split('/')[1],
  issued_at: '2026-03-01T09:00:00.000000Z',
  checkpoint: checkpointOf(entries, size, signer),
  counts: { asked: 1, closed: 2, erased: 3 },
  parts: [
    {
      lines: lines.length,
      sha256: createHash('sha256')
        .update(lines.map((line) => `${line}\n`).join(''))
        .digest('hex'),
    },
  ],
  found: { streams: 3, streams_left: 0, records_left: 0, disk: 'given_back', disk_at: null },
  backups: null,
  proven: 'proven',
  attested: 'attested',
});
const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const signedLine = (certificate: object, by = signer, typ = 'assay-certificate+jwt'): string => {
  const kid = `${keyIdOf(sha256, '', noteTypes.ecdsa, spki(by))}00000000`;
  const text = `${encoded({ alg: 'ES256', kid, typ })}.${encoded(certificate)}`;
  const key = { key: by.privateKey, dsaEncoding: 'ieee-p1363' } as const;
  const signature = sign('sha256', Buffer.from(text), key).toString('base64url');
  return JSON.stringify({ certificate, jws: `${text}.${signature}` });
};
const wholeLines = (): readonly string[] => {
  const lines = entryLines();
  return [...lines, signedLine(certificateOf(lines))];
};

/** Checks as the console does and, with the usual key, as the auditor's program does. */
const check = async (lines: readonly string[], trust = keys): Promise<CertificateOutcome> => {
  const certificate = openCertificateCheck();
  for (const line of lines) certificate.add(line);
  const outcome = await certificate.end(trust);
  if (trust !== keys) return outcome;
  const file = join(folder.dir, 'certificate.jsonl');
  await writeFile(file, `${lines.join('\n')}\n`);
  const isIntact = await verifyCertificate(file, { key: readKey(pem), origin: testOrigin }).then(
    () => true,
    () => false,
  );
  const isHeld = Object.values(outcome.steps).every(({ outcome: one }) => one === 'holds');
  expect(isHeld, 'as the verifier').to.equal(isIntact);
  return outcome;
};
const outcomes = ({ steps }: CertificateOutcome): string =>
  Object.entries(steps)
    .flatMap(([name, { outcome }]) => (outcome === 'holds' ? [] : [`${name} ${outcome}`]))
    .join(', ');

/** Lines with one of them altered; the certificate is signed anew with `isSigned`. */
const altered = (at: number, from: string, to: string, isSigned = false): readonly string[] => {
  const lines = entryLines().map((line, index) => (index === at ? line.replace(from, to) : line));
  const signed = isSigned ? certificateOf(lines) : certificateOf(entryLines());
  return [...lines, signedLine(signed)];
};

describe('the check of a certificate', () => {
  before(async () => {
    folder = await temporaryFolder();
    pem = join(folder.dir, 'key.pem');
    await writeFile(pem, signer.publicKey.export({ format: 'pem', type: 'spki' }));
  });
  after(() => folder.remove());

  it('holds for the entries of an erasure, their seal and the signed statement', async () => {
    const outcome = await check(wholeLines());
    expect(outcomes(outcome)).to.equal('');
    expect(outcome.steps.entries.note).to.include('1 that asked, 2 that closed it and 3 erased');
    expect(outcome.certificate?.found.streams_left).to.equal(0);
  });

  it('fails where an entry or its place is another, though the operator signed it', async () => {
    const cases: readonly (readonly [string, readonly string[]])[] = [
      ['another actor', altered(1, '"id":"ada"', '"id":"eve"', true)],
      ['another time', altered(2, 'T09:00:00', 'T10:00:00', true)],
      ['another place', altered(0, '"index":0', '"index":1', true)],
      ['another size', altered(0, `"size":${size}`, `"size":${size + 1}`, true)],
      ['another hash of the path', altered(3, '"hashes":["', '"hashes":["A', true)],
      ['another role', altered(0, '"role":"erased"', '"role":"asked"', true)],
      ['altered after it was signed', altered(0, '"salted":true', '"salted":false')],
      ['a line less', wholeLines().slice(1)],
      ['a line twice', [...wholeLines().slice(0, 1), ...wholeLines()]],
      ['nothing that closes it', [...wholeLines().slice(0, 4), ...wholeLines().slice(-1)]],
    ];
    for (const [what, lines] of cases) {
      expect(outcomes(await check(lines)), what).to.equal('entries fails');
    }
  });

  it('fails where the statement or its signature is another', async () => {
    const lines = entryLines();
    const certificate = certificateOf(lines);
    const found = { ...certificate.found, streams_left: 1 };
    const signed = JSON.parse(signedLine(certificate)) as { readonly jws: string };
    const shown = JSON.stringify({ certificate: { ...certificate, found }, jws: signed.jws });
    expect(outcomes(await check([...lines, shown]))).to.equal('statement fails');
    const byOther = signedLine(certificate, newSigner());
    expect(outcomes(await check([...lines, byOther]))).to.equal('statement fails');
    const [head, payload, signature = ''] = signed.jws.split('.');
    const other = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
    const forged = `${head}.${payload}.${other}`;
    const line = JSON.stringify({ certificate, jws: forged });
    expect(outcomes(await check([...lines, line]))).to.equal('statement fails');
    const otherKind = signedLine(certificate, signer, 'at+jwt');
    expect(outcomes(await check([...lines, otherKind]))).to.equal('statement fails');
    const foreign = { ...keys, vkeys: [vkeyFor(newSigner())] };
    expect(outcomes(await check(wholeLines(), foreign))).to.equal('seal fails, statement fails');
    expect(outcomes(await check(wholeLines(), { ...keys, vkeys: [] }))).to.equal(
      'seal unchecked, statement unchecked',
    );
  });

  it('fails without the statement, or with the seal of another organisation', async () => {
    const lines = entryLines();
    expect(outcomes(await check(lines))).to.equal('entries fails, seal fails, statement fails');
    const other = { ...certificateOf(lines), organization_id: project };
    expect(outcomes(await check([...lines, signedLine(other)]))).to.equal('entries fails');
  });

  it('leads from each entry of an erasure to its certificate', () => {
    const at = (stream: string, event_type = 'ErasureCompleted', type = 'project', id = '') =>
      certifiedDeletion({ stream, event_type, resource: { type, id } as never });
    expect(at('deletion-1', 'RecordsDeleted')).to.equal('deletion:1');
    expect(at('erasure-1')).to.equal('deletion:1');
    expect(at('erasure-1', 'ErasureBegun', 'project', '1')).to.equal('project:1');
    expect(at('erasure-1', 'ErasureBegun', 'log_stream', '1')).to.equal('run:1');
    expect(at('org-job-1', 'OrgJobCompleted', 'org_job', '1')).to.equal('job:1');
    expect(at('dataset-1', 'DatasetErased', 'dataset', '1')).to.equal('dataset:1');
    expect(at('dataset-1', 'DatasetRenamed', 'dataset', '1')).to.equal(null);
  });
});

import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { digestOf, sha256 } from '../../engines/node/digest.js';
import { entryHash, genesisHash } from '../../ledger/chain/chain.js';
import { checkpointText, keyIdOf, noteText, noteTypes } from '../../ledger/chain/checkpoint.js';
import {
  appendSubtree,
  inclusionRanges,
  leafHash,
  merkleRoot,
  rangeRoot,
  perfectSubtrees,
  type CompactRange,
} from '../../ledger/chain/merkle-tree.js';
import { memoizeByObject } from '../../kernel/memoize-by-object.js';

/** A line of a bundle (verifier/ALGORITHM.md). */
export type BundleEntry = {
  readonly seq: number;
  readonly event_id: string;
  readonly event_type: string;
  readonly schema_version: number;
  readonly stream: string;
  readonly revision: number;
  readonly at: string;
  readonly actor: { readonly type: string; readonly id: string; readonly role: string };
  readonly organization_id: string | null;
  readonly request_id: string | null;
  readonly correlation_id: string | null;
  readonly causation_id: string | null;
  readonly erased: boolean;
  readonly salted: boolean;
  readonly withheld: 'secret' | 'asked' | null;
  readonly salt: string | null;
  readonly data: string | null;
  readonly data_digest: string;
  readonly prev_hash: string;
  readonly hash: string;
};
/** Members of an entry that a test chooses. */
export type EntrySpec = Pick<BundleEntry, 'event_type' | 'stream'> & {
  readonly data: string;
  readonly gone?: 'erased' | 'withheld';
};
type Signer = { readonly publicKey: KeyObject; readonly privateKey: KeyObject };

export const newSigner = (): Signer => generateKeyPairSync('ec', { namedCurve: 'P-256' });
export const testOrigin = 'assay.example.org/3fa85f64-5717-4562-b3fc-2c963f66afa6';
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const organization = '3fa85f64-5717-4562-b3fc-2c963f66afa6';

/** A history, chained and salted as the service does it. */
export const chainEntries = (told: readonly EntrySpec[]): readonly BundleEntry[] => {
  let prev = genesisHash;
  return told.map(({ event_type: type, stream, data, gone }, index) => {
    const seq = index + 1;
    const salt = Buffer.from(createHash('md5').update(`salt ${seq}`).digest());
    const envelope = {
      eventId: `00000000-0000-4000-8000-${String(seq).padStart(12, '0')}`,
      type,
      schema: 1,
      stream,
      revision: index,
      at: '2026-03-01T09:00:00.000000Z',
      actor: { type: 'user', id: 'ada', role: 'admin' },
      organizationId: seq % 5 === 0 ? null : organization,
      requestId: `request ${seq}`,
      correlationId: null,
      causationId: null,
      dataDigest: hex(digestOf(salt, data)),
    };
    const hash = hex(entryHash(sha256, prev, seq, envelope));
    const entry: BundleEntry = {
      seq,
      event_id: envelope.eventId,
      event_type: type,
      schema_version: 1,
      stream,
      revision: index,
      at: envelope.at,
      actor: envelope.actor,
      organization_id: envelope.organizationId,
      request_id: envelope.requestId,
      correlation_id: null,
      causation_id: null,
      erased: gone === 'erased',
      salted: true,
      withheld: gone === 'withheld' ? 'secret' : null,
      salt: gone === undefined ? hex(salt) : null,
      data: gone === undefined ? data : null,
      data_digest: envelope.dataDigest,
      prev_hash: prev,
      hash,
    };
    prev = hash;
    return entry;
  });
};

const leavesOf = (entries: readonly BundleEntry[]): readonly Uint8Array[] =>
  entries.map(({ hash }) => leafHash(sha256, Buffer.from(hash, 'hex')));
const rangeOf = (leaves: readonly Uint8Array[]): CompactRange =>
  leaves.reduce<CompactRange>((range, leaf) => appendSubtree(sha256, range, 1, leaf), []);

/** A signed checkpoint of the first `size` entries. */
export const checkpointOf = (
  entries: readonly BundleEntry[],
  size: number,
  { publicKey, privateKey }: Signer,
  origin = testOrigin,
): string => {
  const root = merkleRoot(sha256, rangeOf(leavesOf(entries.slice(0, size))));
  const text = checkpointText({ origin, size, root });
  const key = publicKey.export({ format: 'der', type: 'spki' });
  const signature = sign('sha256', Buffer.from(text), privateKey);
  const keyId = keyIdOf(sha256, origin, noteTypes.ecdsa, key);
  return noteText({ text, signatures: [{ name: origin, keyId, signature }] });
};

/** The hashes that lead from the leaf at `index` to the root of the first `size` entries. */
export const proofHashesOf = (
  entries: readonly BundleEntry[],
  index: number,
  size: number,
): readonly Uint8Array[] => {
  const leaves = leavesOf(entries);
  return inclusionRanges(index, { from: 0, to: size }).map(({ from, to }) =>
    merkleRoot(sha256, rangeOf(leaves.slice(from, to))),
  );
};

export type Bundle = {
  readonly scope: 'organization' | 'resource';
  readonly entries: readonly BundleEntry[];
  readonly nodes: readonly { readonly from: number; readonly to: number; readonly hash: string }[];
  readonly checkpoint: string;
};

/** The bundle of a whole history, or of the entries that `keeps` names and nodes for the rest. */
export const bundleOf = async (
  all: readonly BundleEntry[],
  size: number,
  signer: Signer,
  keeps: ((entry: BundleEntry) => boolean) | null = null,
): Promise<Bundle> => {
  const leaves = leavesOf(all);
  const hashOf = async (at: number, width: number): Promise<Uint8Array> =>
    merkleRoot(sha256, rangeOf(leaves.slice(at, at + width)));
  const entries = all.filter((entry) => keeps === null || keeps(entry));
  const nodes: Bundle['nodes'][number][] = [];
  const stops = [...entries.map(({ seq }) => seq - 1).filter((at) => at < size), size];
  let from = 0;
  for (const to of keeps === null ? [] : stops) {
    for (const { at, width } of perfectSubtrees({ from, to })) {
      const hash = hex(await rangeRoot(sha256, hashOf, { from: at, to: at + width }));
      nodes.push({ from: at, to: at + width, hash });
    }
    from = to + 1;
  }
  const scope = keeps === null ? 'organization' : 'resource';
  return { scope, entries, nodes, checkpoint: checkpointOf(all, size, signer) };
};

/** Bundles that are tampered with share nearly all their entries. */
const jsonLine = memoizeByObject((value: object) => `${JSON.stringify(value)}\n`);
const jsonLines = (values: readonly object[]): string => values.map(jsonLine).join('');

/** Content of a bundle's files. */
export const readBundle = (dir: string): Bundle => {
  const linesOf = <T>(file: string): T[] => {
    const bytes = readFileSync(join(dir, file));
    const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as T);
  };
  const files = readdirSync(dir).filter((name) => name.startsWith('entries-'));
  const { scope } = JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8')) as Bundle;
  return {
    scope,
    entries: files.sort().flatMap((file) => linesOf<BundleEntry>(file)),
    nodes: linesOf('nodes.jsonl'),
    checkpoint: readFileSync(join(dir, 'checkpoint.txt'), 'utf8'),
  };
};

/** Writes the files of a bundle, the entries in parts of `partEntries`. */
export const writeBundle = async (
  dir: string,
  { scope, entries, nodes, checkpoint }: Bundle,
  partEntries = 100,
): Promise<void> => {
  await mkdir(dir, { recursive: true });
  const parts: object[] = [];
  for (let from = 0; from < entries.length; from += partEntries) {
    const file = `entries-${String(parts.length).padStart(6, '0')}.jsonl`;
    const some = entries.slice(from, from + partEntries);
    const text = jsonLines(some);
    await writeFile(join(dir, file), text);
    const digest = createHash('sha256').update(text).digest('hex');
    const [first, last] = [some[0]?.seq, some.at(-1)?.seq];
    parts.push({ file, first_seq: first, last_seq: last, sha256: digest });
  }
  const manifest = {
    format: 'assay-bundle-1',
    origin: testOrigin,
    scope,
    entries: entries.length,
    parts,
  };
  await writeFile(join(dir, 'manifest.json'), JSON.stringify(manifest));
  await writeFile(join(dir, 'nodes.jsonl'), jsonLines(nodes));
  await writeFile(join(dir, 'checkpoint.txt'), checkpoint);
};

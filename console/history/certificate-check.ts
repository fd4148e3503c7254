import { fromBase64, parseCheckpoint } from '../../ledger/chain/checkpoint.js';
import { fromHex, toHex } from '../../kernel/hex.js';
import { includedRoot, leafHash } from '../../ledger/chain/merkle-tree.js';
import { parseJsonText } from '../../kernel/json-text.js';
import { hasHash, isHash, type CheckedEntry } from './entry-check.js';
import {
  checkSealSignature,
  fails,
  holds,
  signatureStep,
  signingKeysOf,
  type CheckStep,
  type TrustedKeys,
} from './seal-signature.js';
import { sha256 } from './sha256.js';

const roles = ['asked', 'closed', 'erased'] as const;
type Role = (typeof roles)[number];

type CertificateLine = {
  readonly role: Role;
  readonly entry: CheckedEntry;
  readonly proof: {
    readonly index: number;
    readonly size: number;
    readonly hashes: readonly string[];
  };
};

/** The signed statement of a certificate (contract 5.14). */
export type Certificate = {
  readonly format: string;
  readonly of: { readonly kind: string; readonly id: string };
  readonly organization_id: string;
  readonly issued_at: string;
  readonly checkpoint: string;
  readonly counts: Readonly<Record<Role, number>>;
  readonly parts: readonly { readonly lines: number; readonly sha256: string }[];
  readonly found: {
    readonly streams: number;
    readonly streams_left: number;
    readonly records_left: number | null;
    readonly disk: 'given_back' | 'not_yet' | 'unknown';
    readonly disk_at: string | null;
  };
  readonly backups: { readonly days: number; readonly expired_at: string } | null;
  readonly proven: string;
  readonly attested: string;
};
type SignedCertificate = { readonly certificate: Certificate; readonly jws: string };

/** The steps of verifier/ALGORITHM.md, 7, each by itself, and what the certificate states. */
export type CertificateOutcome = {
  readonly steps: {
    readonly entries: CheckStep;
    readonly seal: CheckStep;
    readonly statement: CheckStep;
  };
  /** Null where its last line is not a certificate. */
  readonly certificate: Certificate | null;
};

export type CertificateCheck = {
  /** Takes one line, an entry or the statement at the end; the first complaint, or null. */
  readonly add: (line: string) => string | null;
  readonly end: (keys: TrustedKeys) => Promise<CertificateOutcome>;
  readonly entries: () => number;
};

/** Lines that are hashed together. */
const partLines = 10_000;

/**
 * Checks a certificate of an erasure line by line, as it comes. Its seal stands in the last line:
 * until then the entries only have to agree on one tree.
 */
export const openCertificateCheck = (): CertificateCheck => {
  const parts = openPartHashes();
  const counts = { asked: 0, closed: 0, erased: 0 };
  let tree: { readonly size: number; readonly root: string } | null = null;
  let last = 0;
  let signed: SignedCertificate | null = null;
  let complaint: string | null = null;
  const addEntry = ({ role, entry, proof }: CertificateLine): string | null => {
    if (signed !== null) return 'an entry after the statement';
    if (!roles.includes(role)) return `entry ${entry.seq}: unknown role`;
    if (!(entry.seq > last)) return `entry ${entry.seq}: out of order`;
    const root = rootOf(entry, proof);
    if (root === null) return `entry ${entry.seq}: the fields are not those of the hash`;
    tree ??= { size: proof.size, root };
    const isSame = tree.size === proof.size && tree.root === root;
    if (!isSame) return `entry ${entry.seq}: the hashes do not lead to the root of the others`;
    last = entry.seq;
    counts[role] += 1;
    return null;
  };
  return {
    entries: () => counts.asked + counts.closed + counts.erased,
    add: (line) => {
      const value = parseJsonText(line) as CertificateLine | SignedCertificate;
      if ('certificate' in value) signed = value;
      else {
        parts.add(line);
        complaint ??= addEntry(value);
      }
      return complaint;
    },
    end: async (keys) => {
      const statement = signed?.certificate ?? null;
      if (signed === null || statement?.format !== 'assay-certificate-1') {
        const missing = fails('the last line is not a certificate');
        return {
          steps: { entries: missing, seal: missing, statement: missing },
          certificate: null,
        };
      }
      const wrong = complaint ?? entriesComplaint(statement, { tree, counts, parts: parts.end() });
      const note = parseCheckpoint(statement.checkpoint);
      const { asked, closed, erased } = counts;
      const text = `${asked} that asked, ${closed} that closed it and ${erased} erased`;
      return {
        certificate: statement,
        steps: {
          entries: wrong === null ? holds(`entries → root of the seal: ${text}`) : fails(wrong),
          seal:
            note === null ? fails('the seal cannot be read') : await checkSealSignature(note, keys),
          statement: await checkStatement(signed, note?.origin ?? '', keys),
        },
      };
    },
  };
};

/** The root that the entry and its proof lead to, in hex; null where the entry is another. */
const rootOf = (entry: CheckedEntry, proof: CertificateLine['proof']): string | null => {
  const isOwn = isHash(entry.hash) && hasHash(entry) && proof.index === entry.seq - 1;
  if (!isOwn) return null;
  const leaf = { index: proof.index, hash: leafHash(sha256, fromHex(entry.hash)) };
  const hashes = proof.hashes.map((hash) => fromBase64(hash) ?? new Uint8Array());
  const root = includedRoot(sha256, leaf, proof.size, hashes);
  return root === null ? '' : toHex(root);
};

type Entries = {
  readonly tree: { readonly size: number; readonly root: string } | null;
  readonly counts: Certificate['counts'];
  readonly parts: Certificate['parts'];
};

/** The first difference between the statement and the entries; null: none. */
const entriesComplaint = (
  { checkpoint, counts, parts, organization_id: organization }: Certificate,
  entries: Entries,
): string | null => {
  const seal = parseCheckpoint(checkpoint);
  if (seal === null) return 'the seal cannot be read';
  if (!seal.origin.endsWith(`/${organization}`)) return `the seal is of ${seal.origin}`;
  if (entries.tree === null || entries.counts.closed === 0) return 'no entry closes the erasure';
  if (entries.tree.size !== seal.size || entries.tree.root !== toHex(seal.root)) {
    return 'the hashes do not lead to the root of the seal';
  }
  if (roles.some((role) => counts[role] !== entries.counts[role])) {
    return 'the entries are not as many as the certificate says';
  }
  return JSON.stringify(parts) === JSON.stringify(entries.parts)
    ? null
    : 'the lines are not those that were signed';
};

/** The JWS: ES256 of a trusted key over the same statement. */
const checkStatement = async (
  { certificate, jws }: SignedCertificate,
  origin: string,
  { vkeys, verify }: TrustedKeys,
): Promise<CheckStep> => {
  const [head = '', payload = '', signature = '', ...rest] = jws.split('.');
  const [header, content, raw] = [head, payload, signature].map(fromBase64Url);
  if (header == null || content == null || raw == null || rest.length > 0) {
    return fails('the signature is not a JWS');
  }
  const { alg, kid = '', typ } = jsonOf(header) as Readonly<Record<string, string | undefined>>;
  if (alg !== 'ES256' || typ !== 'assay-certificate+jwt') return fails('another kind of JWS');
  if (JSON.stringify(jsonOf(content)) !== JSON.stringify(certificate)) {
    return fails('the signed statement is another than the one shown');
  }
  const keys = signingKeysOf(origin, vkeys);
  if ('outcome' in keys) return keys;
  const signer = keys.find(({ keyId }) => kid.startsWith(keyId));
  if (signer === undefined) return fails('not signed with this key');
  const text = new TextEncoder().encode(`${head}.${payload}`);
  return signatureStep(await verify(signer.key, raw, text), signer.keyId);
};

const fromBase64Url = (text: string): Uint8Array | null => {
  const padding = '='.repeat((4 - (text.length % 4)) % 4);
  return fromBase64(`${text.replaceAll('-', '+').replaceAll('_', '/')}${padding}`);
};

/** JSON of UTF-8 bytes; an empty object for anything else. */
const jsonOf = (bytes: Uint8Array): unknown => {
  try {
    return parseJsonText(new TextDecoder().decode(bytes)) ?? {};
  } catch {
    return {};
  }
};

/** SHA-256 of each 10,000 lines with their line feeds. */
const openPartHashes = () => {
  const parts: Certificate['parts'][number][] = [];
  let lines: string[] = [];
  const close = (): void => {
    if (lines.length > 0) parts.push({ lines: lines.length, sha256: toHex(sha256(...lines)) });
    lines = [];
  };
  return {
    add: (line: string): void => {
      lines.push(`${line}\n`);
      if (lines.length === partLines) close();
    },
    end: (): Certificate['parts'] => {
      close();
      return parts;
    },
  };
};

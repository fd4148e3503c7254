import { readFile } from 'node:fs/promises';
import { parseJsonText } from '../../kernel/json-text.js';
import { readResponseText } from '../../engines/node/response-text.js';
import { sha256 } from '../../engines/node/digest.js';
import { diskFiles } from '../../engines/node/files.js';
import { trustedKey, type TrustedKey } from '../../engines/node/seal-keys.js';
import {
  base64,
  fromBase64,
  parseCheckpoint,
  type Note,
  type TreeHead,
} from '../chain/checkpoint.js';
import { isConsistent } from '../chain/merkle-tree.js';
import { Fault, redactedReason } from '../../kernel/fault.js';

export type WatchOptions = {
  /** File of the checkpoint from the previous run. */
  readonly state: string;
  /** A file with the key that is trusted: a vkey, PEM or JWK. */
  readonly key: string;
  readonly origin?: string;
  /** A file with an API key of an auditor. */
  readonly apiKey?: string;
  readonly json?: true;
};

/** The service's current tree head, and the stored size it was checked against. */
type WatchedTreeHead = {
  readonly origin: string;
  readonly size: number;
  readonly root: string;
  /** Size of the stored checkpoint; null: there was none. */
  readonly since: number | null;
};
type StoredCheckpoint = Note & TreeHead & { readonly note: string };

/** Larger than any checkpoint or proof. */
const bytesMax = 1_048_576;
const responseTimeoutMs = 60_000;

/** A contradiction: two signed statements that cannot both be true. */
const contradictionFault = (why: string): Fault => new Fault('conflict', why);

/**
 * `assay audit watch URL`: checks that the history still begins with the stored checkpoint. Exit 0:
 * it does, and the newest checkpoint replaces it; 1: it does not, and the contradicting note is
 * stored beside it; 2: not checkable. Key and origin are never taken from the service.
 */
export const auditWatch = async (url: string, options: WatchOptions): Promise<void> => {
  const { exit, watched, why } = await watchOnce(url, options);
  process.exitCode = exit;
  if (options.json === true) {
    process.stdout.write(`${JSON.stringify({ exit, ...(watched ?? { why }) })}\n`);
  } else if (watched !== null) process.stdout.write(`${resultSentence(watched)}\n`);
  else process.stderr.write(`${exit === 1 ? 'broken' : 'cannot be checked'}: ${why}\n`);
};

export type WatchOutcome =
  | { readonly exit: 0; readonly watched: WatchedTreeHead; readonly why: null }
  | { readonly exit: 1 | 2; readonly watched: null; readonly why: string };

export const watchOnce = async (url: string, options: WatchOptions): Promise<WatchOutcome> => {
  try {
    return { exit: 0, watched: await watchHistory(url, options), why: null };
  } catch (error) {
    const isBroken = error instanceof Fault && error.code === 'conflict';
    return { exit: isBroken ? 1 : 2, watched: null, why: redactedReason(error) };
  }
};

const resultSentence = ({ origin, size, since }: WatchedTreeHead): string => {
  if (since === null) return `intact: ${size} entries of ${origin}, kept for the next time`;
  return since === size
    ? `intact: ${size} entries of ${origin}, as before`
    : `intact: ${size} entries of ${origin} begin with the ${since} that were kept`;
};

const watchHistory = async (url: string, options: WatchOptions): Promise<WatchedTreeHead> => {
  const ask = fetcherOf(url, await readApiKey(options.apiKey));
  const trusted = trustedKey(await readText(options.key));
  const kept = await readStoredCheckpoint(options.state, trusted);
  const note = await ask('checkpoint');
  if (note === null) {
    if (kept === null) throw new Fault('unavailable', 'the history is not sealed yet');
    throw contradictionFault(
      `the service returned no seal, although ${kept.size} entries were sealed before`,
    );
  }
  const seen = verifyNote(note, trusted, originMatcher(options, trusted, kept));
  try {
    if (kept !== null) await requireConsistency(ask, kept, seen);
  } catch (error) {
    // Both notes are signed by the same key: together they are the evidence.
    const isBroken = error instanceof Fault && error.code === 'conflict';
    if (isBroken) await diskFiles.write(`${options.state}.broken`, Buffer.from(note));
    throw error;
  }
  await diskFiles.write(options.state, Buffer.from(note));
  const { origin, size, root } = seen;
  return { origin, size, root: base64(root), since: kept?.size ?? null };
};

/** Matches the expected origin: exactly, or by the prefix that a vkey names. */
type OriginMatcher = (origin: string) => boolean;

const originMatcher = (
  { origin }: WatchOptions,
  { name }: TrustedKey,
  kept: StoredCheckpoint | null,
): OriginMatcher => {
  if (origin !== undefined) return (one) => one === origin;
  if (kept !== null) return (one) => one === kept.origin;
  if (name !== null) return (one) => one === name || one.startsWith(`${name}/`);
  throw new Fault('invalid', 'this key does not say whose it is: add --origin NAME');
};

const verifyNote = (
  note: string,
  trusted: TrustedKey,
  expected: OriginMatcher,
): StoredCheckpoint => {
  const head = parseCheckpoint(note);
  if (head === null) throw contradictionFault('the service sent a malformed checkpoint');
  if (!expected(head.origin)) throw contradictionFault(`the checkpoint is of ${head.origin}`);
  if (!trusted.hasSigned(head))
    throw contradictionFault('the checkpoint is not signed with your key');
  return { ...head, note };
};

/** Verifies the stored checkpoint again, since its file can be replaced. */
const readStoredCheckpoint = async (
  path: string,
  trusted: TrustedKey,
): Promise<StoredCheckpoint | null> => {
  const bytes = await diskFiles.read(path);
  if (bytes === null) return null;
  const note = Buffer.from(bytes).toString('utf8');
  const head = parseCheckpoint(note);
  if (head !== null && trusted.hasSigned(head)) return { ...head, note };
  throw new Fault('invalid', `${path} holds no checkpoint that your key signed`);
};

const requireConsistency = async (
  ask: FetchText,
  kept: StoredCheckpoint,
  seen: StoredCheckpoint,
): Promise<void> => {
  if (seen.size < kept.size) {
    throw contradictionFault(`${kept.size} entries were sealed, and now there are ${seen.size}`);
  }
  const proof =
    seen.size === kept.size
      ? '{"hashes":[]}'
      : await ask(`consistency?from=${kept.size}&to=${seen.size}`);
  if (proof === null)
    throw contradictionFault(`the service has no proof that ${kept.size} entries are still there`);
  if (!isConsistent(sha256, kept, seen, parseHashes(proof))) {
    throw contradictionFault(
      `the ${seen.size} entries do not begin with the ${kept.size} that were kept`,
    );
  }
};

const parseHashes = (text: string): readonly Uint8Array[] => {
  const { hashes } = parseJson(text) as { readonly hashes?: unknown };
  const list = Array.isArray(hashes) ? (hashes as readonly unknown[]) : [];
  return list.flatMap((one) => (typeof one === 'string' ? (fromBase64(one) ?? []) : []));
};
const parseJson = (text: string): unknown => {
  try {
    return parseJsonText(text) ?? {};
  } catch {
    return {};
  }
};

type Problem = { readonly code?: unknown };

/** Null for 404 of the service. Throws Fault `unavailable` for any other answer. */
type FetchText = (what: string) => Promise<string | null>;

const fetcherOf =
  (url: string, apiKey: string | null): FetchText =>
  async (what) => {
    if (!/^https?:/.test(url) || !URL.canParse(url)) {
      throw new Fault('invalid', `${url} is not an address like https://assay.example.org`);
    }
    const response = await fetch(`${url.replace(/\/$/, '')}/v2/history/${what}`, {
      headers: apiKey === null ? {} : { 'Service-API-Key': apiKey },
      redirect: 'error',
      signal: AbortSignal.timeout(responseTimeoutMs),
    }).catch((cause: unknown) => {
      throw new Fault('unavailable', `${url} gave no answer`, { cause });
    });
    const text = await readResponseText(response, bytesMax);
    if (text === null) throw new Fault('unavailable', `${url} sends more than a proof`);
    if (response.status === 200) return text;
    // Other servers answer 404 with a page of their own.
    if (response.status === 404 && (parseJson(text) as Problem).code === 'not_found') return null;
    throw new Fault('unavailable', `${url} answers ${response.status} to ${what}`);
  };

const readApiKey = async (path: string | undefined): Promise<string | null> =>
  path === undefined ? null : (await readText(path)).trim();

const readText = async (path: string): Promise<string> => {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new Fault('invalid', `${path} cannot be read`, { cause });
  }
};

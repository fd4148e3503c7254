import type { Sha256 } from '../../kernel/ports.js';
import type { JsonObject } from '../../kernel/schema-types.js';
import { fromHex, toHex } from '../../kernel/hex.js';

/**
 * Tree head, the content of a seal (C2SP tlog-checkpoint): the tree of this origin had that size
 * and root.
 */
export type TreeHead = {
  /** Origin of the tree: the name of the installation and of the chain. */
  readonly origin: string;
  readonly size: number;
  readonly root: Uint8Array;
};

/** A signature line of a note (C2SP signed-note). */
export type NoteSignature = {
  readonly name: string;
  /** Eight hex digits that identify the key among those of that name. */
  readonly keyId: string;
  readonly signature: Uint8Array;
};
/** Signed note: a text that ends with a newline, and its signatures. */
export type Note = { readonly text: string; readonly signatures: readonly NoteSignature[] };

/** Signing key of seals, with its published form. */
export type SealingKey = {
  /** Begins with the key's note id, for the key type that signs every seal. */
  readonly kid: string;
  readonly jwk: SealingJwk;
  /** The key as C2SP signed-note writes it, under this name. */
  readonly vkey: (name: string) => string;
  readonly sign: (name: string, text: string) => NoteSignature;
};
export type SealingJwk = JsonObject & {
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
  readonly y?: string;
};

/** Signature type: first byte of the input of a key id or vkey. */
export const noteTypes = { ed25519: 1, ecdsa: 2, cosignature: 4 } as const;
type NoteType = (typeof noteTypes)[keyof typeof noteTypes];

/** Larger notes are not ours or any witness's. */
const noteCharactersMax = 65_536;
const signaturesMax = 64;

export const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
/** Null for a text that is not canonical base64. */
export const fromBase64 = (text: string): Uint8Array | null => {
  if (!base64Form.test(text)) return null;
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return base64(bytes) === text ? bytes : null;
};

const base64Form = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Origin of the trees of a chain. */
export const chainOrigin = (installation: string, chain: string): string =>
  `${installation}/${chain}`;
/** True for a valid key name: no spaces and no plus (C2SP signed-note). */
const isNoteName = (name: string): boolean => /^[^\s+]{1,255}$/.test(name);

export const checkpointText = ({ origin, size, root }: TreeHead): string =>
  `${origin}\n${size}\n${base64(root)}\n`;

export const signatureLine = ({ name, keyId, signature }: NoteSignature): string =>
  `\u2014 ${name} ${base64(Uint8Array.of(...fromHex(keyId), ...signature))}\n`;

export const noteText = ({ text, signatures }: Note): string =>
  `${text}\n${signatures.map(signatureLine).join('')}`;

/** Null for a malformed note: no text, no signature, or a line that is neither. */
export const parseNote = (note: string): Note | null => {
  const end = note.lastIndexOf('\n\n');
  if (note.length > noteCharactersMax || end < 0 || !note.endsWith('\n')) return null;
  const lines = note.slice(end + 2, -1).split('\n');
  const signatures = lines.flatMap((line) => parseSignatureLine(line) ?? []);
  const isWhole = signatures.length === lines.length && lines.length <= signaturesMax;
  return isWhole ? { text: note.slice(0, end + 1), signatures } : null;
};

/** Adds a cosignature, in base64 as its line has it; a repeated one changes nothing. */
export const withCosignature = (note: string, witness: string, cosignature: string): string => {
  const line = `\u2014 ${witness} ${cosignature}`;
  const [parsed, signature] = [parseNote(note), parseSignatureLine(line)];
  if (parsed === null || signature === null || note.includes(`${line}\n`)) return note;
  return noteText({ ...parsed, signatures: [...parsed.signatures, signature] });
};

/** Parses one signature line without its newline. */
export const parseSignatureLine = (line: string): NoteSignature | null => {
  const [dash, name = '', value = '', ...rest] = line.split(' ');
  const bytes = fromBase64(value);
  if (dash !== '\u2014' || rest.length > 0 || !isNoteName(name)) return null;
  if (bytes === null || bytes.length <= 4) return null;
  const keyId = toHex(bytes.subarray(0, 4));
  return { name, keyId, signature: bytes.subarray(4) };
};

/** Parses the note of a seal without trusting it: it counts only after a signature is verified. */
export const parseCheckpoint = (note: string): (Note & TreeHead) | null => {
  const parsed = parseNote(note);
  if (parsed === null) return null;
  const [origin = '', size = '', root = ''] = parsed.text.split('\n');
  const hash = fromBase64(root);
  if (origin === '' || !/^(0|[1-9]\d{0,14})$/.test(size) || hash?.length !== 32) return null;
  return { ...parsed, origin, size: Number(size), root: hash };
};

/**
 * Id of a public key: the beginning of its hash for ECDSA, else of the hash of name, type and key.
 */
export const keyIdOf = (sha256: Sha256, name: string, type: NoteType, key: Uint8Array): string => {
  const hash =
    type === noteTypes.ecdsa ? sha256(key) : sha256(`${name}\n`, Uint8Array.of(type), key);
  return toHex(hash.subarray(0, 4));
};

/** Verifier key as text; ECDSA keys as SPKI in DER, others as their 32 bytes. */
export const vkeyOf = (sha256: Sha256, name: string, type: NoteType, key: Uint8Array): string => {
  const typed = base64(Uint8Array.of(type, ...key));
  return `${name}+${keyIdOf(sha256, name, type, key)}+${typed}`;
};

export type Vkey = {
  readonly name: string;
  readonly keyId: string;
  readonly type: NoteType;
  readonly key: Uint8Array;
};

/** Null for a malformed vkey, an unknown type, or an id that does not match its key. */
export const parseVkey = (sha256: Sha256, text: string): Vkey | null => {
  const [, name = '', keyId = '', value = ''] = /^([^+]+)\+([0-9a-f]{8})\+(\S+)$/.exec(text) ?? [];
  const bytes = fromBase64(value);
  const type = Object.values(noteTypes).find((one) => one === bytes?.[0]);
  if (!isNoteName(name) || bytes === null || type === undefined) return null;
  const key = bytes.subarray(1);
  return keyIdOf(sha256, name, type, key) === keyId ? { name, keyId, type, key } : null;
};

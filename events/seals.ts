// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import type { Noun } from './noun.js';
import { event, type DataOf, type EventOf } from './schemas.js';

/** SHA-256 in lower-case hex. */
const hash = Type.String();
/** Root of a tree, in base64 as in checkpoints. */
const root = Type.String();
const size = Type.Integer({ minimum: 1 });
/** Organisation's id, or `system`. */
const chain = Type.String();

export const historySealEvents = {
  /**
   * Stream `seals-<chain>-<yyyy-mm-dd>`: the chain had exactly these entries when it was signed
   * (contract 5.14, rule 5). It is in the chain itself, so the next seal covers it.
   */
  HistorySealed: event('entity create', {
    chain,
    /** `seq` of the last entry, its hash and its position in the log. */
    size,
    head_hash: hash,
    position: Type.String(),
    root,
    /** Size of the seal that this one was proven to continue; 0 for the first. */
    previous_size: Type.Integer({ minimum: 0 }),
    /** Signed checkpoint (C2SP tlog-checkpoint): origin, size, root and signatures. */
    note: Type.String(),
  }),
  /** Same stream, after its seal: a witness verified that it continues the seal it saw last. */
  HistorySealWitnessed: event('entity update', {
    chain,
    size,
    /** Name of the witness, as in its signature line. */
    witness: Type.String(),
    /** Signature in base64: the key's id and a timestamped signature, as the line has them. */
    signature: Type.String(),
  }),
};

export type HistorySealEvent = EventOf<typeof historySealEvents>;
export type HistorySealed = DataOf<HistorySealEvent, 'HistorySealed'>;
export type HistorySealWitnessed = DataOf<HistorySealEvent, 'HistorySealWitnessed'>;

export const sealingKeyEvents = {
  /** Stream `seals-system-keys`, before the key's first seal; valid for what it signed. */
  SealingKeyPublished: event('entity create', {
    kid: Type.String(),
    jwk: Type.Object({
      kty: Type.String(),
      crv: Type.String(),
      x: Type.String(),
      y: Type.Optional(Type.String()),
    }),
    /** Key in C2SP signed-note form, under the name before the chain's. */
    vkey: Type.String(),
  }),
};

export type SealingKeyEvent = EventOf<typeof sealingKeyEvents>;
export type SealingKeyPublished = DataOf<SealingKeyEvent, 'SealingKeyPublished'>;

const installationEvents = {
  /** Stream `seals-system-installation`, once: the default origin of seals. */
  InstallationNamed: event('entity create', {
    installation_id: Type.Unsafe<string>(Type.String({ format: 'uuid' })),
  }),
};

export const sealNoun: Noun = {
  stream: {
    name: 'seals-<chain>-<day>',
    subject: 'organization',
    erasedWith: null,
    isTechnical: true,
  },
  events: { ...historySealEvents, ...sealingKeyEvents, ...installationEvents },
};

export type InstallationEvent = EventOf<typeof installationEvents>;

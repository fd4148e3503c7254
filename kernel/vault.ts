import type { Brand, Id, Instant } from './schema-types.js';

export type DataKeyId = Id<'DataKeyId'>;

/** Where a sealed text belongs. It opens at this place and at no other. */
export type SealContext = {
  readonly organizationId: string;
  readonly integrationId: string;
  readonly provider: string;
  /** Counts the sealings of one integration from 1. */
  readonly version: number;
};

/** AES-256-GCM under a data key of the organisation; bytes in base64. */
export type SealedText = {
  readonly v: 1;
  readonly data_key_id: DataKeyId;
  readonly iv: string;
  readonly ciphertext: string;
  readonly tag: string;
};

/** HMAC-SHA-256 in hex under a key of the service. */
export type Fingerprint = Brand<string, 'Fingerprint'>;

/**
 * Seals texts for one place each. The key that seals is a data key of the organisation; the service
 * knows it only wrapped by its master key, and keeps it outside the log: what a destroyed data key
 * sealed is gone, in the log and in every copy of it.
 */
export interface Vault {
  seal(place: SealContext, text: string): Promise<SealedText>;
  /**
   * Throws Fault `unavailable` when the data key is gone, or the text was sealed for another place
   * or changed since.
   */
  open(place: SealContext, sealed: SealedText): Promise<string>;
  /** The same for the same text, and no way back to it. */
  fingerprint(text: string): Fingerprint;
  /** A new data key for the organisation; what is sealed from now on is sealed with it. */
  rotateDataKey(organizationId: string): Promise<DataKeyId>;
  /**
   * Destroys data keys of the organisation that are not in `used`, were replaced before `before`,
   * and so can no longer be in use by a request. Returns how many.
   */
  destroyUnused(
    organizationId: string,
    used: ReadonlySet<DataKeyId>,
    before: Instant,
  ): Promise<number>;
}

/** A data key as it is kept: wrapped by the master key, bound to its id and organisation. */
export type WrappedDataKey = {
  readonly id: DataKeyId;
  readonly organization_id: string;
  readonly created_at: Instant;
  /** When another one took its place; null = it seals. */
  readonly replaced_at: Instant | null;
  readonly iv: string;
  readonly ciphertext: string;
  readonly tag: string;
};

/**
 * Data keys, in a store that forgets: never in the log, whose copies do not. `all` has the oldest
 * first. A step of `update` is durable when it resolves; steps of one process follow each other,
 * and one of another process never takes away what the step did not know.
 */
export interface DataKeyStore {
  all(): Promise<readonly WrappedDataKey[]>;
  update(
    step: (keys: readonly WrappedDataKey[]) => readonly WrappedDataKey[],
  ): Promise<readonly WrappedDataKey[]>;
  close(): Promise<void>;
}

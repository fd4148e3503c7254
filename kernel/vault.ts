import type { Brand, Id, Instant } from './schema-types.js';

export type DataKeyId = Id<'DataKeyId'>;

/** Binding of a sealed text, which opens with this context and with no other. */
export type SealContext = {
  readonly organizationId: string;
  readonly integrationId: string;
  readonly provider: string;
  /** Number of the sealing of one integration, from 1. */
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
 * Vault: seals texts (authenticated encryption), each bound to one context, with a data key of the
 * organisation. The service knows data keys only wrapped by its master key, and keeps them outside
 * the log: destroying a data key destroys everything it sealed, in the log and in every copy of it
 * (crypto-shredding).
 */
export interface Vault {
  seal(place: SealContext, text: string): Promise<SealedText>;
  /**
   * Throws Fault `unavailable` when the data key is gone, or the text was sealed for another
   * context or changed since.
   */
  open(place: SealContext, sealed: SealedText): Promise<string>;
  /** Deterministic one-way hash of the text. */
  fingerprint(text: string): Fingerprint;
  /** Creates a new data key for the organisation, which seals from now on. */
  rotateDataKey(organizationId: string): Promise<DataKeyId>;
  /**
   * Destroys data keys of the organisation that are not in `used` and were replaced before
   * `before`, and so can no longer be in use by a request. Returns their number.
   */
  destroyUnused(
    organizationId: string,
    used: ReadonlySet<DataKeyId>,
    before: Instant,
  ): Promise<number>;
}

/** Data key as stored: wrapped by the master key, bound to its id and organisation. */
export type WrappedDataKey = {
  readonly id: DataKeyId;
  readonly organization_id: string;
  readonly created_at: Instant;
  /** Time of its replacement; null = it is the sealing key. */
  readonly replaced_at: Instant | null;
  readonly iv: string;
  readonly ciphertext: string;
  readonly tag: string;
};

/**
 * Store of data keys that can forget: never the log, whose copies cannot. `all` has the oldest
 * first. A step of `update` is durable when it resolves; steps of one process are serialised, and
 * one of another process never removes keys that the step did not know.
 */
export interface DataKeyStore {
  all(): Promise<readonly WrappedDataKey[]>;
  update(
    step: (keys: readonly WrappedDataKey[]) => readonly WrappedDataKey[],
  ): Promise<readonly WrappedDataKey[]>;
  close(): Promise<void>;
}

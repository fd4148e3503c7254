// Written by npm run client:typescript from the contract: change that.
import type { HistoryResource } from './history-types.js';

export type HistoryConsistency = {
  readonly from: number;
  readonly to: number;

  /** SHA-256 in base64, as checkpoints have it. */
  readonly from_root: string;

  /** SHA-256 in base64, as checkpoints have it. */
  readonly to_root: string;
  readonly hashes: readonly string[];
};

export type HistoryProof = {
  readonly entry: ProvenHistoryEntry;

  /** In hex; null too for events without one. */
  readonly salt: string | null;

  /** The text as stored; null when erased or secret. */
  readonly data: string | null;
  readonly proof: string;
};

export type HistorySeal = {
  /** `seq` of the last entry that it covers. */
  readonly size: number;

  /** SHA-256 in base64, as checkpoints have it. */
  readonly root: string;

  /** SHA-256 in lower-case hex. */
  readonly head_hash: string;
  readonly position: string;
  readonly at: string;

  /** The checkpoint, with the cosignatures of witnesses. */
  readonly note: string;

  /** Names of those who cosigned it. */
  readonly witnesses: readonly string[];
};

export type HistorySealPage = {
  readonly seals: readonly HistorySeal[];
  readonly next_cursor: string | null;
};

export type ProvenHistoryActor = {
  readonly type: 'user' | 'api_key' | 'system';
  readonly id: string;
  readonly role: string;
};

export type ProvenHistoryEntry = {
  readonly seq: number;
  readonly position: string;
  readonly at: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly schema_version: number;
  readonly stream: string;
  readonly revision: number;
  readonly actor: ProvenHistoryActor;
  readonly resource: HistoryResource;
  readonly project_id: string | null;
  readonly organization_id: string | null;
  readonly request_id: string | null;
  readonly correlation_id: string | null;
  readonly causation_id: string | null;
  readonly erased: boolean;

  /** SHA-256 in lower-case hex. */
  readonly data_digest: string;

  /** SHA-256 in lower-case hex. */
  readonly prev_hash: string;

  /** SHA-256 in lower-case hex. */
  readonly hash: string;
};

export type SealingKey = {
  readonly kid: string;
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
  readonly y?: string;
  readonly use: 'sig';
  readonly alg: 'ES256' | 'EdDSA';

  /** The same as C2SP signed-note writes keys. */
  readonly vkey: string;
};

export type SealingKeySet = { readonly keys: readonly SealingKey[] };

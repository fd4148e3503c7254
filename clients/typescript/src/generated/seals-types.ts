// Written by npm run generate from the contract: change that.
import type { HistoryResource } from './history-types.js';

export type HistoryConsistency = {
  /** Number of entries of the earlier tree. */
  readonly from: number;
  /** Number of entries of the later tree. */
  readonly to: number;
  /** SHA-256 in base64, as checkpoints have it. */
  readonly from_root: string;
  /** SHA-256 in base64, as checkpoints have it. */
  readonly to_root: string;
  /** Hashes of the proof (RFC 9162, 2.1.4), in base64. */
  readonly hashes: readonly string[];
};

export type HistoryProof = {
  /** Entry that is proven, without its content. */
  readonly entry: ProvenHistoryEntry;
  /** In hex; null too for events without one. */
  readonly salt: string | null;
  /** The text as stored; null when erased or secret. */
  readonly data: string | null;
  /** Proof of inclusion, a C2SP tlog-proof. */
  readonly proof: string;
};

export type HistorySeal = {
  /** `seq` of the last entry that it covers. */
  readonly size: number;
  /** SHA-256 in base64, as checkpoints have it. */
  readonly root: string;
  /** SHA-256 in lower-case hex. */
  readonly head_hash: string;
  /** Position in the log of the last entry that it covers. */
  readonly position: string;
  /** Time of the seal, in UTC to the microsecond. */
  readonly at: string;
  /** The checkpoint, with the cosignatures of witnesses. */
  readonly note: string;
  /** Names of the witnesses that cosigned it. */
  readonly witnesses: readonly string[];
};

export type HistorySealPage = {
  /** Seals on this page, newest first. */
  readonly seals: readonly HistorySeal[];
  /** `cursor` of the next page; null at the end. */
  readonly next_cursor: string | null;
};

export type ProvenHistoryActor = {
  /** Kind of the actor. */
  readonly type: 'user' | 'api_key' | 'system';
  /** Id of the user or key. */
  readonly id: string;
  /** Role that the actor used. */
  readonly role: string;
};

export type ProvenHistoryEntry = {
  /** Number of the entry in the history of its organisation, from 1. */
  readonly seq: number;
  /** Position in the log, an opaque text that sorts by time. */
  readonly position: string;
  /** Time of the event, in UTC to the microsecond. */
  readonly at: string;
  /** Id of the event. */
  readonly event_id: string;
  /** Type of the event, for example `RatingGiven`. */
  readonly event_type: string;
  /** Version of the schema of the event data. */
  readonly schema_version: number;
  /** Stream of the event in the log. */
  readonly stream: string;
  /** Place of the event in its stream, from 0. */
  readonly revision: number;
  /** User, key or service that acted. */
  readonly actor: ProvenHistoryActor;
  /** Object that the event is about. */
  readonly resource: HistoryResource;
  /** Project of the object; null: it is in none. */
  readonly project_id: string | null;
  /** Organisation of the entry; null: none. */
  readonly organization_id: string | null;
  /** Id of the request behind the event; null: none. */
  readonly request_id: string | null;
  /** Id that requests of one cause share; null: none. */
  readonly correlation_id: string | null;
  /** Id of the event that caused this one; null: none. */
  readonly causation_id: string | null;
  /** True when the content was erased; `before` and `after` are null then. */
  readonly erased: boolean;
  /** SHA-256 in lower-case hex. */
  readonly data_digest: string;
  /** SHA-256 in lower-case hex. */
  readonly prev_hash: string;
  /** SHA-256 in lower-case hex. */
  readonly hash: string;
};

export type SealingKey = {
  /** Id of the key. */
  readonly kid: string;
  /** Type of the key: `EC` or `OKP`. */
  readonly kty: string;
  /** Curve of the key: `P-256` or `Ed25519`. */
  readonly crv: string;
  /** X coordinate, or the public key of `OKP`, in base64url. */
  readonly x: string;
  /** Y coordinate in base64url; absent for `OKP`. */
  readonly y?: string;
  /** Use of the key: signatures. */
  readonly use: 'sig';
  /** Algorithm of the signatures. */
  readonly alg: 'ES256' | 'EdDSA';
  /** The same as C2SP signed-note writes keys. */
  readonly vkey: string;
};

export type SealingKeySet = {
  /** Keys that seals were ever signed with. */
  readonly keys: readonly SealingKey[];
};

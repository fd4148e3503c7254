import type { QueryContext, Position } from '../kernel/ports.js';
import type { ApiKeyId, Instant, ProjectId, UserId } from '../kernel/schema-types.js';
import type { Cause } from './operation.js';
import type {
  ObjectRequirement,
  OrganizationRole,
  Principal,
  VisibleProject,
  Visibility,
} from './roles.js';
import type { AnswerSubject } from './answer-subject.js';

/** Credential of a request (contract 2.1). */
export type Credential =
  | { readonly scheme: 'K'; readonly key: string }
  | { readonly scheme: 'B'; readonly token: string }
  | { readonly scheme: 'P'; readonly email: string; readonly password: string };

/**
 * Authorisation port that the HTTP engine calls before a handler. main.ts provides it, backed by
 * the log.
 */
export interface RequestAuthorizer {
  /**
   * Throws Fault `invalid-credentials`, `token-expired` or `too-many`. Rights are never older than
   * one second. `address` is the caller's, for counting failures.
   */
  authenticate(credential: Credential, address: string): Promise<Principal>;
  /**
   * Last use of the key, to the minute; null = none since this process started. Not an event: lost
   * at a restart.
   */
  lastUsed(key: ApiKeyId): Instant | null;
  /**
   * Null when the project is unknown, deleted or of another organisation, or the caller has no role
   * in it: all are the same 404.
   */
  visibleProject(principal: Principal, project: ProjectId): Promise<VisibleProject | null>;
  /** User of the caller's own organisation, else null. */
  visibleUser(
    principal: Principal,
    user: UserId,
  ): Promise<{ readonly id: UserId; readonly role: OrganizationRole } | null>;
  /** Visibility of this object under the requirement (contract 2.6), from the log. */
  visibility(
    requirement: ObjectRequirement,
    principal: Principal,
    object: string,
  ): Promise<Visibility>;
}

/** Visibility rules of a noun's objects; a requirement without a rule admits no caller. */
export type VisibilityRules = Partial<
  Record<ObjectRequirement, (principal: Principal, object: string) => Promise<Visibility>>
>;

/** Response as stored for an idempotency key (contract 1.8): never with a secret in it. */
export type StoredResponse = {
  readonly status: number;
  readonly body: unknown;
  readonly position: Position | null;
  readonly etag?: string;
};

/** Idempotent request: two requests are the same when both members are equal. */
type IdempotencyRequest = { readonly scope: string; readonly fingerprint: string };

/** Response, the part that may be stored, and its subject. */
export type IdempotentResult = AnswerSubject & {
  readonly answer: StoredResponse;
  readonly stored: StoredResponse;
};

export interface Idempotency {
  /**
   * Idempotency: runs `work` once per scope within 24 h and replays its response. Throws Fault
   * `invalid` when the scope was used with another fingerprint, `idempotency-in-progress` while the
   * first is running, `not-found` when the response was erased with the project or run that it was
   * about. `work` returns what may be stored; when it throws, nothing is (contract 1.8, rule 4), so
   * a repeat runs again with the same `seed`: ids made from it give the repeat the same effect.
   */
  runOnce(
    keyed: IdempotencyRequest,
    cause: Omit<Cause, 'eventId'>,
    work: (seed: string) => Promise<IdempotentResult>,
  ): Promise<{ readonly answer: StoredResponse; readonly replayed: boolean }>;
}

/** Wait options; a caller that cannot use an older state may wait longer than a read does. */
export type FreshnessWait = QueryContext & {
  readonly atMostMs?: number;
  /**
   * Project of the query; null when no records are read. Events of other projects are not waited
   * for. Absent: waits for all events.
   */
  readonly project?: string | null;
  /** Log head from an earlier `head` call (prefetch); absent: it is read now. */
  readonly head?: Promise<Position>;
  /**
   * Called when the wait ended before the read models were reached, with their lag: the seconds
   * (rounded) for which the log has been beyond the position they are at.
   */
  readonly onBehind?: (seconds: number) => void;
};

export interface Freshness {
  /**
   * Reads the log's head in advance, for callers of `waitUntilApplied` that do other reads first.
   */
  head(): Promise<Position>;
  /**
   * Read-your-writes: waits, at most 2 s or `atMostMs`, until the named read models have passed the
   * log's head, and `min` if set. Returns the position that all of them have reached. Throws Fault
   * `read-model-behind` when `min` was not reached (contract 1.7).
   */
  waitUntilApplied(
    reads: readonly string[],
    min: Position | null,
    waiting?: FreshnessWait,
  ): Promise<Position>;
}

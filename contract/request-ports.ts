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

/** What a request came with (contract 2.1). */
export type Credential =
  | { readonly scheme: 'K'; readonly key: string }
  | { readonly scheme: 'B'; readonly token: string }
  | { readonly scheme: 'P'; readonly email: string; readonly password: string };

/**
 * What the HTTP engine asks of the service before a handler runs. main.ts supplies it, answered
 * from the log.
 */
export interface RequestAuthorizer {
  /**
   * Throws Fault `invalid-credentials`, `token-expired` or `too-many`. Never older than one second.
   * `address` is the caller's, for counting failures.
   */
  authenticate(credential: Credential, address: string): Promise<Principal>;
  /**
   * When the key was last used, to the minute; null = not since this process started. This is not
   * an event: a restart forgets it.
   */
  lastUsed(key: ApiKeyId): Instant | null;
  /**
   * Null when the project is unknown, deleted or of another organisation, or the caller has no role
   * in it: all answer the same 404.
   */
  visibleProject(principal: Principal, project: ProjectId): Promise<VisibleProject | null>;
  /** A user of the caller's own organisation, else null. */
  visibleUser(
    principal: Principal,
    user: UserId,
  ): Promise<{ readonly id: UserId; readonly role: OrganizationRole } | null>;
  /** Whether the caller meets the requirement about this object (contract 2.6), from the log. */
  visibility(
    requirement: ObjectRequirement,
    principal: Principal,
    object: string,
  ): Promise<Visibility>;
}

/** What a noun says about its own objects; a requirement without an answer admits nobody. */
export type VisibilityRules = Partial<
  Record<ObjectRequirement, (principal: Principal, object: string) => Promise<Visibility>>
>;

/** An answer as Idempotency-Key keeps it (contract 1.8): never with a secret in it. */
export type StoredResponse = {
  readonly status: number;
  readonly body: unknown;
  readonly position: Position | null;
  readonly etag?: string;
};

/**
 * Whose key it is and what it was sent with: two requests are the same when both members are equal.
 */
type IdempotencyRequest = { readonly scope: string; readonly fingerprint: string };

/** An answer, what may be stored of it, and what it is about. */
export type IdempotentResult = AnswerSubject & {
  readonly answer: StoredResponse;
  readonly stored: StoredResponse;
};

export interface Idempotency {
  /**
   * Runs `work` once per scope within 24 h and returns what it returned. Throws Fault `invalid`
   * when the scope was used with another fingerprint, `idempotency-in-progress` while the first is
   * running, `not-found` when the answer was erased with the project or run that it was about.
   * `work` says what may be stored; when it throws, nothing is (contract 1.8, rule 4), so a repeat
   * runs again with the same `seed`: ids made from it give the repeat the same effect.
   */
  runOnce(
    keyed: IdempotencyRequest,
    cause: Omit<Cause, 'eventId'>,
    work: (seed: string) => Promise<IdempotentResult>,
  ): Promise<{ readonly answer: StoredResponse; readonly replayed: boolean }>;
}

/** A caller that cannot use an older state may wait longer than a read does. */
export type FreshnessWait = QueryContext & {
  readonly atMostMs?: number;
  /**
   * The project that is asked about; null when no records are asked for. Events that do not concern
   * it are not waited for. Absent: all events are waited for.
   */
  readonly project?: string | null;
  /** Where the log's head was when it was asked for ahead; absent: it is asked for now. */
  readonly head?: Promise<Position>;
};

export interface Freshness {
  /**
   * The log's head as of the call, to be handed to `waitUntilApplied` by who has to ask more before
   * it.
   */
  head(): Promise<Position>;
  /**
   * Waits, at most 2 s or as long as asked, until the named read models have passed the log's head,
   * and `min` when given. Returns the position that all of them have reached.
   * Throws Fault `read-model-behind` when `min` was not reached (contract 1.7).
   */
  waitUntilApplied(
    reads: readonly string[],
    min: Position | null,
    waiting?: FreshnessWait,
  ): Promise<Position>;
}

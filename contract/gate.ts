import type { Position } from '../kernel/ports.js';
import type { ProjectId, UserId } from '../kernel/shapes.js';
import type { OrganizationRole, Principal, ProjectInSight } from './roles.js';

/** What the HTTP engine asks of the service before a handler runs. main.ts supplies it, answered from the log. */
export type Credential =
  | { readonly scheme: 'K'; readonly key: string }
  | { readonly scheme: 'B'; readonly token: string }
  | { readonly scheme: 'P'; readonly email: string; readonly password: string };

export interface Gate {
  /** Throws Fault `invalid-credentials`, `token-expired` or `too-many`. Never older than one second. */
  authenticate(credential: Credential): Promise<Principal>;
  /** Null: unknown, deleted, of another organisation, or the caller has no role there: all answer the same 404. */
  projectInSight(principal: Principal, project: ProjectId): Promise<ProjectInSight | null>;
  /** A user of the caller's own organisation, else null. */
  userInSight(
    principal: Principal,
    user: UserId,
  ): Promise<{ readonly id: UserId; readonly role: OrganizationRole } | null>;
}

/** An answer as Idempotency-Key keeps it (contract 1.8): never with a secret in it. */
export type StoredAnswer = {
  readonly status: number;
  readonly body: unknown;
  readonly position: Position | null;
};

export interface Idempotency {
  /**
   * Runs `work` once per scope within 24 h and answers what it answered. Throws Fault `invalid` when the scope was used
   * with another fingerprint, `idempotency-in-progress` while the first is running. `work` says what may be stored:
   * null = nothing (contract 1.8, rule 4), so that a repeat runs again.
   */
  once(
    scope: string,
    fingerprint: string,
    work: () => Promise<{ readonly answer: StoredAnswer; readonly stored: StoredAnswer | null }>,
  ): Promise<{ readonly answer: StoredAnswer; readonly replayed: boolean }>;
}

export interface Freshness {
  /**
   * Waits, at most 2 s, until the named read models have passed the log's head as of the call, and `min` when given.
   * Answers the position all of them have reached. Throws Fault `read-model-behind` when `min` was not reached
   * (contract 1.7).
   */
  reached(reads: readonly string[], min: Position | null): Promise<Position>;
}

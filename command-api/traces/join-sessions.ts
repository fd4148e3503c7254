import type { Position } from '../../kernel/ports.js';
import type { Brand, Instant, ProjectId, RunId, SessionId } from '../../kernel/schema-types.js';
import type { Authorship } from '../../kernel/transact.js';

/** A session by its external id. */
export type NamedSession = {
  readonly id: string;
  /** When the session begins if it has to be made. */
  readonly createdAt: Instant;
  /** The id of a session of the run names that session. */
  readonly orId?: true;
};

/** Makes the sessions that traces name where they are missing; command-api/sessions answers it. */
export type JoinSessions = (
  asked: {
    readonly projectId: ProjectId;
    readonly run: {
      readonly id: RunId;
      readonly kind: 'log_stream' | 'experiment' | 'metrics_testing';
    };
    readonly ids: ReadonlyMap<SessionId, Instant>;
    readonly external: NamedSession | null;
  },
  asker: {
    readonly cause: Authorship;
    readonly mint: <Name extends string>(name: Name) => Brand<string, Name>;
  },
) => Promise<{ readonly external: SessionId | null; readonly position: Position }>;

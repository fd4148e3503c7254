import type { Position } from '../../kernel/ports.js';
import type { Brand, Instant, ProjectId, RunId, SessionId } from '../../kernel/schema-types.js';
import type { Authorship } from '../../kernel/transact.js';

/** A session by its external id. */
export type NamedSession = {
  readonly id: string;
  /** Start time for a session to create. */
  readonly createdAt: Instant;
  /** True if the text may be the id of a session of the run, too. */
  readonly orId?: true;
};

/** Creates missing sessions named by traces; implemented by command-api/sessions. */
export type JoinSessions = (
  requested: {
    readonly projectId: ProjectId;
    readonly run: {
      readonly id: RunId;
      readonly kind: 'log_stream' | 'experiment' | 'metrics_testing';
    };
    readonly ids: ReadonlyMap<SessionId, Instant>;
    readonly external: NamedSession | null;
  },
  requester: {
    readonly cause: Authorship;
    readonly mint: <Name extends string>(name: Name) => Brand<string, Name>;
  },
) => Promise<{ readonly external: SessionId | null; readonly position: Position }>;

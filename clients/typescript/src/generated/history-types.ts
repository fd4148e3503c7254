// Written by npm run client:typescript from the contract: change that.

export type HistoryActor = {
  readonly type: 'user' | 'api_key' | 'system';
  readonly id: string;
  readonly email: string | null;
  readonly role: string;
};

export type HistoryBreak = {
  readonly seq: number;
  readonly reason: 'data' | 'entry' | 'missing' | 'extra' | 'order' | 'moved' | 'erased' | 'seal';
  readonly expected: string | number | null;
  readonly found: string | number | null;
};

export type HistoryEntry = {
  /** In the history of its organisation, from 1 without gaps. */
  readonly seq: number;

  /** In the log. */
  readonly position: string;
  readonly at: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly schema_version: number;
  readonly stream: string;
  readonly revision: number;
  readonly actor: HistoryActor;
  readonly resource: HistoryResource;
  readonly project_id: string | null;
  readonly request_id: string | null;
  readonly correlation_id: string | null;
  readonly causation_id: string | null;

  /** A JSON merge patch (RFC 7396). */
  readonly before: Readonly<Record<string, unknown>> | null;

  /** A JSON merge patch (RFC 7396). */
  readonly after: Readonly<Record<string, unknown>> | null;
  readonly erased: boolean;

  /** SHA-256 of the salt and the data as stored. */
  readonly data_digest: string;

  /** `hash` of the entry before; 64 zeros for the first. */
  readonly prev_hash: string;

  /** Over all of the entry but `position`, `email`, `before` and `after`. */
  readonly hash: string;
};

export type HistoryHead = {
  readonly seq: number;
  readonly position: string;
  readonly hash: string;
};

export type HistoryPage = {
  readonly entries: readonly HistoryEntry[];
  readonly next_cursor: string | null;
  readonly limit: number;
  readonly head: HistoryHead;
};

export type HistoryResource = {
  readonly type:
    | 'organization'
    | 'user'
    | 'api_key'
    | 'group'
    | 'project'
    | 'log_stream'
    | 'experiment'
    | 'session'
    | 'trace'
    | 'dataset'
    | 'annotation_template'
    | 'scorer'
    | 'scorer_task'
    | 'integration'
    | 'org_job';
  readonly id: string;
};

export type HistorySealed = { readonly seq: number; readonly root: string; readonly at: string };

export type HistoryVerdict = {
  readonly status: 'intact' | 'broken';
  readonly checked: number;
  readonly erased: number;
  readonly from_seq: number;
  readonly to_seq: number;
  readonly head_hash: string;
  readonly next_seq: number | null;
  readonly sealed: HistorySealed | null;
  readonly broken_at: HistoryBreak | null;
};

export type ResourceHistoryPage = {
  readonly entries: readonly HistoryEntry[];
  readonly next_cursor: string | null;
  readonly limit: number;
  readonly head: HistoryHead;
  readonly state?: Readonly<Record<string, unknown>> | null;
};

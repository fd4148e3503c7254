// Written by npm run generate from the contract: change that.

export type HistoryActor = {
  /** Kind of the actor. */
  readonly type: 'user' | 'api_key' | 'system';
  /** Id of the user or key. */
  readonly id: string;
  /** E-mail address of the actor; null for the service itself. */
  readonly email: string | null;
  /** Role that the actor used. */
  readonly role: string;
};

export type HistoryBreak = {
  /** Number of the entry in the history of its organisation, from 1. */
  readonly seq: number;
  /** Kind of the break: which rule of the chain does not hold. */
  readonly reason: 'data' | 'entry' | 'missing' | 'extra' | 'order' | 'moved' | 'erased' | 'seal';
  /** Value that the chain demands; null: none. */
  readonly expected: string | number | null;
  /** Value that was found; null: none. */
  readonly found: string | number | null;
};

export type HistoryEntry = {
  /** In the history of its organisation, from 1 without gaps. */
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
  readonly actor: HistoryActor;
  /** Object that the event is about. */
  readonly resource: HistoryResource;
  /** Project of the object; null: it is in none. */
  readonly project_id: string | null;
  /** Id of the request behind the event; null: none. */
  readonly request_id: string | null;
  /** Id that requests of one cause share; null: none. */
  readonly correlation_id: string | null;
  /** Id of the event that caused this one; null: none. */
  readonly causation_id: string | null;
  /** A JSON merge patch (RFC 7396). */
  readonly before: Readonly<Record<string, unknown>> | null;
  /** A JSON merge patch (RFC 7396). */
  readonly after: Readonly<Record<string, unknown>> | null;
  /** True when the content was erased; `before` and `after` are null then. */
  readonly erased: boolean;
  /** SHA-256 of the salt and the data as stored. */
  readonly data_digest: string;
  /** `hash` of the entry before; 64 zeros for the first. */
  readonly prev_hash: string;
  /** Over all of the entry but `position`, `email`, `before` and `after`. */
  readonly hash: string;
};

export type HistoryHead = {
  /** Number of the entry in the history of its organisation, from 1. */
  readonly seq: number;
  /** Position in the log, an opaque text that sorts by time. */
  readonly position: string;
  /** Hash of the newest entry, in lower-case hex. */
  readonly hash: string;
};

export type HistoryPage = {
  /** Entries of the page; it may have fewer than `limit`. */
  readonly entries: readonly HistoryEntry[];
  /** `cursor` of the next page; null at the end. */
  readonly next_cursor: string | null;
  /** Rows that this page may have, as requested. */
  readonly limit: number;
  /** Newest entry of the history at the time of reading. */
  readonly head: HistoryHead;
};

export type HistoryResource = {
  /** Kind of the object. */
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
    | 'prompt_template'
    | 'scorer'
    | 'scorer_task'
    | 'integration'
    | 'org_job';
  /** Id of the object. */
  readonly id: string;
};

export type HistorySealed = {
  /** Number of the last entry that the seal covers. */
  readonly seq: number;
  /** Root of the Merkle tree, SHA-256 in base64. */
  readonly root: string;
  /** Time of the seal, in UTC to the microsecond. */
  readonly at: string;
};

export type HistoryVerdict = {
  /** Whether the chain holds. */
  readonly status: 'intact' | 'broken';
  /** Number of entries that were checked. */
  readonly checked: number;
  /** Number of checked entries whose content was erased. */
  readonly erased: number;
  /** First entry that was checked. */
  readonly from_seq: number;
  /** Last entry that was checked. */
  readonly to_seq: number;
  /** Hash of the last entry that was checked. */
  readonly head_hash: string;
  /** Entry to go on with; null: all were checked. */
  readonly next_seq: number | null;
  /** Newest seal that was checked; null: none. */
  readonly sealed: HistorySealed | null;
  /** First break of the chain; null: intact. */
  readonly broken_at: HistoryBreak | null;
};

export type ResourceHistoryPage = {
  /** Entries of the page; it may have fewer than `limit`. */
  readonly entries: readonly HistoryEntry[];
  /** `cursor` of the next page; null at the end. */
  readonly next_cursor: string | null;
  /** Rows that this page may have, as requested. */
  readonly limit: number;
  /** Newest entry of the history at the time of reading. */
  readonly head: HistoryHead;
  /** The object as it was at `at`; null: it did not exist. */
  readonly state?: Readonly<Record<string, unknown>> | null;
};

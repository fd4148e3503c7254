// Written by npm run generate from the contract: change that.

export type ApiKey = {
  /** Id of the key. */
  readonly id: string;
  /** Purpose of the key, as its creator wrote it. */
  readonly description: string;
  /** Time of creation, in UTC to the microsecond. */
  readonly created_at: string;
  /** Time of the last change, in UTC to the microsecond. */
  readonly updated_at: string;
  /** Id of the user on whose behalf the key acts. */
  readonly created_by: string;
  /** First 8 and last 4 characters of the key: `asy_003a...sngO`. */
  readonly truncated: string;
  /** Time at which the key stops working; null: never. */
  readonly expires_at: string | null;
  /** Time of the last use, to the minute; null: never used. */
  readonly last_used: string | null;
  /** Project that the key is bound to; null: not bound. */
  readonly project_id: string | null;
  /** Highest project role that the key acts with; null: the role of its creator. */
  readonly project_role: 'viewer' | 'annotator' | 'editor' | 'owner' | null;
};

export type ApiKeyPage = {
  /** Offset of the first row of the page, from 0. */
  readonly starting_token: number;
  /** Rows that this page may have, as requested. */
  readonly limit: number;
  /** True when this page is not the whole result. */
  readonly paginated: boolean;
  /** `starting_token` of the next page; null on the last page. */
  readonly next_starting_token: number | null;
  /** Keys on this page, without their secret values. */
  readonly api_keys: readonly ApiKey[];
};

export type CreateApiKey = {
  /** Purpose of the key, at most 1,000 characters. */
  readonly description: string;
  /** Time in the future at which the key stops working; null: never. */
  readonly expires_at?: string | null;
  /** Highest project role that the key acts with; null: the role of its creator. */
  readonly project_role?: 'viewer' | 'annotator' | 'editor' | 'owner' | null;
  /** Project that the key is bound to; null: not bound. */
  readonly project_id?: string | null;
  /** Pre-generated value, 32 to 255 characters; null: the service makes one. */
  readonly api_key?: string | null;
};

export type NewApiKey = {
  /** Id of the key. */
  readonly id: string;
  /** Purpose of the key, as its creator wrote it. */
  readonly description: string;
  /** Time of creation, in UTC to the microsecond. */
  readonly created_at: string;
  /** Time of the last change, in UTC to the microsecond. */
  readonly updated_at: string;
  /** Id of the user on whose behalf the key acts. */
  readonly created_by: string;
  /** First 8 and last 4 characters of the key: `asy_003a...sngO`. */
  readonly truncated: string;
  /** Time at which the key stops working; null: never. */
  readonly expires_at: string | null;
  /** Time of the last use, to the minute; null: never used. */
  readonly last_used: string | null;
  /** Project that the key is bound to; null: not bound. */
  readonly project_id: string | null;
  /** Highest project role that the key acts with; null: the role of its creator. */
  readonly project_role: 'viewer' | 'annotator' | 'editor' | 'owner' | null;
  /** Value of the key, in this answer only; empty on a replay. */
  readonly api_key: string;
};

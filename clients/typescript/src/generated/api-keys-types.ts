// Written by npm run client:typescript from the contract: change that.

export type ApiKey = {
  readonly id: string;
  readonly description: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly created_by: string;
  readonly truncated: string;
  readonly expires_at: string | null;
  readonly last_used: string | null;
  readonly project_id: string | null;
  readonly project_role: 'viewer' | 'annotator' | 'editor' | 'owner' | null;
};

export type ApiKeyPage = {
  readonly starting_token: number;
  readonly limit: number;
  readonly paginated: boolean;
  readonly next_starting_token: number | null;
  readonly api_keys: readonly ApiKey[];
};

export type CreateApiKey = {
  readonly description: string;
  readonly expires_at?: string | null;
  readonly project_role?: 'viewer' | 'annotator' | 'editor' | 'owner' | null;
  readonly project_id?: string | null;
  readonly api_key?: string | null;
};

export type NewApiKey = {
  readonly id: string;
  readonly description: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly created_by: string;
  readonly truncated: string;
  readonly expires_at: string | null;
  readonly last_used: string | null;
  readonly project_id: string | null;
  readonly project_role: 'viewer' | 'annotator' | 'editor' | 'owner' | null;
  readonly api_key: string;
};

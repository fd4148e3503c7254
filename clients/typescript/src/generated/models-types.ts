// Written by npm run generate from the contract: change that.

export type LendIntegration = {
  /**
   * Dollars a day (UTC) with this integration, from 0 to 1,000,000; null: none of its own.
   */
  readonly daily_budget?: number | null;
  /** Calls a minute with this integration, from 1 to 100,000. Default: 60. */
  readonly calls_per_minute?: number | null;
};

export type LentIntegration = {
  /** Id of the integration. */
  readonly integration_id: string;
  /** Provider of the integration. */
  readonly provider:
    | 'anthropic'
    | 'aws_bedrock'
    | 'aws_sagemaker'
    | 'azure'
    | 'custom'
    | 'databricks'
    | 'mistral'
    | 'nvidia'
    | 'openai'
    | 'vegas_gateway'
    | 'vertex_ai'
    | 'writer';
  /** User who lent the integration, and whose it is. */
  readonly lent_by: string;
  /**
   * Dollars a day (UTC) with this integration, from 0 to 1,000,000; null: none of its own.
   */
  readonly daily_budget: number | null;
  /** Calls a minute with this integration, from 1 to 100,000. */
  readonly calls_per_minute: number;
  /** Whether it can be called: only a usable one is. */
  readonly state: 'usable' | 'disabled' | 'deleted' | 'not_editor';
  /** Models that its configuration names; empty where it names none. */
  readonly models: readonly string[];
};

export type ModelAccess = {
  /** Integrations that are lent to the project, in that order. */
  readonly integrations: readonly LentIntegration[];
  /** Model of calls that name none, as `provider/model` or alone; null: none. */
  readonly default_model: string | null;
  /**
   * Model of judges that name none, as `provider/model` or alone; null: none is set.
   */
  readonly judge_model: string | null;
  /** Dollars that the project may spend a day (UTC), from 0 to 1,000,000. */
  readonly daily_budget: number;
  /** Calls a day (UTC), from 0 to 10,000,000. */
  readonly daily_calls: number;
  /** True when models without a price may be called, which no budget limits. */
  readonly allow_unpriced: boolean;
  /** True when clusters of failures are named, one call each. */
  readonly name_clusters: boolean;
};

export type SetModelAccess = {
  /** Model of calls that name none, as `provider/model` or alone; null: none. */
  readonly default_model?: string | null;
  /**
   * Model of judges that name none, as `provider/model` or alone; null: none is set.
   */
  readonly judge_model?: string | null;
  /**
   * Dollars that the project may spend a day (UTC), from 0 to 1,000,000. Default: 5.
   */
  readonly daily_budget?: number | null;
  /** Calls a day (UTC), from 0 to 10,000,000. Default: 5000. */
  readonly daily_calls?: number | null;
  /**
   * True when models without a price may be called, which no budget limits. Default: false.
   */
  readonly allow_unpriced?: boolean | null;
  /** True when clusters of failures are named, one call each. Default: false. */
  readonly name_clusters?: boolean | null;
};

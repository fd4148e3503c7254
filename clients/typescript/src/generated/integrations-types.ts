// Written by npm run generate from the contract: change that.
import type { Permission } from './projects-types.js';

export type AnthropicConfiguration = {
  /** Secret that the provider issued; write-only. */
  readonly token: string;
  /** Kind of authentication that the provider expects. */
  readonly authentication_type?: string;
  /**
   * Address of the API, an absolute URI without user info: `https`, or `http` to a listed
   * host.
   */
  readonly endpoint?: string;
  /** Scope that tokens are requested for. */
  readonly authentication_scope?: string;
  /** Address that issues tokens, an absolute URI, as `endpoint`. */
  readonly oauth2_token_url?: string;
  /** Headers by name that are sent with requests. */
  readonly custom_header_mapping?: Readonly<Record<string, string>>;
  /** Settings for images, audio and files, as a JSON object. */
  readonly multi_modal_config?: Readonly<Record<string, unknown>>;
};

export type AwsToken = {
  /** Id of the AWS access key; write-only. */
  readonly aws_access_key_id?: string;
  /** Secret of the AWS access key; write-only. */
  readonly aws_secret_access_key?: string;
  /** ARN of the AWS role that is assumed; write-only. */
  readonly aws_role_arn?: string;
};

export type AzureConfiguration = {
  /** Secret that the provider issued; write-only. */
  readonly token: string;
  /**
   * Address of the API, an absolute URI without user info: `https`, or `http` to a listed
   * host.
   */
  readonly endpoint: string;
  /** True when requests go through a proxy. */
  readonly proxy?: boolean;
  /** Version of the API of the provider. */
  readonly api_version?: string;
  /** Name of the deployment. */
  readonly azure_deployment?: string;
  /** Kind of authentication that the provider expects. */
  readonly authentication_type?: string;
  /** Scope that tokens are requested for. */
  readonly authentication_scope?: string;
  /** Headers by name that are sent with every request; write-only. */
  readonly default_headers?: Readonly<Record<string, string>>;
  /** Deployment by model. */
  readonly deployments?: Readonly<Record<string, string>>;
  /** Address that issues tokens, an absolute URI, as `endpoint`. */
  readonly oauth2_token_url?: string;
  /** Headers by name that are sent with requests. */
  readonly custom_header_mapping?: Readonly<Record<string, string>>;
  /** Deployments that can be used, 200 at most. */
  readonly available_deployments?: readonly AzureDeployment[];
  /** Settings for images, audio and files, as a JSON object. */
  readonly multi_modal_config?: Readonly<Record<string, unknown>>;
};

export type AzureDeployment = {
  /** Name of the model. */
  readonly model: string;
  /** Id of the deployment. */
  readonly id: string;
};

export type BedrockConfiguration = {
  /** AWS access key, or the role that is assumed; write-only. */
  readonly token: AwsToken;
  /** Kind of the AWS credential in `token`. */
  readonly credential_type?: 'key_secret' | 'assumed_role';
  /** AWS region. */
  readonly region?: string;
  /** Inference profile by model. */
  readonly inference_profiles?: Readonly<Record<string, string>>;
  /** Settings for images, audio and files, as a JSON object. */
  readonly multi_modal_config?: Readonly<Record<string, unknown>>;
};

export type ConfigureIntegration =
  | OpenAiConfiguration
  | WriterConfiguration
  | MistralConfiguration
  | NvidiaConfiguration
  | AnthropicConfiguration
  | AzureConfiguration
  | BedrockConfiguration
  | SageMakerConfiguration
  | VertexConfiguration
  | VegasGatewayConfiguration
  | DatabricksConfiguration
  | CustomConfiguration;

export type CustomConfiguration = {
  /**
   * Address of the API, an absolute URI without user info: `https`, or `http` to a listed
   * host.
   */
  readonly endpoint: string;
  /** Kind of authentication that the provider expects. */
  readonly authentication_type?: 'oauth2' | 'api_key' | 'none';
  /** Secret that the provider issued; write-only. */
  readonly token?: string;
  /** Name of the header that carries the key. */
  readonly api_key_header?: string;
  /** Value of the key; write-only. */
  readonly api_key_value?: string;
  /** Scope that tokens are requested for. */
  readonly authentication_scope?: string;
  /** Address that issues tokens, an absolute URI, as `endpoint`. */
  readonly oauth2_token_url?: string;
  /** Headers by name that are sent with every request; write-only. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers by name that are sent with requests. */
  readonly custom_header_mapping?: Readonly<Record<string, string>>;
  /** Models that can be used, 200 at most. */
  readonly models?: readonly unknown[];
  /** Properties of the models, 200 at most. */
  readonly model_properties?: readonly unknown[];
  /** Model that is used when none is named. */
  readonly default_model?: string;
  /** Further settings, as a JSON object. */
  readonly custom_llm_config?: Readonly<Record<string, unknown>>;
};

export type DatabricksConfiguration = {
  /** Secret that the provider issued; write-only. */
  readonly token: string;
  /**
   * Address of the provider, an absolute URI without user info: `https`, or `http` to a
   * listed host.
   */
  readonly hostname: string;
  /** Name of the default catalog. */
  readonly default_catalog_name?: string;
  /** Path at the provider, kept as given. */
  readonly path?: string;
  /** True when the integration is meant for models. */
  readonly llm?: boolean;
  /** True when the integration is meant for storage. */
  readonly storage?: boolean;
};

export type DisableIntegration = {
  /** Name of the integration: that of its provider. */
  readonly integration_name: string;
  /** True switches the integration off, false on. Default: true. */
  readonly disabled?: boolean | null;
};

export type Integration = {
  /** Id of the integration. */
  readonly id: string;
  /** Name of the integration: its provider. */
  readonly name: string;
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
  /** Time of creation, in UTC to the microsecond. */
  readonly created_at: string;
  /** Time of the last change, in UTC to the microsecond. */
  readonly updated_at: string;
  /** Id of the user who created it. */
  readonly created_by: string;
  /** Actions that the caller may and may not do with the object, in fixed order. */
  readonly permissions: readonly Permission[];
  /** True for the selected integration of its provider and user. */
  readonly is_selected: boolean;
  /** True when the integration is switched off. */
  readonly is_disabled: boolean;
};

export type IntegrationTest = {
  /** True when the model answered. */
  readonly ok: boolean;
  /** Code of the error (1101 to 1111); null when the model answered. */
  readonly error_code: number | null;
  /**
   * Reason of the failure, without anything of the credential; null when it answered.
   */
  readonly message: string | null;
  /** Duration of the call in milliseconds. */
  readonly latency_ms: number;
  /** Tokens that the provider counted; null when it counted none. */
  readonly tokens: ModelTokenCounts | null;
  /** Cost of the call in dollars; null when the model has no price. */
  readonly cost: number | null;
};

export type ListProvidersResponse = {
  /** Providers that can be configured. */
  readonly integrations: readonly (
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
    | 'writer'
  )[];
};

export type MistralConfiguration = {
  /** Secret that the provider issued; write-only. */
  readonly token: string;
};

export type ModelTokenCounts = {
  /** All tokens of the request. */
  readonly input: number;
  /** All tokens of the answer. */
  readonly output: number;
  /** Tokens of the request that were read from a cache. */
  readonly cache_read: number;
  /** Tokens of the request that were written to a cache. */
  readonly cache_write: number;
  /** Tokens of the answer that the model reasoned with. */
  readonly reasoning: number;
};

export type NvidiaConfiguration = {
  /** Secret that the provider issued; write-only. */
  readonly token: string;
  /**
   * Address of the provider, an absolute URI without user info: `https`, or `http` to a
   * listed host.
   */
  readonly hostname: string;
};

export type OpenAiConfiguration = {
  /** Secret that the provider issued; write-only. */
  readonly token: string;
  /** Account at the provider, not an organisation of Assay. */
  readonly organization_id?: string;
};

export type SageMakerConfiguration = {
  /** AWS access key, or the role that is assumed; write-only. */
  readonly token: AwsToken;
  /** Kind of the AWS credential in `token`. */
  readonly credential_type?: 'key_secret' | 'assumed_role';
  /** AWS region. */
  readonly region?: string;
  /** Inference profile by model. */
  readonly inference_profiles?: Readonly<Record<string, string>>;
  /** Settings for images, audio and files, as a JSON object. */
  readonly multi_modal_config?: Readonly<Record<string, unknown>>;
  /** Models that can be used, 200 at most. */
  readonly models?: readonly Readonly<Record<string, unknown>>[];
};

export type TestIntegration = {
  /** Model that is called, as the provider names it. */
  readonly model: string;
};

export type VegasGatewayConfiguration = {
  /** Secret that the provider issued; write-only. */
  readonly token: string;
  /**
   * Address of the API, an absolute URI without user info: `https`, or `http` to a listed
   * host.
   */
  readonly endpoint: string;
  /** Use case that is sent to the gateway. */
  readonly use_case: string;
};

export type VertexConfiguration = {
  /** Service account as JSON text; write-only. */
  readonly token: string;
  /** Location of the models; `global` by default. */
  readonly region?: string;
  /** Cloud storage for files. */
  readonly gcs_config?: VertexStorage;
  /** Settings for images, audio and files, as a JSON object. */
  readonly multi_modal_config?: Readonly<Record<string, unknown>>;
};

export type VertexStorage = {
  /** Service account as JSON text; write-only. */
  readonly service_account_credentials: string;
  /** Name of the bucket. */
  readonly bucket_name: string;
  /** Prefix of the paths in the bucket. */
  readonly object_path_prefix: string;
};

export type WriterConfiguration = {
  /** Account at the provider, not an organisation of Assay. */
  readonly organization_id: string;
  /** Secret that the provider issued; write-only. */
  readonly token: string;
};

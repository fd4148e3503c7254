// Written by npm run client:typescript from the contract: change that.
import type { Permission } from './projects-types.js';

export type AnthropicConfiguration = {
  readonly token: string;
  readonly authentication_type?: string;
  readonly endpoint?: string;
  readonly authentication_scope?: string;
  readonly oauth2_token_url?: string;
  readonly custom_header_mapping?: Readonly<Record<string, string>>;
  readonly multi_modal_config?: Readonly<Record<string, unknown>>;
};

export type AwsToken = {
  readonly aws_access_key_id?: string;
  readonly aws_secret_access_key?: string;
  readonly aws_role_arn?: string;
};

export type AzureConfiguration = {
  readonly token: string;
  readonly endpoint: string;
  readonly proxy?: boolean;
  readonly api_version?: string;
  readonly azure_deployment?: string;
  readonly authentication_type?: string;
  readonly authentication_scope?: string;
  readonly default_headers?: Readonly<Record<string, string>>;
  readonly deployments?: Readonly<Record<string, string>>;
  readonly oauth2_token_url?: string;
  readonly custom_header_mapping?: Readonly<Record<string, string>>;
  readonly available_deployments?: readonly AzureDeployment[];
  readonly multi_modal_config?: Readonly<Record<string, unknown>>;
};

export type AzureDeployment = { readonly model: string; readonly id: string };

export type BedrockConfiguration = {
  readonly token: AwsToken;
  readonly credential_type?: 'key_secret' | 'assumed_role';
  readonly region?: string;
  readonly inference_profiles?: Readonly<Record<string, string>>;
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
  readonly endpoint: string;
  readonly authentication_type?: 'oauth2' | 'api_key' | 'none';
  readonly token?: string;
  readonly api_key_header?: string;
  readonly api_key_value?: string;
  readonly authentication_scope?: string;
  readonly oauth2_token_url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly custom_header_mapping?: Readonly<Record<string, string>>;
  readonly models?: readonly unknown[];
  readonly model_properties?: readonly unknown[];
  readonly default_model?: string;
  readonly custom_llm_config?: Readonly<Record<string, unknown>>;
};

export type DatabricksConfiguration = {
  readonly token: string;
  readonly hostname: string;
  readonly default_catalog_name?: string;
  readonly path?: string;
  readonly llm?: boolean;
  readonly storage?: boolean;
};

export type DisableIntegration = {
  readonly integration_name: string;
  readonly disabled?: boolean | null;
};

export type Integration = {
  readonly id: string;
  readonly name: string;
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
  readonly created_at: string;
  readonly updated_at: string;
  readonly created_by: string;
  readonly permissions: readonly Permission[];
  readonly is_selected: boolean;
  readonly is_disabled: boolean;
};

export type ListProvidersResponse = {
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

export type MistralConfiguration = { readonly token: string };

export type NvidiaConfiguration = { readonly token: string; readonly hostname: string };

export type OpenAiConfiguration = { readonly token: string; readonly organization_id?: string };

export type SageMakerConfiguration = {
  readonly token: AwsToken;
  readonly credential_type?: 'key_secret' | 'assumed_role';
  readonly region?: string;
  readonly inference_profiles?: Readonly<Record<string, string>>;
  readonly multi_modal_config?: Readonly<Record<string, unknown>>;
  readonly models?: readonly Readonly<Record<string, unknown>>[];
};

export type VegasGatewayConfiguration = {
  readonly token: string;
  readonly endpoint: string;
  readonly use_case: string;
};

export type VertexConfiguration = {
  readonly token: string;
  readonly gcs_config?: VertexStorage;
  readonly multi_modal_config?: Readonly<Record<string, unknown>>;
};

export type VertexStorage = {
  readonly service_account_credentials: string;
  readonly bucket_name: string;
  readonly object_path_prefix: string;
};

export type WriterConfiguration = { readonly organization_id: string; readonly token: string };

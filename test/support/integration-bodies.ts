import type { Provider } from '../../contract/integration-providers.js';

const uri = 'https://provider.example/v1';

/**
 * A body for each provider with every member that contract 4.9 names; `say` makes the text of each
 * secret. Other members are not secret.
 */
export const integrationBodies = (
  say: (where: string) => string,
): Readonly<Record<Provider, Readonly<Record<string, unknown>>>> => {
  const aws = (provider: string) => ({
    token: {
      aws_access_key_id: say(`${provider} id`),
      aws_secret_access_key: say(`${provider} key`),
      aws_role_arn: say(`${provider} role`),
    },
    credential_type: 'key_secret',
    region: 'eu-central-1',
    inference_profiles: { model: 'profile' },
    multi_modal_config: { max_images: 4 },
  });
  return {
    openai: { token: say('openai'), organization_id: 'account' },
    writer: { token: say('writer'), organization_id: 'account' },
    mistral: { token: say('mistral') },
    nvidia: { token: say('nvidia'), hostname: uri },
    anthropic: {
      token: say('anthropic'),
      authentication_type: 'api_key',
      endpoint: uri,
      authentication_scope: 'scope',
      oauth2_token_url: uri,
      custom_header_mapping: { a: 'b' },
      multi_modal_config: { max_images: 4 },
    },
    azure: {
      token: say('azure'),
      endpoint: uri,
      proxy: true,
      api_version: '2026-01-01',
      azure_deployment: 'deployment',
      authentication_type: 'api_key',
      authentication_scope: 'scope',
      default_headers: { 'X-Key': say('azure header') },
      deployments: { model: 'deployment' },
      oauth2_token_url: uri,
      custom_header_mapping: { a: 'b' },
      available_deployments: [{ model: 'model', id: 'id' }],
      multi_modal_config: { max_images: 4 },
    },
    aws_bedrock: aws('aws_bedrock'),
    aws_sagemaker: { ...aws('aws_sagemaker'), models: [{ name: 'model' }] },
    vertex_ai: {
      token: say('vertex_ai'),
      gcs_config: {
        service_account_credentials: say('vertex_ai account'),
        bucket_name: 'bucket',
        object_path_prefix: 'prefix',
      },
      multi_modal_config: { max_images: 4 },
    },
    vegas_gateway: { token: say('vegas_gateway'), endpoint: uri, use_case: 'case' },
    databricks: {
      token: say('databricks'),
      hostname: uri,
      default_catalog_name: 'catalog',
      path: 'path',
      llm: true,
      storage: false,
    },
    custom: {
      endpoint: uri,
      authentication_type: 'api_key',
      token: say('custom'),
      api_key_header: 'X-Api-Key',
      api_key_value: say('custom value'),
      authentication_scope: 'scope',
      oauth2_token_url: uri,
      headers: { Authorization: say('custom header') },
      custom_header_mapping: { a: 'b' },
      models: ['model'],
      model_properties: [{ name: 'model' }],
      default_model: 'model',
      custom_llm_config: { any: 'thing' },
    },
  };
};

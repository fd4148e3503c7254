import type { Descriptions } from './descriptions.js';

/** Integrations with providers, and lending them to projects (contract 4.9, 5.9, 5.17). */
export const integrationDescriptions: Descriptions = {
  members: {
    provider: 'Provider of the integration.',
    is_selected: 'True for the selected integration of its provider and user.',
    is_disabled: 'True when the integration is switched off.',
    integrations: 'Providers that can be configured.',
    integration_name: 'Name of the integration: that of its provider.',
    disabled: 'True switches the integration off, false on.',
    token: 'Secret that the provider issued; write-only.',
    hostname:
      'Address of the provider, an absolute URI without user info: `https`, or `http` to a ' +
      'listed host.',
    endpoint:
      'Address of the API, an absolute URI without user info: `https`, or `http` to a listed ' +
      'host.',
    oauth2_token_url: 'Address that issues tokens, an absolute URI, as `endpoint`.',
    authentication_type: 'Kind of authentication that the provider expects.',
    authentication_scope: 'Scope that tokens are requested for.',
    custom_header_mapping: 'Headers by name that are sent with requests.',
    multi_modal_config: 'Settings for images, audio and files, as a JSON object.',
    proxy: 'True when requests go through a proxy.',
    api_version: 'Version of the API of the provider.',
    azure_deployment: 'Name of the deployment.',
    default_headers: 'Headers by name that are sent with every request; write-only.',
    deployments: 'Deployment by model.',
    available_deployments: 'Deployments that can be used, 200 at most.',
    credential_type: 'Kind of the AWS credential in `token`.',
    region: 'AWS region.',
    inference_profiles: 'Inference profile by model.',
    models: 'Models that can be used, 200 at most.',
    aws_access_key_id: 'Id of the AWS access key; write-only.',
    aws_secret_access_key: 'Secret of the AWS access key; write-only.',
    aws_role_arn: 'ARN of the AWS role that is assumed; write-only.',
    gcs_config: 'Cloud storage for files.',
    service_account_credentials: 'Service account as JSON text; write-only.',
    bucket_name: 'Name of the bucket.',
    object_path_prefix: 'Prefix of the paths in the bucket.',
    use_case: 'Use case that is sent to the gateway.',
    default_catalog_name: 'Name of the default catalog.',
    path: 'Path at the provider, kept as given.',
    llm: 'True when the integration is meant for models.',
    storage: 'True when the integration is meant for storage.',
    api_key_header: 'Name of the header that carries the key.',
    api_key_value: 'Value of the key; write-only.',
    headers: 'Headers by name that are sent with every request; write-only.',
    model_properties: 'Properties of the models, 200 at most.',
    default_model: 'Model that is used when none is named.',
    custom_llm_config: 'Further settings, as a JSON object.',
    lent_by: 'User who lent the integration, and whose it is.',
    calls_per_minute: 'Calls a minute with this integration, from 1 to 100,000.',
    judge_model: 'Model of judges that name none, as `provider/model` or alone; null: none is set.',
    daily_calls: 'Calls a day (UTC), from 0 to 10,000,000.',
    allow_unpriced: 'True when models without a price may be called, which no budget limits.',
    name_clusters: 'True when clusters of failures are named, one call each.',
  },
  of: [
    {
      components: 'Integration',
      members: { id: 'Id of the integration.', name: 'Name of the integration: its provider.' },
    },
    {
      components: 'ModelAccess SetModelAccess',
      members: {
        default_model: 'Model of calls that name none, as `provider/model` or alone; null: none.',
        daily_budget: 'Dollars that the project may spend a day (UTC), from 0 to 1,000,000.',
      },
    },
    {
      components: 'ModelAccess',
      members: { integrations: 'Integrations that are lent to the project, in that order.' },
    },
    {
      components: 'LentIntegration LendIntegration',
      members: {
        daily_budget:
          'Dollars a day (UTC) with this integration, from 0 to 1,000,000; null: none of its own.',
      },
    },
    {
      components: 'LentIntegration',
      members: {
        integration_id: 'Id of the integration.',
        state: 'Whether it can be called: only a usable one is.',
        models: 'Models that its configuration names; empty where it names none.',
      },
    },
    {
      components: 'OpenAiConfiguration WriterConfiguration',
      members: { organization_id: 'Account at the provider, not an organisation of Assay.' },
    },
    {
      components: 'AzureDeployment',
      members: { id: 'Id of the deployment.', model: 'Name of the model.' },
    },
    {
      components: 'BedrockConfiguration SageMakerConfiguration',
      members: { token: 'AWS access key, or the role that is assumed; write-only.' },
    },
    {
      components: 'VertexConfiguration',
      members: {
        token: 'Service account as JSON text; write-only.',
        region: 'Location of the models; `global` by default.',
      },
    },
    {
      components: 'TestIntegration',
      members: { model: 'Model that is called, as the provider names it.' },
    },
    {
      components: 'IntegrationTest',
      members: {
        ok: 'True when the model answered.',
        error_code: 'Code of the error (1101 to 1111); null when the model answered.',
        message:
          'Reason of the failure, without anything of the credential; null when it answered.',
        latency_ms: 'Duration of the call in milliseconds.',
        tokens: 'Tokens that the provider counted; null when it counted none.',
        cost: 'Cost of the call in dollars; null when the model has no price.',
      },
    },
    {
      components: 'ModelTokenCounts',
      members: {
        input: 'All tokens of the request.',
        output: 'All tokens of the answer.',
        cache_read: 'Tokens of the request that were read from a cache.',
        cache_write: 'Tokens of the request that were written to a cache.',
        reasoning: 'Tokens of the answer that the model reasoned with.',
      },
    },
  ],
};

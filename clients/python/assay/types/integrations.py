"""Types of integrations. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

from .several import Permission

__all__ = [
    "AnthropicConfiguration",
    "AwsToken",
    "AzureConfiguration",
    "AzureDeployment",
    "BedrockConfiguration",
    "ConfigureIntegration",
    "CustomConfiguration",
    "DatabricksConfiguration",
    "Integration",
    "IntegrationTest",
    "ListProvidersResponse",
    "MistralConfiguration",
    "ModelTokenCounts",
    "NvidiaConfiguration",
    "OpenAiConfiguration",
    "SageMakerConfiguration",
    "VegasGatewayConfiguration",
    "VertexConfiguration",
    "VertexStorage",
    "WriterConfiguration",
]


class _AnthropicConfiguration(TypedDict):
    token: str


class AnthropicConfiguration(_AnthropicConfiguration, total=False):
    authentication_type: str
    endpoint: str
    authentication_scope: str
    oauth2_token_url: str
    custom_header_mapping: Dict[str, str]
    multi_modal_config: Dict[str, Any]


class AwsToken(TypedDict, total=False):
    aws_access_key_id: str
    aws_secret_access_key: str
    aws_role_arn: str


class _AzureConfiguration(TypedDict):
    token: str
    endpoint: str


class AzureConfiguration(_AzureConfiguration, total=False):
    proxy: bool
    api_version: str
    azure_deployment: str
    authentication_type: str
    authentication_scope: str
    default_headers: Dict[str, str]
    deployments: Dict[str, str]
    oauth2_token_url: str
    custom_header_mapping: Dict[str, str]
    available_deployments: List[AzureDeployment]
    multi_modal_config: Dict[str, Any]


class AzureDeployment(TypedDict):
    model: str
    id: str


class _BedrockConfiguration(TypedDict):
    token: AwsToken


class BedrockConfiguration(_BedrockConfiguration, total=False):
    credential_type: Literal["key_secret", "assumed_role"]
    region: str
    inference_profiles: Dict[str, str]
    multi_modal_config: Dict[str, Any]


ConfigureIntegration = Union[
    "OpenAiConfiguration",
    "WriterConfiguration",
    "MistralConfiguration",
    "NvidiaConfiguration",
    "AnthropicConfiguration",
    "AzureConfiguration",
    "BedrockConfiguration",
    "SageMakerConfiguration",
    "VertexConfiguration",
    "VegasGatewayConfiguration",
    "DatabricksConfiguration",
    "CustomConfiguration",
]


class _CustomConfiguration(TypedDict):
    endpoint: str


class CustomConfiguration(_CustomConfiguration, total=False):
    authentication_type: Literal["oauth2", "api_key", "none"]
    token: str
    api_key_header: str
    api_key_value: str
    authentication_scope: str
    oauth2_token_url: str
    headers: Dict[str, str]
    custom_header_mapping: Dict[str, str]
    models: List[Any]
    model_properties: List[Any]
    default_model: str
    custom_llm_config: Dict[str, Any]


class _DatabricksConfiguration(TypedDict):
    token: str
    hostname: str


class DatabricksConfiguration(_DatabricksConfiguration, total=False):
    default_catalog_name: str
    path: str
    llm: bool
    storage: bool


class Integration(TypedDict):
    id: str
    name: str
    provider: Literal[
        "anthropic",
        "aws_bedrock",
        "aws_sagemaker",
        "azure",
        "custom",
        "databricks",
        "mistral",
        "nvidia",
        "openai",
        "vegas_gateway",
        "vertex_ai",
        "writer",
    ]
    created_at: str
    updated_at: str
    created_by: str
    permissions: List[Permission]
    is_selected: bool
    is_disabled: bool


class IntegrationTest(TypedDict):
    ok: bool
    error_code: Optional[int]
    message: Optional[str]
    latency_ms: int
    tokens: Optional[ModelTokenCounts]
    cost: Optional[float]


class ListProvidersResponse(TypedDict):
    integrations: List[
        Literal[
            "anthropic",
            "aws_bedrock",
            "aws_sagemaker",
            "azure",
            "custom",
            "databricks",
            "mistral",
            "nvidia",
            "openai",
            "vegas_gateway",
            "vertex_ai",
            "writer",
        ]
    ]


class MistralConfiguration(TypedDict):
    token: str


class ModelTokenCounts(TypedDict):
    input: int
    output: int
    cache_read: int
    cache_write: int
    reasoning: int


class NvidiaConfiguration(TypedDict):
    token: str
    hostname: str


class _OpenAiConfiguration(TypedDict):
    token: str


class OpenAiConfiguration(_OpenAiConfiguration, total=False):
    organization_id: str


class _SageMakerConfiguration(TypedDict):
    token: AwsToken


class SageMakerConfiguration(_SageMakerConfiguration, total=False):
    credential_type: Literal["key_secret", "assumed_role"]
    region: str
    inference_profiles: Dict[str, str]
    multi_modal_config: Dict[str, Any]
    models: List[Dict[str, Any]]


class VegasGatewayConfiguration(TypedDict):
    token: str
    endpoint: str
    use_case: str


class _VertexConfiguration(TypedDict):
    token: str


class VertexConfiguration(_VertexConfiguration, total=False):
    region: str
    gcs_config: VertexStorage
    multi_modal_config: Dict[str, Any]


class VertexStorage(TypedDict):
    service_account_credentials: str
    bucket_name: str
    object_path_prefix: str


class WriterConfiguration(TypedDict):
    organization_id: str
    token: str

"""Integrations. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import List, Optional

from ..noun import Noun
from ..operation import Operation
from ..types import (
    ConfigureIntegration,
    Integration,
    IntegrationTest,
    ListProvidersResponse,
    Message,
)

_list = Operation("GET", "/v2/integrations", "read")
_list_providers = Operation("GET", "/v2/integrations/available", "read")
_disable = Operation("POST", "/v2/integrations/disable", "keyed")
_select = Operation("PUT", "/v2/integrations/{integration_id}/select", "again")
_get = Operation("GET", "/v2/integrations/{provider_segment}", "read")
_configure = Operation("PUT", "/v2/integrations/{provider_segment}", "again")
_delete = Operation("DELETE", "/v2/integrations/{provider_segment}", "gone")
_test = Operation("POST", "/v2/integrations/{provider_segment}/test", "keyed")


class Integrations(Noun):
    """A user's access to providers of models; secrets never come back."""

    def list(self) -> List[Integration]:
        """The caller's integrations; an admin's list has the organisation's.

        Without anything of their configuration. Requires `person`; contract 5.9.
        """
        return self._ask(_list)

    def list_providers(self) -> ListProvidersResponse:
        """Providers that can be integrated.

        In alphabetical order. Requires `person`; contract 5.9.
        """
        return self._ask(_list_providers)

    def disable(
        self,
        *,
        integration_name: str,
        disabled: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
    ) -> Integration:
        """Disable or enable the caller's integration of a provider.

        `disabled: false` enables it again. Requires `person`; contract 5.9.
        """
        return self._ask(
            _disable,
            body={"integration_name": integration_name, "disabled": disabled},
            key=idempotency_key,
        )

    def select(
        self,
        integration_id: str,
        *,
        if_match: Optional[str] = None,
    ) -> Integration:
        """Select an integration for its provider.

        Another that was selected for the provider no longer is. Requires `person`; contract 5.9.
        """
        return self._ask(
            _select,
            path={"integration_id": integration_id},
            if_match=if_match,
        )

    def get(
        self,
        provider_segment: str,
    ) -> Integration:
        """The caller's integration of a provider.

        Without anything of its configuration. Requires `person`; contract 5.9.
        """
        return self._ask(
            _get,
            path={"provider_segment": provider_segment},
        )

    def configure(
        self,
        provider_segment: str,
        body: ConfigureIntegration,
        *,
        if_match: Optional[str] = None,
    ) -> Integration:
        """Create or replace the caller's integration of a provider.

        The body depends on the provider. Secrets are sealed and never come back. Requires
        `person`; contract 4.9.
        """
        return self._ask(
            _configure,
            path={"provider_segment": provider_segment},
            body=body,
            if_match=if_match,
        )

    def delete(
        self,
        provider_segment: str,
        *,
        if_match: Optional[str] = None,
    ) -> Message:
        """Delete the caller's integration of a provider and erase its secrets.

        Its secrets cannot be restored. Unknown members and parameters are refused. Requires
        `person`; contract 5.9.
        """
        return self._ask(
            _delete,
            path={"provider_segment": provider_segment},
            if_match=if_match,
        )

    def test(
        self,
        provider_segment: str,
        *,
        model: str,
        idempotency_key: Optional[str] = None,
    ) -> IntegrationTest:
        """Call a model by the caller's integration of a provider.

        One request of at most 16 output tokens. `ok` is false when the provider refuses it.
        Requires `person`; contract 5.9.
        """
        return self._ask(
            _test,
            path={"provider_segment": provider_segment},
            body={"model": model},
            key=idempotency_key,
        )

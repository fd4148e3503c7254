"""Service. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from ..noun import Noun
from ..operation import Operation
from ..types import HealthcheckResponse, ReadDescriptionResponse

_healthcheck = Operation("GET", "/v2/healthcheck", "read")
_read_description = Operation("GET", "/v2/openapi.json", "read")


class Service(Noun):
    """The service itself."""

    def healthcheck(self) -> HealthcheckResponse:
        """Say that the service answers.

        Answers as long as the process does, whatever its engines are doing. Requires `public`;
        contract 5.15.
        """
        return self._ask(_healthcheck)

    def read_description(self) -> ReadDescriptionResponse:
        """Read the OpenAPI document of this interface.

        The document that this sentence is from. Requires `public`; contract 5.15.
        """
        return self._ask(_read_description)

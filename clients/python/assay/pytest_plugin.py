"""The pytest plug-in: the fixtures `assay` and `expect_not_worse`."""

from __future__ import annotations

from typing import Callable, Iterator

import pytest

from .client import Assay
from .testing import expect_not_worse as _expect_not_worse


@pytest.fixture(scope="session")
def assay() -> Iterator[Assay]:
    """A client of ASSAY_URL, ASSAY_API_KEY and ASSAY_PROJECT, closed after the session."""
    with Assay() as client:
        yield client


@pytest.fixture(scope="session")
def expect_not_worse() -> Callable[..., None]:
    """`assay.testing.expect_not_worse`: fails the test when the experiment is worse."""
    return _expect_not_worse

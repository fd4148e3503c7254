"""Arguments and docstrings of generated methods."""

import keyword
import textwrap
from typing import Dict, List

from .document import Described
from .types import opened


def parameter(said: str) -> str:
    line = f"        {said},"
    if len(line) <= 100:
        return line
    name, rest = said.split(": ", 1)
    kind, default = rest[:-7] if rest.endswith(" = None") else rest, rest.endswith(" = None")
    return f"        {name}: {opened(kind, 8)}{' = None' if default else ''},"


def safe(name: str) -> str:
    return f"{name}_" if keyword.iskeyword(name) else name


def optional(said: str) -> str:
    return said if said.startswith("Optional[") or said == "Any" else f"Optional[{said}]"


def given(group: str, names: Dict[str, str]) -> List[str]:
    if not names:
        return []
    pairs = [f'"{name}": {parameter}' for name, parameter in names.items()]
    line = f"            {group}={{{', '.join(pairs)}}},"
    if len(line) <= 100:
        return [line]
    inner = [f"                {one}," for one in pairs]
    return [f"            {group}={{", *inner, "            },"]


def documented(said: Described) -> List[str]:
    lines = textwrap.wrap(said.text, 90, break_on_hyphens=False)
    if not lines:
        return [f'        """{said.summary}."""']
    return [f'        """{said.summary}.', "", *[f"        {one}" for one in lines], '        """']

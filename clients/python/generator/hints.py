"""Schemas as type hints of Python 3.9."""

from typing import List

from .document import Schema, name_of

plain = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


def union(hints: List[str]) -> str:
    """`Optional[...]` where None is one of them."""
    distinct = list(dict.fromkeys(hints))
    if "Any" in distinct:
        return "Any"
    others = [one for one in distinct if one != "None"]
    inner = others[0] if len(others) == 1 else f"Union[{', '.join(others)}]"
    return f"Optional[{inner}]" if "None" in distinct else inner


def hint(schema: Schema, rows: str = "List") -> str:
    """The hint of a schema; `rows` names the type of a list, `Sequence` for arguments."""
    if "$ref" in schema:
        return name_of(schema["$ref"])
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return union([hint(one, rows) for one in schema[key]])
    if "const" in schema:
        return f"Literal[{schema['const']!r}]".replace("'", '"')
    if "enum" in schema:
        values = ", ".join(f'"{one}"' for one in schema["enum"])
        return f"Literal[{values}]"
    kind = schema.get("type")
    if isinstance(kind, list):
        return union([hint({**schema, "type": one}, rows) for one in kind])
    if schema.get("format") == "binary":
        return "FileContent"
    if kind == "array":
        return f"{rows}[{hint(schema.get('items', {}))}]"
    if kind == "object":
        inner = schema.get("additionalProperties")
        return f"Dict[str, {hint(inner) if isinstance(inner, dict) else 'Any'}]"
    return plain.get(kind or "", "Any")

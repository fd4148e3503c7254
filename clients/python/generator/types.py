"""Schemas as TypedDicts: one file for each noun, and one for shared schemas."""

import keyword
import re
import textwrap
from typing import Dict, List

from .document import Document, Schema, references, snake, tags_of_schemas, warning
from .hints import hint

typing_names = ("Any", "Dict", "List", "Literal", "Optional", "TypedDict", "Union")


#: Noun of the shared schemas: parts of records. None of them needs an unshared one.
of_records = re.compile(
    "New|Chat|Content|Text|File|Tool|Function|Llm|Retrieved|Control|Metric|Structured|(Span|Trace)T"
)


def home_of(name: str, tags: Dict[str, set]) -> str:
    """The module that a schema is in."""
    if len(tags[name]) == 1:
        [tag] = tags[name]
        return snake(tag)
    if name.endswith(("Filter", "FilterLeaf", "FilterNode", "Sort")):
        return "filters"
    return "records" if of_records.match(name) else "several"


def homes(document: Document) -> Dict[str, str]:
    tags = tags_of_schemas(document)
    return {name: home_of(name, tags) for name in document["components"]["schemas"] if name in tags}


def type_files(document: Document) -> Dict[str, str]:
    """Path to text. `types/__init__.py` has every name."""
    schemas = document["components"]["schemas"]
    placed = homes(document)
    modules: Dict[str, List[str]] = {}
    for name, home in placed.items():
        modules.setdefault(home, []).append(name)
    files = {
        f"types/{home}.py": type_file(names, schemas, placed, home)
        for home, names in modules.items()
    }
    lines = [f'"""Every type of the interface. {warning}"""', ""]
    lines += [f"from .{home} import *  # noqa: F401,F403" for home in sorted(modules)]
    files["types/__init__.py"] = "\n".join(lines) + "\n"
    return files


def type_file(
    names: List[str], schemas: Dict[str, Schema], placed: Dict[str, str], home: str
) -> str:
    body = "\n\n\n".join(declared(name, schemas[name]) for name in names)
    outside: Dict[str, List[str]] = {}
    for name in sorted({one for name in names for one in references(schemas[name])}):
        if placed[name] != home:
            outside.setdefault(placed[name], []).append(name)
    words = set(re.findall(r"\w+", body))
    used = [one for one in typing_names if one in words]
    head = [f'"""Types of {home.replace("_", " ")}. {warning}"""', ""]
    head += ["from __future__ import annotations", ""]
    head += imported("typing", used)
    if "FileContent" in body:
        head += ["", "from ..forms import FileContent"]
    if outside:
        lines = [imported(f".{one}", names) for one, names in sorted(outside.items())]
        head += ["", *[line for group in lines for line in group]]
    public = ["", "__all__ = ["] + [f'    "{name}",' for name in names] + ["]"]
    return "\n".join(head + public) + "\n\n\n" + body + "\n"


def imported(module: str, names: List[str]) -> List[str]:
    if not names:
        return []
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= 100:
        return [line]
    return [f"from {module} import (", *[f"    {name}," for name in names], ")"]


def declared(name: str, schema: Schema) -> str:
    """An alias, or a TypedDict with its required members in a class below it (Python 3.9)."""
    members = schema.get("properties")
    if members is None:
        return alias(name, hint(schema), schema)
    if any(keyword.iskeyword(one) for one in members):
        return functional(name, schema)
    required = [one for one in members if one in schema.get("required", [])]
    optional = [one for one in members if one not in required]
    if not optional:
        return record(name, "TypedDict", required, schema)
    if not required:
        return record(name, "TypedDict, total=False", optional, schema)
    least = record(f"_{name}", "TypedDict", required, {"properties": members})
    return f"{least}\n\n\n{record(name, f'_{name}, total=False', optional, schema)}"


def record(name: str, bases: str, members: List[str], schema: Schema) -> str:
    lines = [f"class {name}({bases}):"]
    if "description" in schema:
        lines += documented(schema["description"]) + [""]
    for member in members:
        lines += annotated(member, hint(schema["properties"][member]))
    return "\n".join(lines if len(lines) > 1 else [*lines, "    pass"])


def documented(text: str) -> List[str]:
    lines = textwrap.wrap(text, 90, break_on_hyphens=False)
    if len(lines) == 1:
        return [f'    """{lines[0]}"""']
    return [f'    """{lines[0]}', *[f"    {line}" for line in lines[1:]], '    """']


def annotated(member: str, said: str) -> List[str]:
    line = f"    {member}: {said}"
    return [line] if len(line) <= 100 else [f"    {member}: {opened(said, 4)}"]


def opened(said: str, indent: int) -> str:
    """`Union[A, B]` over several lines, one of its arguments on each."""
    start, inner = said[: said.index("[")], said[said.index("[") + 1 : -1]
    parts, depth, word = [], 0, ""
    for letter in inner:
        depth += {"[": 1, "]": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append(word.strip())
            word = ""
        else:
            word += letter
    parts.append(word.strip())
    space = " " * (indent + 4)
    broken = [
        opened(part, indent + 4) if len(space + part) > 98 and "[" in part else part
        for part in parts
    ]
    # A comma behind a single argument would make a tuple of it.
    end = ",\n" if len(broken) > 1 else "\n"
    return f"{start}[\n{space}" + f",\n{space}".join(broken) + end + " " * indent + "]"


def alias(name: str, said: str, schema: Schema) -> str:
    """References inside are strings, since they may stand further down."""
    for one in sorted(set(references(schema)), key=len, reverse=True):
        said = quoted(said, one)
    line = f"{name} = {said}"
    return line if len(line) <= 100 else f"{name} = {opened(said, 0)}"


def quoted(said: str, name: str) -> str:
    parts = said.replace("[", " [ ").replace("]", " ] ").replace(",", " , ").split()
    text = " ".join(f'"{one}"' if one == name else one for one in parts)
    return text.replace(" [ ", "[").replace(" ]", "]").replace(" ,", ",")


def functional(name: str, schema: Schema) -> str:
    """Functional syntax for members that are keywords; all of ours with such are required."""
    lines = [f"{name} = TypedDict(", f'    "{name}",', "    {"]
    for member, said in schema["properties"].items():
        text = hint(said)
        for one in references(said):
            text = quoted(text, one)
        lines.append(f'        "{member}": {text},')
    total = all(one in schema.get("required", []) for one in schema["properties"])
    lines += ["    },"] + ([] if total else ["    total=False,"]) + [")"]
    return "\n".join(lines)

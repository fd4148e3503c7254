"""The OpenAPI document as the generator reads it."""

import re
from typing import Any, Dict, Iterator, List, NamedTuple, Set

Schema = Dict[str, Any]
Document = Dict[str, Any]

#: First line of every generated file.
warning = "Generated from openapi.json by generate.py: change that."


class Described(NamedTuple):
    """One operation of the document, with relevant references resolved."""

    method: str
    path: str
    id: str
    tag: str
    summary: str
    text: str
    parameters: List[Dict[str, Any]]
    #: Content type and schema; both empty without a body.
    body_type: str
    body: Schema
    answers: Dict[str, Schema]


def name_of(reference: str) -> str:
    return reference.rsplit("/", 1)[-1]


def snake(name: str) -> str:
    """`logTraces` and `Log streams` as words joined by `_`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|[ -]+", "_", name).lower()


def operations(document: Document) -> Iterator[Described]:
    parameters = document["components"]["parameters"]
    for path, methods in document["paths"].items():
        if not path.startswith("/v2/"):
            continue
        for method, said in methods.items():
            [good] = [one for status, one in said["responses"].items() if status[0] == "2"]
            content = said.get("requestBody", {}).get("content", {})
            # Protobuf operations are for exporters, which have clients of their own.
            if "application/x-protobuf" in content:
                continue
            body_type = next(iter(content), "")
            yield Described(
                method=method.upper(),
                path=path,
                id=said["operationId"],
                tag=said["tags"][0],
                summary=said["summary"],
                text=said.get("description", ""),
                parameters=[
                    parameters[name_of(one["$ref"])] if "$ref" in one else one
                    for one in said.get("parameters", [])
                ],
                body_type=body_type,
                body=content[body_type]["schema"] if content else {},
                answers={kind: one["schema"] for kind, one in good.get("content", {}).items()},
            )


def references(schema: Any) -> Iterator[str]:
    """Names of the schemas that this one references directly."""
    if isinstance(schema, dict):
        if "$ref" in schema:
            yield name_of(schema["$ref"])
        for key, value in schema.items():
            if key not in ("discriminator", "example", "examples"):
                yield from references(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from references(value)


def tags_of_schemas(document: Document) -> Dict[str, Set[str]]:
    """Each schema with the tags of all operations that need it, directly or not."""
    schemas = document["components"]["schemas"]
    tags: Dict[str, Set[str]] = {}
    for one in operations(document):
        body = one.body
        # Members of a body are parameters of the method: its type is not exported.
        if "properties" in schemas.get(name_of(body.get("$ref", "")), {}):
            body = schemas[name_of(body["$ref"])]
        open_names = [*references(body), *references(list(one.answers.values()))]
        for parameter in one.parameters:
            open_names += references(parameter["schema"])
        seen: Set[str] = set()
        while open_names:
            name = open_names.pop()
            if name in seen:
                continue
            seen.add(name)
            tags.setdefault(name, set()).add(one.tag)
            open_names += references(schemas[name])
    return tags

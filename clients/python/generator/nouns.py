"""Operations as methods: one class and one file for each noun, which is the operation's tag.

A method is called as its operation without the noun, where that stands behind the verb or, in the
plural, at the beginning: `logTraces` is `traces.log`, `listExperimentTags` is
`experiments.list_tags`, `listRunJobs` is `jobs.list_run_jobs`. `change` is called `update`.
"""

import re
from typing import Dict, List

from .arguments import documented, given, optional, parameter, safe
from .document import Described, Document, name_of, operations, references, snake, warning
from .hints import hint
from .types import imported

#: Members that the client fills in itself.
stamped = ("logging_method", "client_version", "reliable")
#: Members that may only repeat what is in the path.
echoes = ("setScorerSettings", "changeScorerSettings")
typing_names = ("Any", "Callable", "Dict", "List", "Literal", "Optional", "Sequence", "Union")
typing_names += ("overload",)


def method_name(operation: str, tag: str) -> str:
    words = snake(operation).split("_")
    plural = snake(tag).split("_")
    singular = [*plural[:-1], plural[-1][:-1]]
    size = len(plural)
    if words[:size] == plural and len(words) > size:
        words = words[size:]
    elif words[1 : 1 + size] in (plural, singular):
        words = words[:1] + words[1 + size :]
    if words[0] == "change":
        words[0] = "update"
    return "_".join(words)


def noun_files(document: Document) -> Dict[str, str]:
    """Path to text. `nouns/__init__.py` has the class that a client inherits them from."""
    tags: Dict[str, List[Described]] = {}
    for one in operations(document):
        tags.setdefault(one.tag, []).append(one)
    files = {f"nouns/{snake(tag)}.py": noun_file(tag, ours, document) for tag, ours in tags.items()}
    files["nouns/__init__.py"] = listed(sorted(tags))
    return files


def class_of(tag: str) -> str:
    return "".join(word[0].upper() + word[1:] for word in tag.split(" "))


def listed(tags: List[str]) -> str:
    lines = [f'"""All nouns of the interface. {warning}"""', "", "from ..noun import Asker"]
    lines += [f"from .{snake(tag)} import {class_of(tag)}" for tag in tags]
    lines += ["", "", "class Nouns:", '    """Operations of the service, by noun."""', ""]
    lines += ["    def __init__(self, asker: Asker) -> None:"]
    lines += [f"        self.{snake(tag)} = {class_of(tag)}(asker)" for tag in tags]
    return "\n".join(lines) + "\n"


def noun_file(tag: str, ours: List[Described], document: Document) -> str:
    schemas = document["components"]["schemas"]
    described = next((one["description"] for one in document["tags"] if one["name"] == tag), tag)
    methods = [Method(one, schemas) for one in ours]
    body = "\n\n\n".join(
        [
            "\n".join(one.constant() for one in methods),
            f'class {class_of(tag)}(Noun):\n    """{described}"""\n\n'
            + "\n\n".join(text for one in methods for text in one.texts()),
        ]
    )
    words = {word.strip("[],():@") for word in body.replace("[", " ").replace("]", " ").split()}
    used = [one for one in typing_names if one in words]
    items = [one for one in re.findall(r"Pages\[(\w+)\]", body) if one != "Any"]
    needed = {name for one in methods for name in one.mentioned() if name in words}
    mentioned = sorted({*needed, *items})
    head = [f'"""{tag}. {warning}"""', "", "from __future__ import annotations"]
    head += ["", *imported("typing", used)] if used else []
    ports = [("..downloads", "Download")] if "Download" in words else []
    ports += [("..forms", "FileContent")] if "FileContent" in words else []
    ports += [("..noun", "Noun"), ("..operation", "Operation")]
    ports += [("..pages", "Pages")] if "Pages" in words else []
    head += ["", *[f"from {module} import {name}" for module, name in ports]]
    if mentioned:
        head += imported("..types", mentioned)
    return "\n".join(head) + "\n\n" + body + "\n"


class Method:
    """One operation as a constant with its properties, and a method that sends it."""

    def __init__(self, said: Described, schemas: Dict[str, dict]) -> None:
        self.said = said
        self.name = method_name(said.id, said.tag)
        self.in_path = [one for one in said.parameters if one["in"] == "path"]
        body = said.body
        if "$ref" in body and "properties" in schemas[name_of(body["$ref"])]:
            body = schemas[name_of(body["$ref"])]
        left_out = [*stamped, *(["run_id"] if said.id in echoes else [])]
        self.members = {
            name: one for name, one in body.get("properties", {}).items() if name not in left_out
        }
        self.required = body.get("required", [])
        self.whole = said.body if said.body and not body.get("properties") else None
        self.stamped = "logging_method" in body.get("properties", {})
        self.in_query = [
            one
            for one in said.parameters
            if one["in"] == "query" and one["name"] not in self.members
        ]
        self.headers = {one["name"] for one in said.parameters if one["in"] == "header"}
        self.answer = self.answered(schemas)

    def answered(self, schemas: Dict[str, dict]) -> Dict[str, str]:
        """Parsing of the answer, the method's return type, and the list of a page."""
        kinds = list(self.said.answers)
        if not kinds:
            return {"answer": "none", "returns": "None"}
        if kinds[0] != "application/json":
            ours = len(kinds) > 1 or kinds[0] == "application/x-ndjson"
            return {"answer": "file" if ours else "text", "returns": "Download" if ours else "str"}
        schema, *others = alternatives(self.said.answers[kinds[0]], schemas)
        whole = {"answer": "json", "returns": hint(schema)}
        if not whole["returns"].endswith("Page"):
            return {"answer": "json", "returns": hint(self.said.answers[kinds[0]])}
        properties = schemas[whole["returns"]]["properties"]
        token = "starting_token" if "next_starting_token" in properties else "cursor"
        lists = [name for name, one in properties.items() if one.get("type") == "array"]
        rows = next(name for name in lists if "$ref" in properties[name]["items"])
        item = hint(properties[rows]["items"])
        page = {"answer": "json", "returns": f"Pages[{item}]", "rows": rows, "token": token}
        for other in others:
            item = hint(schemas[hint(other)]["properties"][rows]["items"])
            page["fields"] = f"Pages[{item}]"
        return page

    def mentioned(self) -> List[str]:
        said = self.said
        return [
            *references(said.body),
            *references(list(said.answers.values())),
            *references(list(self.members.values())),
        ]

    def repeats(self) -> str:
        """Reason why it may be repeated (contract 1.8)."""
        if "X-Min-Position" in self.headers or self.said.method == "GET":
            return "read"
        if "Idempotency-Key" in self.headers:
            return "keyed"
        if self.said.method == "DELETE" and self.answer["returns"] in ("None", "Message"):
            return "gone"
        return "again" if self.said.method in ("PUT", "DELETE") else "once"

    def constant(self) -> str:
        said = self.said
        lines = [f'    "{said.method}",', f'    "{said.path}",', f'    "{self.repeats()}",']
        forms = {"multipart/form-data": "form", "application/x-www-form-urlencoded": "urlencoded"}
        if said.body_type in forms:
            lines.append(f'    body="{forms[said.body_type]}",')
        lines += [
            f'    {key}="{self.answer[key]}",'
            for key in ("answer", "rows", "token")
            if key in self.answer and self.answer[key] != "json"
        ]
        lines += ["    stamped=True,"] if self.stamped else []
        line = f"_{self.name} = Operation({' '.join(one.strip() for one in lines)[:-1]})"
        return line if len(line) <= 100 else "\n".join([f"_{self.name} = Operation(", *lines, ")"])

    def parameters(self) -> List[str]:
        """Path parameters are positional in order, except the project's; the others are keywords.
        """
        first = [
            f"{one['name']}: {hint(one['schema'], 'Sequence')}"
            for one in self.in_path
            if one["name"] != "project_id" or self.said.tag == "Projects" or len(self.own()) == 1
        ]
        if self.whole is not None:
            first.append(f"body: {hint(self.whole, 'Sequence')}")
        named = [
            f"{name}: {hint(self.members[name], 'Sequence')}"
            for name in self.members
            if name in self.required
        ]
        for name, schema in self.rest().items():
            name = self.called(name)
            named.append(f"{name}: {optional(hint(schema, 'Sequence'))} = None")
        if any(one["name"] == "project_id" for one in self.in_path) and not any(
            one.startswith("project_id:") for one in first
        ):
            named.append("project_id: Optional[str] = None")
        named += ["if_match: Optional[str] = None"] if "If-Match" in self.headers else []
        if "Idempotency-Key" in self.headers:
            named.append("idempotency_key: Optional[str] = None")
        return first + (["*", *named] if named else [])

    def own(self) -> List[str]:
        """Path parameters if the path ends with the project, the subject of the operation; else
        none.
        """
        ends = self.said.path.endswith("{project_id}")
        return [one["name"] for one in self.in_path] if ends else []

    def called(self, name: str) -> str:
        """A member of the body is the source of a path parameter of the same name."""
        return f"source_{name}" if name in [one["name"] for one in self.in_path] else name

    def rest(self) -> Dict[str, dict]:
        rest = {name: one for name, one in self.members.items() if name not in self.required}
        for one in self.in_query:
            rest[safe(one["name"])] = one["schema"]
        return rest

    def texts(self) -> List[str]:
        return [self.text(), *self.waiting()]

    def overloads(self) -> List[str]:
        """The type of a search's records follows from `fields`."""
        lines = []
        for fields, returns in (
            ("fields: None = None", self.answer["returns"]),
            ("fields: Sequence[str]", self.answer["fields"]),
        ):
            inner = [fields if one.startswith("fields:") else one for one in self.parameters()]
            lines += ["    @overload", f"    def {self.name}(", "        self,"]
            lines += [*map(parameter, inner), f"    ) -> {returns}: ...", ""]
        return lines

    def text(self) -> str:
        inner = self.parameters()
        either = "fields" in self.answer
        lines = self.overloads() if either else []
        lines += [f"    def {self.name}(", "        self,", *map(parameter, inner)]
        lines += [f"    ) -> {'Pages[Any]' if either else self.answer['returns']}:"]
        if not inner:
            lines = [f"    def {self.name}(self) -> {self.answer['returns']}:"]
        lines += documented(self.said)
        lines += [f"        return self._{'pages' if 'rows' in self.answer else 'ask'}("]
        lines += [f"            _{self.name},"]
        groups = {
            "path": [one["name"] for one in self.in_path],
            "query": [one["name"] for one in self.in_query],
        }
        for group, names in groups.items():
            lines += given(group, {name: safe(name) for name in names})
        lines += given("body", {name: self.called(name) for name in self.members})
        lines += ["            body=body,"] if self.whole is not None else []
        lines += ["            if_match=if_match,"] if "If-Match" in self.headers else []
        if "Idempotency-Key" in self.headers:
            lines.append("            key=idempotency_key,")
        if lines[-1].strip() == f"_{self.name},":
            lines[-2:] = [f"        return self._ask(_{self.name})"]
        else:
            lines.append("        )")
        return "\n".join(lines)

    def waiting(self) -> List[str]:
        """Polling method for long work."""
        schema = next(iter(self.said.answers.values()), {})
        if self.said.method != "GET" or name_of(schema.get("$ref", "")) not in polled:
            return []
        name = "_".join(["wait", *self.name.split("_")[1:]])
        places = [one for one in self.parameters() if one != "*"]
        handed = [one.split(":")[0] for one in places if " = " not in one]
        handed += [f"{one.split(':')[0]}={one.split(':')[0]}" for one in places if " = " in one]
        lines = [f"    def {name}(", "        self,"]
        lines += [parameter(one) for one in places if " = " not in one]
        lines += ["        *,", *[parameter(one) for one in places if " = " in one]]
        returns, call = self.answer["returns"], f"self.{self.name}({', '.join(handed)})"
        lines += [
            f"        progress: Optional[Callable[[{returns}], object]] = None,",
            "        timeout: Optional[float] = None,",
            f"    ) -> {returns}:",
            f'        """Polls `{self.name}` to the end; `progress` is called with each change.',
            "",
            "        After `timeout` seconds it raises `WaitTimedOut`; the work goes on.",
            '        """',
            "        return self._wait(",
            f"            lambda: {call},",
            "            progress,",
            "            timeout,",
            "        )",
        ]
        return ["\n".join(lines)]


polled = ("ScorerTask", "Job", "OrgJob", "PastScoringJob")


def alternatives(answer: dict, schemas: Dict[str, dict]) -> List[dict]:
    """The pages of a search: of whole records, and of some of their members."""
    pages = schemas.get(name_of(answer.get("$ref", "")), {}).get("anyOf", [])
    paged = pages and all(one.get("$ref", "").endswith("Page") for one in pages)
    return pages if paged else [answer]

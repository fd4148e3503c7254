"""Loads a scorer file, checks it against the rules of contract 4.11 and calls it.

Shares an interpreter with untrusted code and guards nothing: verdict.ts validates its output.
harness.ts puts ARGUMENTS, UNKNOWN_PARAMETERS_MAX and PARAMETER_NAME_MAX before it.
"""

import annotationlib, copy, inspect, json, linecache, math, os, posix, random, sys, traceback, types
import typing
# Modules that scorers often import are in the snapshot, so that importing them is free.
import collections, dataclasses, datetime, decimal, difflib, enum, fractions, functools, hashlib
import itertools, operator, re, statistics, string, textwrap, unicodedata

FILE = "scorer.py"
NODE_TYPES = ("chain", "chat", "llm", "retriever", "tool", "agent", "workflow", "trace", "session")
CHAINS = ("sum", "average", "first", "last")
TYPES = {bool: "bool", int: "int", float: "float", str: "str"}
LARGEST = 2**53 - 1


# Hides where the snapshot was made.
os.environ["_"] = sys.executable = "python"
sys.orig_argv = ["python"]


def no_shell(command):
    raise PermissionError(1, "Operation not permitted: a scorer starts no programs")


os.system = posix.system = no_shell


class Refused(Exception):
    def __init__(self, kind, message, step=None):
        self.kind, self.message, self.step = kind, message, step


def run(text, started, reseed):
    first, *spans = text.split("\n")
    task, unknown = json.loads(first), []

    def seed(what):
        reseed(what)
        random.seed(what)

    try:
        verdict = judged(task, spans, unknown, started, seed)
    except Refused as refused:
        verdict = {
            "verdict": "invalid", "kind": refused.kind, "message": refused.message,
            "step": refused.step,
        }
    if unknown:
        verdict["unknown_parameters"] = unknown
    return json.dumps(verdict, allow_nan=False)


def judged(task, spans, unknown, started, seed):
    seed("assay")
    module = loaded(task["source"])
    if getattr(module, "include_llm_credentials", False):
        raise Refused(
            "credentials", "include_llm_credentials is set, but scorers get no credentials"
        )
    scorer = getattr(module, "scorer_fn", None)
    if not callable(scorer):
        raise Refused("missing", "the file defines no scorer_fn")
    accepted = parameters(scorer, unknown)
    kind, optional, paired = declared(module, scorer)
    if task["score_type"] not in (None, kind):
        raise Refused(
            "signature",
            f"score_type {task['score_type']} was asked for, but the file declares {kind}",
        )
    node_types = task["node_types"] or own_node_types(module)
    chain = getattr(module, "chain_aggregation", None)
    if chain is not None and chain not in CHAINS:
        raise Refused("signature", "chain_aggregation must be one of " + ", ".join(CHAINS))
    scores = []
    for place, step in enumerate(task["steps"]):
        started(place)
        for node_type in [step["node_type"]] if step["node_type"] else node_types:
            score, error = None, None
            try:
                seed(f"assay {step['index']}")
                offered = guarded(lambda: arguments(copy.deepcopy(step), node_type, spans))
                value = called(scorer, accepted, offered)
                score = checked(value, kind, optional, paired)
            except Refused as refused:
                error = {"kind": refused.kind, "message": refused.message}
            if error is not None and not task["keep_going"]:
                raise Refused(error["kind"], f"row {step['index']}: {error['message']}", place)
            scores.append([place, node_type, score, error])
    return {
        "verdict": "valid",
        "score_type": kind,
        "scoreable_node_types": node_types,
        "chain_aggregation": chain,
        "scores": scores,
        "aggregates": aggregates(module, scores),
    }


def loaded(source):
    lines = source.splitlines(keepends=True)
    linecache.cache[FILE] = (len(source), None, lines, FILE)
    try:
        code = compile(source, FILE, "exec", dont_inherit=True)
    except SyntaxError as error:
        where = "" if error.lineno is None else f" (line {error.lineno})"
        raise Refused("syntax", f"{type(error).__name__}: {error.msg}{where}") from None
    except (MemoryError, RecursionError, ValueError, OverflowError) as error:
        raise Refused("syntax", f"{type(error).__name__}: the file cannot be compiled") from None
    module = types.ModuleType("scorer")
    module.__file__ = FILE
    sys.modules["scorer"] = module
    guarded(lambda: exec(code, module.__dict__))
    return module


def guarded(work, label=""):
    """Result of work; any exception becomes a refusal with the author's own frames."""
    try:
        return work()
    except MemoryError:
        why = "MemoryError: the scorer needs more memory than it may have"
        raise Refused("memory", label + why) from None
    except BaseException as error:
        raise Refused("exception", label + told(error)) from None


def told(error):
    headline = "".join(traceback.format_exception_only(error)).strip()
    frames = [one for one in traceback.extract_tb(error.__traceback__) if one.filename == FILE]
    if not frames:
        return headline
    trace = "".join(traceback.format_list(frames[-8:]))
    return f"{headline[:1000]}\nTraceback (most recent call last):\n{trace}".rstrip()


def parameters(scorer, unknown):
    """Names that may be passed; None if any. Adds parameters that get no argument to unknown."""
    try:
        signature = inspect.signature(scorer, annotation_format=annotationlib.Format.FORWARDREF)
    except (TypeError, ValueError):
        raise Refused("signature", "scorer_fn must be a function") from None
    accepted, needed, anything = [], [], False
    for one in signature.parameters.values():
        if one.kind is one.VAR_KEYWORD:
            anything = True
        elif one.kind is not one.KEYWORD_ONLY:
            raise Refused(
                "signature",
                "scorer_fn must take keyword-only parameters, "
                "as in scorer_fn(*, node_output, **kwargs); "
                f"'{one.name}' is not one",
            )
        elif one.name in ARGUMENTS:
            accepted.append(one.name)
        else:
            if len(unknown) < UNKNOWN_PARAMETERS_MAX:
                unknown.append(one.name[:PARAMETER_NAME_MAX])
            if one.default is one.empty:
                needed.append(one.name[:PARAMETER_NAME_MAX])
    if needed:
        names = ", ".join(f"'{name}'" for name in needed[:10])
        raise Refused(
            "signature",
            f"scorer_fn has parameters without a default that nothing is passed for: {names}. "
            "Arguments are " + ", ".join(ARGUMENTS),
        )
    return None if anything else accepted


def declared(module, scorer):
    """Tuple of score type name, whether None is allowed, and whether metadata comes with it."""
    try:
        found = annotationlib.get_annotations(scorer, format=annotationlib.Format.FORWARDREF)
    except Exception:
        found = {}
    if "return" in found:
        annotation = found["return"]
        if isinstance(annotation, str):
            annotation = guarded(lambda: eval(annotation, module.__dict__), "return annotation: ")
        shape = parsed(annotation)
        if shape is None:
            raise Refused(
                "signature",
                "scorer_fn must be annotated to return bool, int, float or str, "
                "optionally with None, optionally as tuple[score, dict]",
            )
        return shape
    if not callable(getattr(module, "score_type", None)):
        raise Refused("missing", "scorer_fn has no return annotation and the file no score_type()")
    answer = guarded(module.score_type, "score_type: ")
    name = TYPES.get(answer) if isinstance(answer, type) else answer
    if not isinstance(name, str) or name not in TYPES.values():
        raise Refused("signature", "score_type() must return bool, int, float or str")
    return name, False, False


def parsed(annotation):
    if isinstance(annotation, type) and annotation in TYPES:
        return TYPES[annotation], False, False
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is tuple and len(parts) == 2:
        inner = parsed(parts[0])
        with_metadata = parts[1] is dict or typing.get_origin(parts[1]) is dict
        return (inner[0], inner[1], True) if inner and with_metadata and not inner[2] else None
    if origin in (typing.Union, types.UnionType) and len(parts) == 2 and type(None) in parts:
        inner = parsed(parts[0] if parts[1] is type(None) else parts[1])
        return inner and (inner[0], True, inner[2])
    return None


def own_node_types(module):
    chosen = getattr(module, "scoreable_node_types_fn", None)
    if chosen is None:
        return ["llm"]
    answer = guarded(lambda: list(chosen()), "scoreable_node_types_fn: ")
    if not answer or any(not isinstance(one, str) or one not in NODE_TYPES for one in answer):
        raise Refused(
            "signature", "scoreable_node_types_fn must return a list of " + ", ".join(NODE_TYPES)
        )
    return list(dict.fromkeys(str(one) for one in answer))


def called(scorer, accepted, offered):
    passed = offered if accepted is None else {name: offered[name] for name in accepted}
    return guarded(lambda: scorer(**passed))


def checked(value, kind, optional, paired):
    if paired and value is not None:
        if not isinstance(value, tuple) or len(value) != 2 or not isinstance(value[1], dict):
            raise wrong(f"a tuple of {kind} and dict", value)
        value = value[0]
    if value is None:
        if optional:
            return None
        raise wrong(kind, value)
    if kind == "bool" and isinstance(value, bool):
        return value is True
    if kind == "str" and isinstance(value, str):
        return "".join(value)
    if kind == "int" and isinstance(value, int) and not isinstance(value, bool):
        number = int(value)
        if abs(number) > LARGEST:
            raise Refused("wrong_type", "TypeError: scorer_fn returned an integer beyond 2**53 - 1")
        return number
    if kind == "float" and isinstance(value, (float, int)) and not isinstance(value, bool):
        return finite(value)
    raise wrong(kind, value)


def finite(value):
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise Refused("wrong_type", "ValueError: scorer_fn returned a number that is not finite")
    return number


def wrong(wanted, value):
    return Refused(
        "wrong_type",
        f"TypeError: scorer_fn returned {type(value).__name__}, but it declares {wanted}",
    )


def aggregates(module, scores):
    aggregator = getattr(module, "aggregator_fn", None)
    if aggregator is None:
        return {}
    values = [score for _, _, score, error in scores if error is None]
    answer = guarded(lambda: aggregator(scores=values), "aggregator_fn: ")
    if not isinstance(answer, dict):
        raise Refused("aggregates", "aggregator_fn must return a dict of label and number")
    return {label(name): number(value) for name, value in answer.items()}


def label(name):
    if isinstance(name, str) and 0 < len(name) <= 256:
        return "".join(name)
    raise Refused("aggregates", "aggregator_fn must return labels of 1 to 256 characters")


def number(value):
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise Refused("aggregates", "aggregator_fn must return a number for each label")
    try:
        found = float(value) if isinstance(value, float) or abs(value) > LARGEST else int(value)
    except OverflowError:
        found = math.inf
    if not math.isfinite(found):
        raise Refused("aggregates", "aggregator_fn returned a number that is not finite")
    return found


class Step:
    """The step_object of a call, or a span of it; members that were not recorded have defaults."""

    name = input = output = ""
    created_at = status_code = external_id = step_number = model = temperature = None
    finish_reason = tools = events = tool_call_id = agent_type = control_id = agent_name = None
    check_stage = applies_to = evaluator_name = selector_path = None
    dataset_input = dataset_output = None
    spans_cut = 0

    def __init__(self, members):
        self.__dict__.update(members)

    def __repr__(self):
        return f"Step({self.type!r}, id={self.id!r})"


class Text(str):
    """A model's answer: the text, and as .content."""

    role = "assistant"

    @property
    def content(self):
        return str(self)


class Message(dict):
    """A model's answer as the object it was recorded as; its members also by attribute."""

    def __getattr__(self, name):
        if name == "content":
            return self.get("content", json.dumps(self, ensure_ascii=False))
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class Messages(list):
    """A model's answer in several parts; .content joins them."""

    @property
    def content(self):
        return "\n".join(str(message(one).content) for one in self)


def message(value):
    if isinstance(value, dict):
        return Message(value)
    if isinstance(value, list):
        return Messages(message(one) for one in value)
    return Text("" if value is None else value if isinstance(value, str) else json.dumps(value))


def tree(flat):
    """Nests spans that come depth first; not recursive, since senders choose the depth."""
    lists = [[]]
    for members in flat:
        level = members.pop("level")
        fresh = {"tags": [], "user_metadata": {}, "metrics": {}, "dataset_metadata": {}}
        span = Step({**fresh, **members, "spans": []})
        if span.type == "llm":
            span.output = message(span.output)
        del lists[level:]
        lists[level - 1].append(span)
        lists.append(span.spans)
    return lists[0]


def arguments(step, node_type, spans):
    output = step["output"]
    seen = message(output) if node_type in ("llm", "chat") else output
    below = [] if step["spans"] is None else tree(json.loads(spans[step["spans"]]))
    members = {
        **step["more"], "spans": below, "spans_cut": step["spans_cut"],
        "id": step["id"], "type": node_type, "name": step["name"], "input": step["input"],
        "output": seen, "tags": step["tags"], "user_metadata": step["user_metadata"],
        "metrics": step["metrics"], "dataset_input": step["dataset_input"],
        "dataset_output": step["dataset_output"], "dataset_metadata": step["dataset_metadata"],
    }
    return {
        "step_object": Step(members), "index": step["index"], "node_id": step["id"],
        "node_type": node_type, "node_name": step["name"], "node_input": step["input"],
        "node_output": output, "tools": step["tools"],
        "dataset_variables": step["dataset_variables"],
        "dataset_metadata": step["dataset_metadata"] or {},
        "required_scores": step["required_scores"],
        "spans": below, "spans_cut": step["spans_cut"],
    }

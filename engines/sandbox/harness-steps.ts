/** The part of the harness that makes the arguments of `scorer_fn` of a step and lines of spans. */
export const harnessSteps = String.raw`
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
`;

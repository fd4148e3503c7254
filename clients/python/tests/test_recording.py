"""Recorded traces and spans as the service has them, by every way of recording."""

from __future__ import annotations

from typing import Any, Iterator, List
from uuid import uuid4

from assay import Assay

from .service import ServiceTest, all_spans, outline


class Blocks(ServiceTest):
    def test_nest_as_they_stand(self) -> None:
        fields = {"input": "q", "tags": ["a", "a"], "user_metadata": {"n": 1}}
        with self.assay.trace("nested", **fields) as trace:
            with self.assay.span("plan", type="agent", agent_type="planner"):
                with self.assay.span("look", type="retriever", input="q") as span:
                    span.output = ["one", {"content": "two", "metadata": {"at": 2}}]
            with self.assay.span("say", type="llm", model="m", temperature=0.5) as span:
                span.set(input="hi", output="ho")
                span.metrics["num_input_tokens"] = 3
            trace.output = {"answer": 42}
            trace.metrics.update(reward=0.5, not_measured=float("nan"))
        found = self.recorded("nested")
        self.assertEqual(outline(found), ("nested", [("plan", ["look"]), "say"]))
        self.assertEqual((found["input"], found["output"]), ("q", '{"answer": 42}'))
        self.assertEqual((found["tags"], found["user_metadata"]), (["a"], {"n": "1"}))
        self.assertEqual(found["metrics"]["reward"], 0.5)
        self.assertNotIn("not_measured", found["metrics"])
        self.assertGreater(found["metrics"]["duration_ns"], 0)
        plan, say = found["spans"]
        self.assertEqual((plan["type"], plan["agent_type"]), ("agent", "planner"))
        documents = [one["content"] for one in plan["spans"][0]["output"]]
        self.assertEqual(documents, ["one", "two"])
        self.assertEqual((say["model"], say["temperature"]), ("m", 0.5))
        self.assertEqual(say["input"], [{"role": "user", "content": "hi"}])
        self.assertEqual(say["output"], {"role": "assistant", "content": "ho"})

    def test_tell_of_exceptions_and_let_them_through(self) -> None:
        with self.assertRaisesRegex(ValueError, "no seats"):
            with self.assay.trace("failing"):
                with self.assay.span("book", type="tool"):
                    raise ValueError("no seats")
        found = self.recorded("failing")
        [book] = found["spans"]
        for one in (found, book):
            self.assertEqual(one["status_code"], 500)
            self.assertEqual(one["user_metadata"], {"error.message": "ValueError: no seats"})

    def test_of_a_span_alone_make_a_trace(self) -> None:
        with self.assay.span("alone", type="tool", input="i") as span:
            span.output = "o"
        found = self.recorded("alone")
        self.assertEqual(outline(found), ("alone", ["alone"]))
        self.assertEqual((found["input"], found["output"]), ("i", "o"))

    def test_within_a_session_belong_to_it(self) -> None:
        name = str(uuid4())
        with self.assay.session(name):
            for turn in ("first", "second"):
                with self.assay.trace(f"{turn} {name}"):
                    pass
        first, second = self.recorded(f"first {name}"), self.recorded(f"second {name}")
        self.assertEqual(first["session_id"], second["session_id"])
        session = self.assay.sessions.get(first["session_id"])
        self.assertEqual(session["external_id"], name)
        self.assertEqual(len(session["traces"]), 2)

    def test_take_whatever_is_set(self) -> None:
        class Odd:
            def __repr__(self) -> str:
                raise RuntimeError("even this")

        circle: List[Any] = []
        circle.append(circle)
        odd = {"output": Odd(), "metrics": {"a": Odd(), "b": 1}, "tags": [1, ""], "color": "red"}
        with self.assay.trace("odd", input=circle, id="no uuid", **odd) as trace:
            trace.user_metadata = {"k": Odd(), "": "x", "long": "y" * 9999}
            with self.assay.span("odder", type="no kind", model=Odd(), temperature="warm") as span:
                span.input = "\ud800 \x00 " + "z" * 3_000_000
                span.events = [{"type": "made up"}, 7]
        found = self.recorded("odd")
        self.assertEqual(found["output"], "<Odd>")
        self.assertEqual(found["metrics"]["b"], 1)
        self.assertEqual(len(found["user_metadata"]["long"]), 4096)
        [span] = found["spans"]
        self.assertEqual((span["type"], len(span["input"])), ("workflow", 1_048_576))
        self.assertEqual(self.assay.counts.dropped, 0)

    def test_deeper_than_a_request_may_be_are_all_there(self) -> None:
        def down(levels: int) -> None:
            with self.assay.span(f"level {levels}"):
                if levels > 1:
                    down(levels - 1)

        with self.assay.trace("deep"):
            down(130)
        found = self.recorded("deep")
        self.assertEqual(len(all_spans(found)), 130)
        depth, at = 0, found
        while at["spans"]:
            depth, at = depth + 1, at["spans"][0]
        self.assertEqual(depth, 130)

    def test_that_are_large_are_sent_in_parts_while_they_go_on(self) -> None:
        with self.assay.trace("large", input="begin") as trace:
            for group in range(3):
                with self.assay.span(f"group {group}"):
                    for step in range(400):
                        with self.assay.span(f"step {step}", type="tool", input="x" * 1000):
                            pass
            self.assertTrue(self.assay.flush(30))
            self.assertFalse(self.assay.traces.get(trace.id)["is_complete"])
            trace.set(output="end", metrics={"reward": 1})
        found = self.recorded("large")
        self.assertTrue(found["is_complete"])
        self.assertEqual((found["input"], found["output"]), ("begin", "end"))
        self.assertEqual(found["metrics"]["reward"], 1)
        self.assertEqual([len(one["spans"]) for one in found["spans"]], [400, 400, 400])
        self.assertEqual(self.assay.counts[:2], (1204, 0))


class Functions(ServiceTest):
    def test_are_recorded_with_arguments_and_result(self) -> None:
        class Agent:
            @self.assay.span(type="tool")
            def search(self, query: str, limit: int = 3) -> List[str]:
                """Looks."""
                return [query] * limit

            @self.assay.trace
            def answer(self, question: str) -> str:
                return self.search(question, limit=2)[0]

            @self.assay.span(name="secret", capture_input=False, capture_output=False)
            def login(self, password: str) -> str:
                return password

        agent = Agent()
        self.assertEqual(Agent.search.__doc__, "Looks.")
        self.assertEqual(agent.answer("why"), "why")
        found = self.recorded("answer")
        self.assertEqual((found["input"], found["output"]), ("why", "why"))
        [search] = found["spans"]
        self.assertEqual(search["type"], "tool")
        self.assertEqual(search["input"], '{"query": "why", "limit": 2}')
        self.assertEqual(search["output"], '["why", "why"]')
        agent.login("hunter2")
        [secret] = self.recorded("secret")["spans"]
        self.assertEqual((secret["input"], secret["output"]), ("", None))

    def test_keep_what_they_were_given_before_they_changed_it(self) -> None:
        @self.assay.trace
        def spoils(values: List[int]) -> None:
            values.clear()

        spoils([1, 2])
        self.assertEqual(self.recorded("spoils")["input"], "[1, 2]")

    def test_that_are_generators_last_from_their_first_step_to_their_last(self) -> None:
        @self.assay.span(type="tool")
        def words() -> Iterator[str]:
            with self.assay.span("within"):
                got = yield "a"
            yield got or "b"

        with self.assay.trace("generators"):
            for word in words():
                with self.assay.span(f"between {word}"):
                    pass
            stepped = words()
            self.assertEqual((next(stepped), stepped.send("sent")), ("a", "sent"))  # type: ignore
            stepped.close()  # type: ignore[attr-defined]
            left = words()
            next(left)
            del left
        names = ["words", "between a", "between b", "words", "words"]
        found = self.recorded("generators")
        tree = outline(found)[1]
        self.assertEqual([one if isinstance(one, str) else one[0] for one in tree], names)
        self.assertEqual([one["output"] for one in found["spans"]][::3], ["ab", "asent"])
        self.assertEqual(tree[0], ("words", ["within"]))

    def test_that_fail_in_a_generator_say_so(self) -> None:
        @self.assay.trace
        def breaks() -> Iterator[int]:
            yield 1
            raise KeyError("x")

        with self.assertRaises(KeyError):
            list(breaks())
        found = self.recorded("breaks")
        self.assertEqual((found["status_code"], found["output"]), (500, "[1]"))


class Places(ServiceTest):
    def test_are_made_by_name_once_and_found_by_id(self) -> None:
        name = f"by name {uuid4()}"
        clients = [Assay(project=name, log_stream="live") for _ in range(3)]
        for one in clients:
            with one.trace("here"):
                pass
        self.assertTrue(all([one.flush(30) for one in clients]))
        self.assertEqual(len({one.project_id for one in clients}), 1)
        traces = clients[0].traces.search().all()
        streams = {one["id"]: one["name"] for one in clients[0].log_streams.list()}
        self.assertEqual([streams[one["run_id"]] for one in traces], ["live"] * 3)
        run = Assay(project=clients[0].project_id, log_stream=traces[0]["run_id"])
        with run.trace("by id"):
            pass
        self.assertTrue(run.flush(30))
        self.assertEqual(run.traces.count(log_stream_id=traces[0]["run_id"])["total_count"], 4)

    def test_of_two_clients_have_each_their_own_traces(self) -> None:
        other = Assay(project=f"other {uuid4()}")
        with self.assay.trace("mine"), other.trace("theirs"), other.span("step"):
            pass
        self.assertTrue(other.flush(30))
        self.assertEqual(outline(self.recorded("mine")), "mine")
        [theirs] = other.traces.search()
        self.assertEqual(outline(dict(other.traces.get(theirs["id"]))), ("theirs", ["step"]))

    def test_are_an_experiment_where_one_is_named(self) -> None:
        experiment = self.assay.experiments.create(name="prompt a")["id"]
        with self.assay.trace("of an experiment", experiment_id=experiment):
            pass
        self.assertEqual(self.recorded("of an experiment")["run_id"], experiment)

"""Warnings about ignored attributes; the program continues."""

from __future__ import annotations

import logging
from uuid import uuid4

from .service import ServiceTest


class Misspellings(ServiceTest):
    def test_are_said_once_each_and_the_program_goes_on(self) -> None:
        name = str(uuid4())
        with self.assertLogs("assay", logging.WARNING) as said:
            for _ in range(3):
                with self.assay.trace(name, inputt="a") as trace:
                    trace.modell = "m"
                    trace.metrics["nested"] = {"a": 1}
                    trace.metrics.update(rate=float("nan"), size=float("-inf"), huge=10**400)
                    trace.metrics.update(tokens=3, none=None)
                    with self.assay.span("s", type="llmm", temprature=1) as span:
                        span.outptu = "lost"
                        span.agent_type = "reakt"
                        span.model, span.metrics = "m", 7
                with self.assay.span("odd", type=7):
                    pass
        told = "\n".join(said.output)
        for part in (
            "records of type trace have no member 'inputt': it is recorded as user_metadata",
            "records of type trace have no member 'modell': it is not recorded",
            "metrics['nested'] is left out: {\"a\": 1} is neither a number nor a boolean nor a",
            "metrics['rate'] is left out: NaN is not a finite number",
            "metrics['size'] is left out: -Infinity is not a finite number",
            "metrics['huge'] is left out: 1000",
            "type 'llmm' is recorded as workflow; there are llm, retriever, tool",
            "records of type workflow have no member 'temprature'",
            "records of type workflow have no member 'outptu': it is not recorded",
            "agent_type 'reakt' is left out",
            "metrics[''] is left out",
            "type '7' is recorded as workflow",
        ):
            self.assertEqual(told.count(part), 1, told)
        self.assertEqual(len(said.output), 12, told)
        self.assertTrue(self.assay.flush(30))
        found = [one for one in self.assay.traces.search() if one["name"] == name]
        self.assertEqual([one["user_metadata"]["inputt"] for one in found], ["a"] * 3)

    def test_are_none_where_everything_is_right(self) -> None:
        record = {"input": "i", "tags": ["a"], "user_metadata": {"a": "b"}, "external_id": "e"}
        with self.assertRaises(AssertionError), self.assertLogs("assay", logging.WARNING):
            with self.assay.trace("t", session_id="s", **record) as trace:
                trace.set(output="o", status_code=200, metrics={"a": 1, "b": "x", "c": True})
                with self.assay.span("s", type="agent", agent_type="react", **record) as span:
                    span.set(output="o", metrics={"num_input_tokens": 9}, finish_reason="stop")

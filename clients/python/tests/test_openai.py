"""Calls of an OpenAI client as the service has them."""

from __future__ import annotations

import asyncio
import gc
from typing import Any, Dict

from assay.openai_calls import usage_of

from .openai_stub import AsyncStream, OpenAI, Stream, chunk, completion, made, tool_part
from .service import ServiceTest

asks = [{"role": "user", "content": "a flight, please"}]
looks = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": '{"a":1}'}}


class Chat(ServiceTest):
    def called(self, name: str) -> Dict[str, Any]:
        """The one span in the trace of that name."""
        [span] = self.recorded(name)["spans"]
        self.assertEqual((span["type"], span["name"]), ("llm", "chat.completions"))
        return span

    def test_is_recorded_with_its_request_and_its_answer(self) -> None:
        client = OpenAI(completion("booked"))
        self.assertIs(self.assay.wrap_openai(self.assay.wrap_openai(client)), client)
        tools = [{"type": "function", "function": {"name": "look"}}]
        with self.assay.trace("chat"):
            answer = client.chat.completions.create(
                model="model-a", messages=asks, temperature=0.25, tools=tools
            )
        self.assertEqual(answer.choices[0].message.content, "booked")
        self.assertEqual(client.chat.completions.asked[0]["messages"], asks)
        span = self.called("chat")
        self.assertEqual(span["input"], asks)
        self.assertEqual(span["output"], {"role": "assistant", "content": "booked"})
        self.assertEqual((span["model"], span["temperature"]), ("model-a-2026", 0.25))
        self.assertEqual((span["finish_reason"], span["tools"]), ("stop", tools))
        tokens = {key: one for key, one in span["metrics"].items() if key.startswith("num")}
        self.assertEqual(
            tokens, {"num_input_tokens": 9, "num_output_tokens": 2, "num_total_tokens": 11}
        )

    def test_counts_the_kinds_of_its_tokens(self) -> None:
        chat = {
            "prompt_tokens": 9,
            "prompt_tokens_details": {"cached_tokens": 4, "audio_tokens": 1},
            "completion_tokens": 7,
            "completion_tokens_details": {"reasoning_tokens": 5, "audio_tokens": None},
        }
        kinds = {
            "num_input_tokens": 9,
            "num_output_tokens": 7,
            "num_cached_input_tokens": 4,
            "num_audio_input_tokens": 1,
            "num_reasoning_tokens": 5,
        }
        self.assertEqual(usage_of({"usage": chat}), kinds)
        named = (("prompt_", "input_"), ("completion_", "output_"))
        responses = dict(chat)
        for old, new in named:
            responses = {name.replace(old, new): one for name, one in responses.items()}
        self.assertEqual(usage_of({"usage": responses}), kinds)

    def test_has_tools_called_and_answered(self) -> None:
        client = self.assay.wrap_openai(OpenAI(completion(None, tool_calls=[made(looks)])))
        picture = {"type": "image_url", "image_url": {"url": "data:..."}}
        asked = [
            {"role": "user", "content": [{"type": "text", "text": "this"}, picture]},
            {"role": "assistant", "content": None, "tool_calls": [looks]},
            {"role": "tool", "tool_call_id": "call_1", "content": "none"},
        ]
        with self.assay.trace("tools"):
            client.chat.completions.create(model="model-a", messages=asked)
        span = self.called("tools")
        call = {"id": "call_1", "function": {"name": "look", "arguments": '{"a":1}'}}
        self.assertEqual(span["output"]["tool_calls"], [call])
        parts = [one["text"] for one in span["input"][0]["content"]]
        self.assertEqual(parts, ["this", "[image_url]"])
        self.assertEqual(span["input"][1]["tool_calls"], [call])
        self.assertEqual(span["input"][2]["tool_call_id"], "call_1")

    def test_that_fails_fails_for_the_program_too(self) -> None:
        limited = RuntimeError("slow down")
        limited.status_code = 429  # type: ignore[attr-defined]
        client = self.assay.wrap_openai(OpenAI(limited))
        with self.assertRaisesRegex(RuntimeError, "slow down"), self.assay.trace("fails"):
            client.chat.completions.create(model="model-a", messages=asks)
        span = self.called("fails")
        self.assertEqual((span["status_code"], span["model"]), (429, "model-a"))
        self.assertEqual(span["user_metadata"]["error.message"], "RuntimeError: slow down")

    def pieces(self) -> Any:
        usage = made({"model": "model-a-2026", "choices": [], "usage": {"prompt_tokens": 5}})
        return [
            chunk(role="assistant", content=""),
            chunk(content="boo"),
            chunk(content="ked"),
            chunk(tool_calls=[made(tool_part(0, "", "look", "call_1"))]),
            chunk(tool_calls=[made(tool_part(0, '{"a":'))]),
            chunk(tool_calls=[made(tool_part(0, "1}"))]),
            chunk(finish="tool_calls"),
            usage,
        ]

    def streamed(self, span: Dict[str, Any]) -> None:
        call = {"id": "call_1", "function": {"name": "look", "arguments": '{"a":1}'}}
        said = {"role": "assistant", "content": "booked", "tool_calls": [call]}
        self.assertEqual(span["output"], said)
        self.assertEqual((span["model"], span["finish_reason"]), ("model-a-2026", "tool_calls"))
        self.assertEqual(span["metrics"]["num_input_tokens"], 5)
        self.assertGreater(span["metrics"]["time_to_first_token_ns"], 0)

    def test_that_streams_is_put_together(self) -> None:
        client = self.assay.wrap_openai(OpenAI(Stream(self.pieces())))
        with self.assay.trace("streams"):
            stream = client.chat.completions.create(model="m", messages=asks, stream=True)
            self.assertEqual(stream.response, "of the real one")
            self.assertEqual(len(list(stream)), 8)
        self.streamed(self.called("streams"))

    def test_that_streams_and_is_left_or_breaks_has_what_came(self) -> None:
        broken = Stream(self.pieces()[:2], ConnectionError("gone"))
        left, lost = Stream(self.pieces()), Stream(self.pieces())
        client = self.assay.wrap_openai(OpenAI(broken, left, lost))
        with self.assay.trace("left"):
            ask = {"model": "m", "messages": asks, "stream": True}
            with self.assertRaises(ConnectionError):
                list(client.chat.completions.create(**ask))
            with client.chat.completions.create(**ask) as stream:
                next(stream), next(stream), next(stream)
            self.assertTrue(left.closed)
            stream = client.chat.completions.create(**ask)
            next(stream), next(stream)
            del stream
            gc.collect()
        spans = self.recorded("left")["spans"]
        self.assertEqual([one["output"]["content"] for one in spans], ["boo", "booked", "boo"])
        self.assertEqual([one["status_code"] for one in spans], [500, 200, 200])

    def test_of_an_async_client_is_recorded_alike(self) -> None:
        answers = (completion("booked"), AsyncStream(self.pieces()), ValueError("no"))
        client = self.assay.wrap_openai(OpenAI(*answers, later=True))

        async def main() -> None:
            ask = client.chat.completions.create
            async with self.assay.trace("async"):
                answer = await ask(model="m", messages=asks)
                self.assertEqual(answer.choices[0].message.content, "booked")
            async with self.assay.trace("async stream"):
                async with await ask(model="m", messages=asks, stream=True) as stream:
                    self.assertEqual(len([one async for one in stream]), 8)
            async with self.assay.trace("async error"):
                with self.assertRaises(ValueError):
                    await ask(model="m", messages=asks)

        asyncio.run(main())
        self.assertEqual(self.called("async")["output"]["content"], "booked")
        self.streamed(self.called("async stream"))
        self.assertEqual(self.called("async error")["status_code"], 500)

    def test_whose_answer_nobody_understands_still_reaches_the_program(self) -> None:
        odd = made({"choices": 7, "usage": "much"})
        client = self.assay.wrap_openai(OpenAI(odd, odd))
        with self.assertLogs("assay") as said, self.assay.trace("odd"):
            self.assertIs(client.chat.completions.create(model=3, messages=5), odd)
            self.assertIs(client.chat.completions.create(), odd)
        self.assertEqual(len(said.output), 1)
        self.assertEqual(len(self.recorded("odd")["spans"]), 2)


class Responses(ServiceTest):
    whole = made(
        {
            "model": "model-b",
            "status": "completed",
            "incomplete_details": None,
            "usage": {"input_tokens": 4, "output_tokens": 1, "total_tokens": 5},
            "output": [
                {"type": "reasoning", "summary": []},
                {"type": "function_call", "call_id": "c", "name": "look", "arguments": "{}"},
                {"type": "message", "content": [{"type": "output_text", "text": "done"}]},
            ],
        }
    )

    def seen(self, name: str) -> None:
        [span] = self.recorded(name)["spans"]
        self.assertEqual(span["name"], "responses")
        call = {"id": "c", "function": {"name": "look", "arguments": "{}"}}
        said = {"role": "assistant", "content": "done", "tool_calls": [call]}
        self.assertEqual(span["output"], said)
        self.assertEqual((span["model"], span["finish_reason"]), ("model-b", "completed"))
        self.assertEqual(span["metrics"]["num_total_tokens"], 5)
        self.assertEqual([one["type"] for one in span["events"]], ["reasoning"])

    def test_are_recorded(self) -> None:
        client = self.assay.wrap_openai(OpenAI(self.whole))
        with self.assay.trace("response"):
            client.responses.create(model="b", instructions="be brief", input="hi")
        self.seen("response")
        [span] = self.recorded("response")["spans"]
        roles = [(one["role"], one["content"]) for one in span["input"]]
        self.assertEqual(roles, [("system", "be brief"), ("user", "hi")])

    def test_that_stream_are_recorded(self) -> None:
        events = [
            made({"type": "response.output_text.delta", "delta": "do"}),
            made({"type": "response.completed", "response": self.whole}),
        ]
        client = self.assay.wrap_openai(OpenAI(Stream(events)))
        output = {"type": "function_call_output", "call_id": "c", "output": "none"}
        with self.assay.trace("response stream"):
            list(client.responses.create(model="b", input=[output], stream=True))
        self.seen("response stream")
        [span] = self.recorded("response stream")["spans"]
        self.assertEqual(span["input"][0]["tool_call_id"], "c")

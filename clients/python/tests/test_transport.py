"""Retries, keys, positions and connections, against a service that misbehaves on purpose."""

from __future__ import annotations

import gzip
import json
import threading
import time
from typing import Any
from unittest import TestCase

from assay import (
    Assay,
    ConnectionFailed,
    Forbidden,
    Invalid,
    LogDamaged,
    NotConfigured,
    NotFound,
    ReadModelBehind,
    Unavailable,
    WaitTimedOut,
)

from .stub import Answer, Stub, problem

project = "3fa85f64-5717-4562-b3fc-2c963f66afa6"
made = Answer(200, {"id": "x"}, {"X-Log-Position": "0007"})


def client(stub: Stub, **options: Any) -> Assay:
    return Assay(stub.url, "a-key", project, **options)


class Retries(TestCase):
    def test_a_write_is_sent_again_with_the_same_key_and_the_same_bytes(self) -> None:
        lost = Answer(cut=True)
        busy = problem(503, "unavailable", Retry_After="0")
        running = problem(409, "idempotency_in_progress", Retry_After="0")
        with Stub(busy, lost, running, problem(429, "too_many_requests"), made) as stub:
            self.assertEqual(client(stub).experiments.create(name="one")["id"], "x")
            sent = [(one.headers["idempotency-key"], one.path, one.body) for one in stub.seen]
            # A kept connection that is cut is tried anew at once, which is not counted.
            self.assertGreaterEqual(len(sent), 5)
            self.assertEqual(len(set(sent)), 1)

    def test_two_writes_have_two_keys_and_a_caller_may_bring_its_own(self) -> None:
        with Stub(usual=lambda seen: made) as stub:
            assay = client(stub)
            for _ in range(2):
                assay.experiments.create(name="one")
            assay.experiments.create(name="one", idempotency_key="mine")
            keys = [one.headers["idempotency-key"] for one in stub.seen]
            self.assertEqual(len(set(keys)), 3)
            self.assertEqual(keys[-1], "mine")

    def test_an_upload_has_the_same_boundary_with_each_try(self) -> None:
        with Stub(problem(503, "unavailable"), made) as stub:
            client(stub).datasets.create(file=("q.csv", b"a\n1\n"), draft=True)
            self.assertEqual(stub.seen[0].body, stub.seen[1].body)
            self.assertIn(b'name="file"; filename="q.csv"\r\n\r\na\n1\n\r\n', stub.seen[0].body)
            self.assertIn(b'name="draft"\r\n\r\ntrue\r\n', stub.seen[0].body)

    def test_it_waits_as_long_as_the_service_says(self) -> None:
        with Stub(problem(429, "too_many_requests", Retry_After="1"), made) as stub:
            began = time.monotonic()
            client(stub).experiments.create(name="one")
            self.assertGreaterEqual(time.monotonic() - began, 1)

    def test_it_gives_up_after_so_many_tries(self) -> None:
        with Stub(usual=lambda seen: problem(503, "unavailable", Retry_After="0")) as stub:
            with self.assertRaises(Unavailable) as raised:
                client(stub, retries=2).projects.list()
            said = (raised.exception.code, raised.exception.retry_after)
            self.assertEqual(said, ("unavailable", 0))
            self.assertEqual(len(stub.seen), 3)

    def test_what_waiting_does_not_mend_is_not_sent_again(self) -> None:
        complaint = {"loc": ["body", "name"], "msg": "Field required", "type": "missing"}
        script = (
            Answer(422, {"detail": [complaint]}),
            problem(403, "forbidden"),
            problem(503, "log_damaged"),
            problem(503, "unavailable", Retry_After="3600"),
        )
        with Stub(*script) as stub:
            assay = client(stub)
            for kind in (Invalid, Forbidden, LogDamaged, Unavailable):
                with self.assertRaises(kind) as raised:
                    assay.experiments.create(name="")
                if isinstance(raised.exception, Invalid):
                    [one] = raised.exception.complaints
                    self.assertEqual((one.loc, one.type), (("body", "name"), "missing"))
            self.assertEqual(len(stub.seen), 4)

    def test_a_login_is_not_sent_twice_when_its_answer_was_lost(self) -> None:
        with Stub(Answer(cut=True), made) as stub:
            with self.assertRaises(ConnectionFailed):
                client(stub).logins.login_with_api_key(api_key="x")
            self.assertEqual(len(stub.seen), 1)

    def test_a_deletion_whose_answer_was_lost_is_done(self) -> None:
        gone = problem(404, "not_found")
        with Stub(Answer(cut=True), gone, gone) as stub:
            client(stub).experiments.delete("x")
            with self.assertRaises(NotFound):
                client(stub).experiments.delete("x")

    def test_a_service_that_is_silent_or_away_is_a_connection_that_failed(self) -> None:
        never = threading.Event()
        with Stub(usual=lambda seen: Answer(until=never)) as stub:
            with self.assertRaises(ConnectionFailed):
                client(stub, timeout=0.05, retries=1).projects.list()
            self.assertEqual(len(stub.seen), 2)
            never.set()
        with self.assertRaises(ConnectionFailed):
            client(stub, retries=1).projects.list()


class Places(TestCase):
    def test_that_somebody_else_makes_meanwhile_are_found(self) -> None:
        taken, found = problem(409, "already_exists"), Answer(200, [{"id": "1", "name": "a"}])
        with Stub(Answer(200, []), taken, found) as stub:
            assay = Assay(stub.url, "a-key", "a")
            assay.traces.log(traces=[])
            self.assertEqual(assay.project_id, "1")
            methods = [(one.method, one.path.split("?")[0]) for one in stub.seen]
            self.assertEqual([one for one, _ in methods], ["GET", "POST", "GET", "POST"])

    def test_that_are_taken_and_out_of_sight_are_an_error(self) -> None:
        def usual(seen: Any) -> Answer:
            return Answer(200, []) if seen.method == "GET" else problem(409, "already_exists")

        with Stub(usual=usual) as stub:
            with self.assertRaisesRegex(NotConfigured, "cannot be seen"):
                Assay(stub.url, "a-key", "a").traces.log(traces=[])


class Positions(TestCase):
    def test_reads_go_with_the_greatest_position_of_writes(self) -> None:
        later = Answer(200, {"id": "x"}, {"X-Log-Position": "0009"})
        with Stub(Answer(200, []), later, made, usual=lambda seen: Answer(200, [])) as stub:
            assay = client(stub)
            assay.projects.list()
            assay.experiments.create(name="one")
            assay.experiments.create(name="two")
            assay.projects.list()
            asked = [one.headers.get("x-min-position") for one in stub.seen]
            self.assertEqual(asked, [None, None, None, "0009"])
            self.assertEqual(assay.position, "0009")

    def test_a_read_model_that_is_behind_is_asked_again(self) -> None:
        behind = problem(503, "read_model_behind", Retry_After="0")
        with Stub(behind, Answer(200, [])) as stub:
            self.assertEqual(client(stub).projects.list(), [])
        with Stub(usual=lambda seen: behind) as stub:
            with self.assertRaises(ReadModelBehind):
                client(stub, retries=1).projects.list()


class Connections(TestCase):
    def test_are_kept_between_requests(self) -> None:
        with Stub(usual=lambda seen: Answer(200, [])) as stub:
            assay = client(stub)
            for _ in range(5):
                assay.projects.list()
            self.assertEqual(len({one.connection for one in stub.seen}), 1)

    def test_are_each_one_threads_at_a_time(self) -> None:
        door = threading.Barrier(4)

        with Stub(usual=lambda seen: (door.wait(10), Answer(200, []))[1]) as stub:
            assay = client(stub)
            threads = [threading.Thread(target=assay.projects.list) for _ in range(4)]
            for one in threads:
                one.start()
            for one in threads:
                one.join(10)
            self.assertEqual(len({one.connection for one in stub.seen}), 4)

    def test_that_the_service_closed_are_replaced_without_a_word(self) -> None:
        with Stub(Answer(200, []), Answer(cut=True), usual=lambda seen: Answer(200, [])) as stub:
            assay = client(stub, retries=0)
            assay.projects.list()
            self.assertEqual(assay.projects.list(), [])


class Answers(TestCase):
    def test_a_compressed_answer_is_read_and_files_are_asked_for_as_they_are(self) -> None:
        packed = gzip.compress(json.dumps({"id": "x" * 5000}).encode())
        said = Answer(200, packed, {"Content-Encoding": "gzip"})
        with Stub(said, usual=lambda seen: Answer(200, b"{}\n")) as stub:
            assay = client(stub)
            self.assertEqual(assay.projects.get(project)["id"], "x" * 5000)
            assay.traces.export().close()
            accepted = [one.headers.get("accept-encoding") for one in stub.seen]
            self.assertEqual(accepted, ["gzip", "identity"])

    def test_a_file_that_breaks_off_is_an_error(self) -> None:
        kind = {"Content-Type": "application/x-ndjson"}
        longer = {**kind, "Content-Length": "900", "Connection": "close"}
        half = Answer(200, b'{"a":1}\n{"a', longer)
        whole = Answer(200, b'{"a":1}\n{"a":2}\n', kind)
        with Stub(half, whole) as stub:
            lines = iter(client(stub).traces.export())
            self.assertEqual(next(lines), {"a": 1})
            with self.assertRaises(ConnectionFailed):
                list(lines)
            self.assertEqual(list(client(stub).traces.export()), [{"a": 1}, {"a": 2}])

    def test_a_file_that_says_that_it_ends_early_is_an_error(self) -> None:
        kind = {"Content-Type": "application/x-ndjson"}
        cut = b'{"a":1}\n{"ended_early":{"code":"unavailable","detail":"made up"}}\n'
        longer = {**kind, "Content-Length": "900", "Connection": "close"}
        with Stub(Answer(200, cut, longer), Answer(200, cut, kind)) as stub:
            lines = iter(client(stub).traces.export())
            self.assertEqual(next(lines), {"a": 1})
            with self.assertRaisesRegex(ConnectionFailed, "ends early: made up"):
                next(lines)
            # A tenant may name a column so.
            self.assertEqual(len(list(client(stub).traces.export())), 2)

    def test_a_poll_ends_with_the_work_and_tells_each_change(self) -> None:
        states = [("pending", 0), ("pending", 0), ("pending", 40), ("completed", 100)]
        script = [Answer(200, {"status": one, "progress_percent": at}) for one, at in states]
        told = []
        with Stub(*script, usual=lambda seen: script[0]) as stub:
            assay = client(stub)
            end = assay.scorers.wait_validation("x", progress=lambda one: told.append(one))
            self.assertEqual(end["status"], "completed")
            self.assertEqual([one["progress_percent"] for one in told], [0, 40, 100])
            with self.assertRaises(WaitTimedOut):
                assay.scorers.wait_validation("x", timeout=0.15)

    def test_pages_go_on_where_the_one_before_ended(self) -> None:
        def usual(seen: Any) -> Answer:
            first = b"starting_token" not in seen.body
            rows = [{"id": "a"}, {"id": "b"}] if first else [{"id": "c"}]
            return Answer(200, {"records": rows, "next_starting_token": 2 if first else None})

        with Stub(usual=usual) as stub:
            found = client(stub).traces.search(limit=2)
            self.assertEqual(stub.seen, [])
            self.assertEqual([one["id"] for one in found], ["a", "b", "c"])
            self.assertEqual(len(stub.seen), 2)
            self.assertEqual(found.one(), {"id": "a"})
            self.assertEqual(len(list(found.pages())), 2)

    def test_what_is_not_given_is_not_sent(self) -> None:
        with Stub(usual=lambda seen: made) as stub:
            assay = client(stub, strict=True)
            assay.traces.log(traces=[{"name": "a"}])
            assay.history.list(actor=["a", "b"], limit=5).first()
            assay.history_exports.export_history(from_="1")
            first, second, third = stub.seen
            expected = b'{"traces":[{"name":"a"}],"logging_method":"python_client",'
            self.assertTrue(first.body.startswith(expected), first.body)
            self.assertEqual(first.headers["prefer"], "handling=strict")
            self.assertTrue(second.path.endswith("?actor=a&actor=b&limit=5"), second.path)
            self.assertEqual(third.path, "/v2/history/export?from=1")

"""Isolation of the program from the recording, whatever the service does."""

from __future__ import annotations

import logging
import signal
import threading
import time
from typing import Any, List
from unittest import TestCase
from uuid import uuid4

from assay import Assay

from .service import ServiceTest, eventually, program
from .stub import Answer, Seen, Stub, problem

project = "3fa85f64-5717-4562-b3fc-2c963f66afa6"


def client(stub: Stub, **options: Any) -> Assay:
    return Assay(stub.url, "a-key", project, **{"exit_seconds": 0.2, **options})


def record(assay: Assay, count: int, text: str = "x") -> None:
    for _ in range(count):
        with assay.trace("made", input=text):
            pass


class Refusals(TestCase):
    def drops(self, assay: Assay, work: Any) -> List[str]:
        """The one warning while records are dropped."""
        with self.assertLogs("assay", logging.WARNING) as said:
            work()
        self.assertEqual(len(said.output), 1, said.output)
        return said.output

    def test_are_counted_and_said_once(self) -> None:
        for status, code in ((401, "unauthenticated"), (403, "forbidden"), (404, "not_found")):
            with Stub(usual=lambda seen: problem(status, code)) as stub:
                assay = client(stub)

                def work() -> None:
                    for _ in range(3):
                        record(assay, 5)
                        self.assertFalse(assay.flush(10))
                    self.assertTrue(assay.flush(10))

                [said] = self.drops(assay, work)
                self.assertIn(str(status), said)
                self.assertEqual(assay.counts, (0, 15, 0))
                # The whole request was refused: no bisection.
                self.assertEqual(len(stub.seen), 3)

    def test_of_one_record_cost_that_one(self) -> None:
        def usual(seen: Seen) -> Answer:
            return problem(422, "") if b"poison" in seen.body else Answer(200, {})

        with Stub(usual=usual) as stub:
            assay = client(stub, linger=5)
            record(assay, 9)
            record(assay, 1, "poison")
            record(assay, 6)
            self.drops(assay, lambda: assay.flush(10))
            self.assertEqual(assay.counts, (15, 1, 0))

    def test_named_in_the_answer_cost_those_records(self) -> None:
        rejected = [{"index": 1, "id": None, "loc": ["body", "traces", "1"], "msg": "poison"}]
        with Stub(Answer(200, {"rejected": rejected})) as stub:
            assay = client(stub, linger=5)
            record(assay, 3)
            [said] = self.drops(assay, lambda: assay.flush(10))
            self.assertIn("poison", said)
            self.assertEqual(assay.counts, (2, 1, 0))

    def test_of_a_trace_are_those_of_what_comes_after_it(self) -> None:
        def usual(seen: Seen) -> Answer:
            return problem(409, "conflict") if seen.path.endswith("/traces") else Answer(200, {})

        with Stub(usual=usual) as stub:
            assay = client(stub)

            def work() -> None:
                with assay.trace("large"):
                    for _ in range(1100):
                        with assay.span("part"):
                            pass
                self.assertFalse(assay.flush(10))

            [said] = self.drops(assay, work)
            self.assertIn("409", said)
            self.assertEqual(assay.counts, (0, 1101, 0))
            self.assertEqual({one.path.split("/")[-1] for one in stub.seen}, {"traces"})

    def test_of_a_span_that_is_sent_alone_leave_the_rest_of_its_trace(self) -> None:
        def usual(seen: Seen) -> Answer:
            return problem(422, "") if b"poison" in seen.body else Answer(200, {})

        with Stub(usual=usual) as stub:
            assay = client(stub)

            def work() -> None:
                with assay.trace("large"):
                    for number in range(1100):
                        with assay.span("part", input="poison" if number == 700 else "x"):
                            pass
                self.assertFalse(assay.flush(10))

            self.drops(assay, work)
            self.assertEqual(assay.counts, (1100, 1, 0))
            self.assertEqual(stub.seen[-1].method, "PATCH")

    def test_that_pass_cost_nothing(self) -> None:
        lost, busy = Answer(cut=True), problem(503, "unavailable", Retry_After="0")
        with Stub(busy, lost, busy, problem(500, "internal_error"), lost) as stub:
            assay = client(stub)
            record(assay, 3)
            self.assertTrue(assay.flush(30))
            self.assertEqual(assay.counts, (3, 0, 0))
            self.assertEqual(len({one.body for one in stub.seen}), 1)

    def test_without_a_project_are_said(self) -> None:
        with Stub(usual=lambda seen: Answer(200, [])) as stub:
            assay = Assay(stub.url, "a-key")
            [said] = self.drops(assay, lambda: (record(assay, 2), assay.flush(10)))
            self.assertIn("Say which project", said)
        for url in ("not an address", "http://[", "http://a:b", "ftp://a"):
            assay = Assay(url, "a-key")
            self.drops(assay, lambda: (record(assay, 2), assay.flush(10)))
            self.assertEqual(assay.counts.dropped, 2)


class Outages(TestCase):
    def test_do_not_hold_the_program_up(self) -> None:
        never = threading.Event()
        with Stub(usual=lambda seen: Answer(until=never)) as stub:
            assay = client(stub)
            record(assay, 1)
            self.assertTrue(eventually(lambda: len(stub.seen) == 1))
            began = time.monotonic()
            record(assay, 2000)
            self.assertLess(time.monotonic() - began, 2)
            self.assertEqual(assay.counts, (0, 0, 2001))
            never.set()
            self.assertTrue(assay.flush(10))
            self.assertEqual(assay.counts, (2001, 0, 0))

    def test_take_so_much_memory_and_no_more(self) -> None:
        assay = Assay("http://127.0.0.1:9", "a-key", project, buffer_bytes=100_000, exit_seconds=0)
        with self.assertLogs("assay", logging.WARNING) as said:
            record(assay, 500, "x" * 1000)
            with assay.trace("one that is too large"):
                for _ in range(200):
                    with assay.span("part", input="x" * 1000):
                        pass
                    self.assertLessEqual(assay._outbox._held, 100_000)
        self.assertEqual(len(said.output), 1)
        counts = assay.counts
        self.assertLess(counts.waiting, 100)
        self.assertGreater(counts.waiting, 50)
        self.assertEqual(counts.waiting + counts.dropped, 701)
        self.assertLessEqual(assay._outbox._held, 100_000)
        assay.close()
        self.assertEqual(assay.counts, (0, 701, 0))

    def test_leave_no_room_taken(self) -> None:
        with Stub() as stub:
            assay = client(stub, buffer_bytes=50_000)
            logging.getLogger("assay").addFilter(quiet)
            for _ in range(3):
                with assay.trace("large") as trace:
                    for _ in range(100):
                        with assay.span("outer"), assay.span("part", input="x" * 1000):
                            pass
                self.assertEqual(trace._held, 0)
                record(assay, 10)
                self.assertFalse(assay.flush(10))
                self.assertEqual((assay.counts.waiting, assay._outbox._held), (0, 0))
            logging.getLogger("assay").removeFilter(quiet)

    def test_do_not_put_the_end_of_a_program_off_for_long(self) -> None:
        never = threading.Event()
        with Stub(usual=lambda seen: Answer(until=never)) as stub:
            source = (
                "import assay, sys\n"
                "a = assay.Assay(sys.argv[1], 'k', sys.argv[2], exit_seconds=0.3)\n"
                "with a.trace('x'): pass\n"
                "print('done', flush=True)"
            )
            running = program(source, stub.url, project)
            out = running.stdout.readline() if running.stdout else ""
            began = time.monotonic()
            _, said = running.communicate(timeout=30)
            self.assertEqual((out, running.returncode), ("done\n", 0))
            self.assertLess(time.monotonic() - began, 5)
            self.assertIn("could not be sent before the program ended", said)
            never.set()


def quiet(record: logging.LogRecord) -> bool:
    return False


class Ends(ServiceTest):
    head = "import assay, os, sys\na = assay.Assay(project=sys.argv[1])\n"

    def ended(self, source: str, name: str) -> int:
        running = program(self.head + source, self.project, name)
        running.communicate(timeout=60)
        return running.returncode

    def count(self, name: str) -> int:
        named = {"type": "text", "name": "name", "operator": "eq", "value": name}
        counted = self.assay.traces.count(filters=[named])  # type: ignore[list-item]
        return counted["total_count"]

    def test_send_what_is_left(self) -> None:
        ways = {
            "": 0,
            "sys.exit(3)": 3,
            "raise ValueError('x')": 1,
        }
        for way, code in ways.items():
            name = str(uuid4())
            source = f"for _ in range(50):\n  with a.trace(sys.argv[2]): pass\n{way}"
            self.assertEqual(self.ended(source, name), code)
            self.assertEqual(self.count(name), 50, way)

    def test_send_what_the_default_client_recorded(self) -> None:
        source = (
            "os.environ['ASSAY_PROJECT'] = sys.argv[1]\n"
            "@assay.trace(sys.argv[2])\n"
            "def work(): return assay.span('in it')(lambda: 1)()\n"
            "work()"
        )
        name = str(uuid4())
        self.assertEqual(self.ended(source, name), 0)
        self.assertEqual(self.count(name), 1)

    def test_of_children_send_what_is_theirs(self) -> None:
        source = (
            "import multiprocessing\n"
            "def work():\n"
            "  with a.trace(sys.argv[2]): pass\n"
            "work()\n"
            "for way in ('fork', 'fork'):\n"
            "  child = multiprocessing.get_context(way).Process(target=work)\n"
            "  child.start()\n"
            "  child.join()\n"
            "work()\n"
        )
        name = str(uuid4())
        self.assertEqual(self.ended(source, name), 0)
        self.assertEqual(self.count(name), 4)

    def test_of_children_find_loaded_what_sending_takes(self) -> None:
        source = (
            "before = set(sys.modules)\n"
            "with a.trace(sys.argv[2]): pass\n"
            "sent = a.flush(30)\n"
            "sys.exit(str(set(sys.modules) - before) if sent else 'not sent')\n"
        )
        running = program(self.head + source, self.project, str(uuid4()))
        # What a child is forked in the midst of loading it never has.
        self.assertEqual(running.communicate(timeout=60)[1].strip(), "set()")

    def test_in_the_middle_of_a_trace_lose_that_trace_only(self) -> None:
        source = (
            "for _ in range(20):\n  with a.trace(sys.argv[2]): pass\n"
            "a.flush()\n"
            "with a.trace(sys.argv[2]):\n"
            "  os.kill(os.getpid(), 9)\n"
        )
        name = str(uuid4())
        self.assertEqual(self.ended(source, name), -signal.SIGKILL)
        self.assertEqual(self.count(name), 20)

    def test_of_one_client_leave_the_others(self) -> None:
        other = Assay(project=self.project)
        record(other, 1)
        self.assertTrue(other.close())
        logging.getLogger("assay").addFilter(quiet)
        record(other, 1)
        logging.getLogger("assay").removeFilter(quiet)
        self.assertEqual(other.counts, (1, 1, 0))
        name = str(uuid4())
        with self.assay.trace(name):
            pass
        self.assertTrue(self.assay.flush(30))
        self.assertEqual(self.count(name), 1)

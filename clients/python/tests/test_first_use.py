"""First steps with the client, and mistakes in setting it up."""

from __future__ import annotations

import inspect
import logging
import threading
import time
from typing import Any, List, Tuple
from unittest import TestCase, mock
from uuid import uuid4

import assay.client
from assay import Assay, AssayError, NoSuchProject, NotConfigured, Unauthenticated
from assay.outage import Outage, quiet, said_after

from .service import ServiceTest, eventually, outline, program
from .stub import Answer, Seen, Stub, problem

project = "3fa85f64-5717-4562-b3fc-2c963f66afa6"
nowhere = "http://127.0.0.1:9"


def record(client: Assay, count: int = 1) -> None:
    for _ in range(count):
        with client.trace("made"):
            pass


def ended(source: str, *args: str, **env: str) -> Tuple[int, str]:
    """Exit code of a program, and its output on stderr."""
    running = program(source, *args, **env)
    _, said = running.communicate(timeout=60)
    return running.returncode, said


class Outages(TestCase):
    def test_are_said_once_with_address_and_cause(self) -> None:
        client = Assay(nowhere, "a-key", project, exit_seconds=0)
        record(client)
        # Sooner than usual, so that there are many tries after it.
        with mock.patch("assay.outage.said_after", 0.3):
            with self.assertLogs("assay", logging.WARNING) as said:
                began = time.monotonic()
                self.assertFalse(client.flush(3))
                self.assertGreaterEqual(time.monotonic() - began, 3)
                self.assertFalse(client.flush(0.1))
        expected = f"assay: {nowhere}: connection refused; still trying"
        self.assertEqual([one.getMessage() for one in said.records], [expected])
        with self.assertLogs("assay", logging.WARNING) as said:
            client.close()
        [last] = said.output
        self.assertRegex(last, f"1 in all: .* before the program ended: {nowhere}: connection ref")

    def test_are_said_again_when_they_come_again_but_not_each_minute(self) -> None:
        outage = Outage("http://a")
        said: List[str] = []
        with mock.patch("assay.outage.time.monotonic") as now:
            with mock.patch("assay.outage.warn", said.append):
                for at in (0, quiet / 2, quiet + 5, 3 * quiet):
                    for seconds in (0.5, 4, 8):
                        now.return_value = at + seconds
                        outage.goes_on("busy", at, 0.1)
                    outage.over()
        self.assertEqual(said, ["http://a: busy; still trying"] * 3)

    def test_of_a_service_that_is_silent_are_said_by_a_flush(self) -> None:
        never = threading.Event()
        with Stub(usual=lambda seen: Answer(until=never)) as stub:
            client = Assay(stub.url, "a-key", project, exit_seconds=0)
            record(client)
            with mock.patch("assay.outage.said_after", 0.5):
                with self.assertLogs("assay", logging.WARNING) as said:
                    self.assertFalse(client.flush(0.6))
            self.assertIn(f"{stub.url}: not all was answered in time", said.output[0])
            never.set()

    def test_in_which_it_says_to_come_later_are_said_with_its_reason(self) -> None:
        later = problem(429, "too_many_requests", Retry_After="60")
        with Stub(usual=lambda seen: later) as stub:
            client = Assay(stub.url, "a-key", project, exit_seconds=0)
            with self.assertLogs("assay", logging.WARNING) as said:
                record(client)
                self.assertTrue(eventually(lambda: len(said.output) == 1))
            self.assertIn("made up: too_many_requests", said.output[0])
        with Stub(problem(503, "unavailable", Retry_After="1"), Answer(200, [])) as stub:
            with mock.patch("assay.outage.said_after", 1):
                with self.assertLogs("assay", logging.WARNING) as said:
                    client = Assay(stub.url, "a-key", project)
                    self.assertEqual(client.projects.list(), [])
            self.assertIn("made up: unavailable", said.output[0])
            self.assertNotIn("made up", client._transport.outage.cause)

    def test_are_said_after_three_seconds_and_end_a_flush_after_half_a_minute(self) -> None:
        self.assertEqual(said_after, 3)
        for flush in (Assay.flush, assay.flush):
            self.assertEqual(inspect.signature(flush).parameters["timeout"].default, 30)


class Keys(TestCase):
    secret = "asy_CQ4eNobodyMayReadThis"

    def test_are_taken_without_the_blanks_around_them(self) -> None:
        with Stub(usual=lambda seen: Answer(200, [])) as stub:
            Assay(stub.url, f" {self.secret}\n", project).projects.list()
            self.assertEqual(stub.seen[0].headers["service-api-key"], self.secret)

    def test_are_in_no_message(self) -> None:
        said: List[str] = []
        with self.assertLogs("assay", logging.WARNING) as logged:
            for wrong in ("{}\nx", "{}\x00", "x {}", "{}ü", "\r\n{}\n{}"):
                with self.assertRaises(NotConfigured) as raised:
                    Assay(nowhere, wrong.format(self.secret, self.secret), project)
                said.append(repr(raised.exception) + str(raised.exception))
            for status, code in ((401, "unauthenticated"), (429, "too_many"), (404, "not_found")):
                with Stub(usual=lambda seen: problem(status, code, Retry_After="9")) as stub:
                    said.append(self.tried(stub.url, f"{self.secret}\n", "a project"))
            said.append(self.tried(nowhere, self.secret, project))
        said += logged.output
        self.assertGreater(len(said), 12)
        self.assertNotIn("CQ4e", "\n".join(said))
        self.assertIn("ASSAY_API_KEY", said[0])

    def tried(self, url: str, key: str, name: str) -> str:
        """Error of a call after recording."""
        with mock.patch.object(assay.client, "settle_seconds", 0):
            client = Assay(url, key, name, exit_seconds=0, retries=0)
        record(client)
        client.flush(0.3)
        try:
            client.traces.search().first()
        except AssayError as error:
            client.close()
            return repr(error) + str(error)
        raise AssertionError("It was answered")

    def test_that_cannot_be_sent_do_not_stop_a_program_that_only_records(self) -> None:
        source = (
            "import assay, functools\n"
            "assay.Assay = functools.partial(assay.Assay, exit_seconds=0.3)\n"
            "@assay.trace\n"
            "def work(): return 'on'\n"
            "assert work() == 'on'"
        )
        code, said = ended(source, ASSAY_URL=nowhere, ASSAY_API_KEY=f"{self.secret} x")
        self.assertEqual(code, 0, said)
        self.assertIn("assay: The API key (ASSAY_API_KEY", said)
        self.assertNotIn("CQ4e", said)

    def test_that_are_missing_are_named(self) -> None:
        with Stub(usual=lambda seen: problem(401, "unauthenticated")) as stub:
            client = Assay(stub.url, "", project)
            with self.assertRaisesRegex(Unauthenticated, "set ASSAY_API_KEY"):
                client.projects.list()
            with self.assertLogs("assay", logging.WARNING) as said:
                record(client)
                self.assertFalse(client.flush(10))
            self.assertIn("set ASSAY_API_KEY", said.output[0])
            with self.assertRaises(Unauthenticated) as raised:
                Assay(stub.url, "a-key").projects.list()
            self.assertNotIn("ASSAY_API_KEY", str(raised.exception))


class Addresses(TestCase):
    def test_may_end_with_the_beginning_of_every_path(self) -> None:
        with Stub(usual=lambda seen: Answer(200, [])) as stub:
            for end in ("", "/", "/v2", "/v2/", "/v2\n"):
                Assay(stub.url + end, "a-key").projects.list()
            Assay(f"{stub.url}/below/v2", "a-key").projects.list()
            paths = [one.path for one in stub.seen]
            self.assertEqual(paths, ["/v2/projects"] * 5 + ["/below/v2/projects"])

    def test_are_told_without_a_password(self) -> None:
        client = Assay("http://user:hunter2@127.0.0.1:9", "a-key", project, retries=0)
        with self.assertRaises(AssayError) as raised:
            client.projects.list()
        self.assertEqual(str(raised.exception), f"{nowhere}: connection refused")


class Projects(ServiceTest):
    def names(self) -> List[str]:
        return [one["name"] for one in self.assay.projects.list()]

    def test_are_never_made_by_asking(self) -> None:
        name = f"misspelt {uuid4()}"
        client = Assay(project=name)
        asked: List[Any] = [
            lambda: client.traces.search().all(),
            lambda: client.traces.get("x"),
            lambda: client.experiments.create(name="a"),
            lambda: client.project_id,
        ]
        for ask in asked:
            with self.assertRaisesRegex(NoSuchProject, f"Project '{name}' does not exist"):
                ask()
        self.assertNotIn(name, self.names())

    def test_that_there_are_instead_are_named_when_they_are_few(self) -> None:
        for count, told in ((0, False), (2, True), (11, False)):
            listed = [{"id": str(one), "name": f"travel {one}"} for one in range(count)]
            with Stub(usual=lambda seen: Answer(200, listed)) as stub:
                with self.assertRaises(NoSuchProject) as raised:
                    print(Assay(stub.url, "a-key", "travle").project_id)
            self.assertEqual("travel 0" in str(raised.exception), told)

    def test_are_made_by_recording_which_is_said_once(self) -> None:
        for way in ("record", "log"):
            name = f"travle {uuid4()}"
            client = Assay(project=name)
            with self.assertLogs("assay", logging.WARNING) as said:
                for _ in range(2):
                    if way == "record":
                        record(client)
                        self.assertTrue(client.flush(30))
                    else:
                        client.traces.log(traces=[{"name": "made"}])
            self.assertEqual(said.output, [f"WARNING:assay:assay: made project {name}"])
            self.assertEqual(len(client.traces.search().all()), 2)


class Reads(ServiceTest):
    def test_see_what_was_recorded_before_them(self) -> None:
        for number in range(5):
            record(self.assay)
            self.assertEqual(len(self.assay.traces.search().all()), number + 1)

    def test_do_not_wait_for_long(self) -> None:
        never = threading.Event()

        def usual(seen: Seen) -> Answer:
            return Answer(until=never) if seen.path.endswith("/traces") else Answer(200, [])

        with Stub(usual=usual) as stub, mock.patch.object(assay.client, "settle_seconds", 0.2):
            client = Assay(stub.url, "a-key", project, exit_seconds=0)
            record(client)
            self.assertEqual(client.projects.list(), [])
            self.assertEqual(client.counts.waiting, 1)
            client.close()
            began = time.monotonic()
            client.projects.list()
            self.assertLess(time.monotonic() - began, 0.2)
            never.set()


class Ends(ServiceTest):
    def test_send_what_still_goes_on_as_not_complete(self) -> None:
        source = (
            "import assay, os, sys, threading\n"
            "a, ready = assay.Assay(project=sys.argv[1]), threading.Event()\n"
            "def work():\n"
            "  with a.trace(sys.argv[2], input='i'):\n"
            "    with a.span('done'): pass\n"
            "    with a.span('open', type='llm', input='q'):\n"
            "      with a.span('within'): pass\n"
            "      ready.set()\n"
            "      threading.Event().wait()\n"
            "def alone():\n"
            "  a.span(sys.argv[2] + ' alone').__enter__()\n"
            "  threading.Event().wait()\n"
            "for one in (work, alone): threading.Thread(target=one, daemon=True).start()\n"
            "ready.wait()\n"
            "if os.fork() == 0: sys.exit(0)\n"
            "os.wait()\n"
        )
        name = str(uuid4())
        self.assertEqual(ended(source, self.project, name), (0, ""))
        found = self.recorded(name)
        self.assertFalse(found["is_complete"])
        self.assertEqual((found["input"], found["output"]), ("i", None))
        self.assertEqual(outline(found), (name, ["done", ("open", ["within"])]))
        alone = self.recorded(f"{name} alone")
        self.assertEqual((alone["is_complete"], outline(alone)[1]), (False, [f"{name} alone"]))

    def test_of_a_client_end_what_goes_on(self) -> None:
        with Stub() as stub:
            client = Assay(stub.url, "a-key", project)
            with client.trace("one"), client.span("step"):
                self.assertTrue(client.close())
            self.assertEqual(client.counts, (2, 0, 0))
            self.assertEqual(len(client._outbox.going_on), 0)
            self.assertIn(b'"is_complete":false', stub.seen[0].body)

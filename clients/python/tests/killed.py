"""A program that records while its service is killed: `python3 -m tests.killed PROJECT SPANS`.

It writes a line for each twentieth of its spans, waits for a line in answer, and goes on; at its
end it flushes, and writes its counts and what the service then has: traces and spans, all of them
and those with ids of their own.
"""

from __future__ import annotations

import sys
import threading

from assay import Assay, carried


def record(assay: Assay, first: int, traces: int, thread: int) -> None:
    """Traces of four spans each: three in the trace and one that comes late."""
    for number in range(first, first + traces):
        with assay.trace(f"{thread} {number}"):
            with assay.span("outer"):
                with assay.span("inner", type="tool", input=str(number)):
                    pass
            with assay.span("step"):
                pass
            late = carried(comes_late)
        late(assay)


def comes_late(assay: Assay) -> None:
    with assay.span("late", type="llm", model="m"):
        pass


def main() -> None:
    project, spans = sys.argv[1], int(sys.argv[2])
    assay = Assay(project=project, linger=0.02, exit_seconds=60)
    steps, threads = 20, 4
    each = -(-spans // (steps * threads * 4))
    for step in range(steps):
        running = [
            threading.Thread(target=record, args=(assay, step * each, each, one))
            for one in range(threads)
        ]
        for one in running:
            one.start()
        for one in running:
            one.join()
        print(step, flush=True)
        sys.stdin.readline()
    whole = assay.flush(120)
    found = []
    for kind in (assay.traces, assay.spans):
        ids = [one["id"] for one in kind.export()]
        found += [len(ids), len(set(ids))]
    print(whole, *assay.counts, steps * threads * each, *found, flush=True)


if __name__ == "__main__":
    main()

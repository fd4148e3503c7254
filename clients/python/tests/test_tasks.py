"""Recording from tasks of asyncio and from threads."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import AsyncIterator, Dict, List

from assay import carried

from .service import ServiceTest, outline


class Tasks(ServiceTest):
    def test_of_asyncio_nest_each_in_its_own(self) -> None:
        @self.assay.span(type="tool")
        async def fetch(name: str) -> str:
            async with self.assay.span(f"inner {name}"):
                await asyncio.sleep(0)
            return name

        @self.assay.trace
        async def gathers() -> List[str]:
            return list(await asyncio.gather(*(fetch(str(one)) for one in range(20))))

        asyncio.run(gathers())
        found = self.recorded("gathers")
        self.assertEqual(len(found["spans"]), 20)
        for one in found["spans"]:
            self.assertEqual([inner["name"] for inner in one["spans"]], [f"inner {one['input']}"])

    def test_that_are_cancelled_or_outlive_their_parent_are_there(self) -> None:
        async def main() -> None:
            going, late = asyncio.Event(), asyncio.Event()

            @self.assay.span
            async def waits() -> None:
                going.set()
                await asyncio.Event().wait()

            @self.assay.span
            async def outlives() -> None:
                await late.wait()

            with self.assay.trace("tasks"):
                task = asyncio.ensure_future(waits())
                other = asyncio.ensure_future(outlives())
                await going.wait()
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
            late.set()
            await other

        asyncio.run(main())
        found = self.recorded("tasks")
        codes = {one["name"]: one["status_code"] for one in found["spans"]}
        self.assertEqual(codes, {"waits": 499, "outlives": 200})

    def test_that_stream_are_recorded(self) -> None:
        @self.assay.trace
        async def streams() -> AsyncIterator[str]:
            for word in ("a", "b"):
                async with self.assay.span(f"step {word}"):
                    pass
                yield word

        async def main() -> str:
            return "".join([one async for one in streams()])

        self.assertEqual(asyncio.run(main()), "ab")
        found = self.recorded("streams")
        self.assertEqual(outline(found), ("streams", ["step a", "step b"]))
        self.assertEqual(found["output"], "ab")

    def test_of_threads_nest_where_they_were_carried_from(self) -> None:
        def work(name: str) -> None:
            with self.assay.span(f"work {name}"):
                with self.assay.span(f"inner {name}"):
                    pass

        with self.assay.trace("threads"), ThreadPoolExecutor(4) as pool:
            with self.assay.span("fan out"):
                list(pool.map(carried(work), map(str, range(20))))
        [fan_out] = self.recorded("threads")["spans"]
        self.assertEqual(len(fan_out["spans"]), 20)
        for one in fan_out["spans"]:
            self.assertEqual(outline(one), (one["name"], [one["name"].replace("work", "inner")]))

    def test_of_many_threads_lose_nothing(self) -> None:
        def work(number: int) -> None:
            for step in range(25):
                with self.assay.trace(f"many {number} {step}"):
                    with self.assay.span("a"), self.assay.span("b"):
                        pass

        threads = [threading.Thread(target=work, args=(one,)) for one in range(8)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        self.assertTrue(self.assay.flush(60))
        self.assertEqual(self.assay.counts, (600, 0, 0))
        self.assertEqual(self.many("many"), 200)

    def many(self, start: str) -> int:
        named = {"type": "text", "name": "name", "operator": "starts_with", "value": start}
        found: Dict[str, int] = {}
        for one in self.assay.traces.search(filters=[named], limit=70):  # type: ignore[list-item]
            found[one["id"]] = found.get(one["id"], 0) + 1
        self.assertEqual(set(found.values()), {1})
        return len(found)

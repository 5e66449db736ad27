"""Requests a second against a local server that answers in 100 ms, as a share of what -j and the rate limit allow; beside it
what the HTTP library alone gets with as many threads at that moment, which tells our share from the machine's.

python scripts/throughput.py [--seconds 10]
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import httpx2

from metaphrase.campaign.cache import Cache, CacheOptions
from metaphrase.campaign.events import Summary
from metaphrase.campaign.spending import Ledger
from metaphrase.campaign.store import Store
from metaphrase.campaign.translate import Sending, TranslateStage
from metaphrase.core.values import Case, Direction, MetamorphicCase
from mt_server import DIALECTS, Server
from mt_server.clients import connect

DELAY = 0.1


def serve(pipe: Connection) -> None:
    """In a process of its own, so that it does not take the client's processor time."""
    dialect = DIALECTS["amazon"]()
    dialect._check_signature = lambda received: None  # type: ignore[attr-defined]
    with Server(dialect, delay=DELAY) as server:
        pipe.send((server.port, dialect.environment))
        while pipe.recv():
            pipe.send(server.count.most_in_flight)
            server.reset(dialect, server.schedule)


def measure(server: Server, pipe: Connection, folder: str, jobs: int, seconds: float, rate: float | None) -> None:
    allowed = min(jobs / DELAY, rate or float("inf"))
    count = max(jobs, round(allowed * seconds / jobs) * jobs)
    cases: list[Case] = [
        MetamorphicCase(str(i), Direction("en", "zh"), "x", f"{jobs} {rate} source {i}", f"{jobs} {rate} follow-up {i}")
        for i in range(count // 2)
    ]
    system = connect(server, {"requests-per-second": rate} if rate else {}, virtual=False)
    system.unlock()
    system._connected()
    with Store(Path(folder) / f"{jobs}-{rate}.db") as store, Cache(CacheOptions(path=f"{folder}/cache.db")) as cache:
        stage = TranslateStage(store, Summary(), Sending(jobs, cache, ledger=Ledger([system])))
        start, cpu = time.monotonic(), time.process_time()
        for _ in stage.fill(cases, lambda request: system):
            pass
        took, cpu = time.monotonic() - start, time.process_time() - cpu
    system.close()
    pipe.send(True)
    flight = pipe.recv()
    done = 2 * len(cases) / took
    limit = f"{rate:g}/s" if rate else "none"
    print(
        f"-j {jobs:<3} rate limit {limit:<7} allows {allowed:6.1f}/s  got {done:6.1f}/s  {done / allowed:6.1%}  most in flight {flight}, "
        f"{1000 * cpu / (2 * len(cases)):.1f} ms of processor each",
        flush=True,
    )


def bare(server: Server, jobs: int, seconds: float) -> float:
    """Requests a second of threads that do nothing but send."""
    count = round(jobs / DELAY * seconds)
    body = b'{"Text": "a bare text", "SourceLanguageCode": "en", "TargetLanguageCode": "zh"}'
    headers = {"x-amz-target": "AWSShineFrontendService_20170701.TranslateText", "content-type": "application/x-amz-json-1.1"}
    with httpx2.Client(limits=httpx2.Limits(max_keepalive_connections=64)) as client, ThreadPoolExecutor(jobs) as pool:
        start = time.monotonic()
        list(pool.map(lambda _: client.post(f"{server.url}/", content=body, headers=headers).raise_for_status(), range(count)))
        return count / (time.monotonic() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0)
    seconds = parser.parse_args().seconds
    pipe, other = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=serve, args=(other,), daemon=True)
    process.start()
    port, environment = pipe.recv()
    os.environ.update(environment)
    server = Server(DIALECTS["amazon"]())
    server.port = port
    with tempfile.TemporaryDirectory() as folder:
        for jobs, rate in ((1, None), (8, None), (32, None), (8, 50.0), (32, 200.0)):
            if rate is None:
                print(f"-j {jobs:<3} the HTTP library alone: {bare(server, jobs, seconds) / (jobs / DELAY):6.1%}", flush=True)
            measure(server, pipe, folder, jobs, seconds, rate)
    pipe.send(False)
    process.join()


if __name__ == "__main__":
    main()

"""A stand-in for CoreNLP's server that speaks its wire format, and dies or hangs when a sentence tells it to.

A sentence with DIE-ONCE or HANG-ONCE does so only if the file named by FAKE_CORENLP_STATE is not there yet.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self._answer(200, b"ready\n")

    def do_POST(self) -> None:
        text = self.rfile.read(int(self.headers["Content-Length"])).decode("utf-8")
        properties = json.loads(parse_qs(urlsplit(self.path).query)["properties"][0])
        state = Path(os.environ["FAKE_CORENLP_STATE"])
        first = not state.exists()
        with state.open("a", encoding="utf-8") as log:
            log.write(text + "\n")
        if "DIE-ALWAYS" in text or ("DIE-ONCE" in text and first):
            os._exit(1)
        if "HANG-ALWAYS" in text or ("HANG-ONCE" in text and first):
            time.sleep(600)
        if "REFUSE" in text:
            self._answer(500, b"could not handle the text")
        elif "CUT" in text:
            self._answer(200, b'{"sentences": [{"tok')
        else:
            self._answer(200, json.dumps(sentence(text, properties["annotators"])).encode())

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


def sentence(text: str, annotators: str) -> dict[str, object]:
    words = list(re.finditer(r"\S+", text))
    tokens = []
    for number, word in enumerate(words, 1):
        units = [len(text[:at].encode("utf-16-le")) // 2 for at in word.span()]
        points = {"codepointOffsetBegin": word.start(), "codepointOffsetEnd": word.end()} if "\U0001f600" not in text else {}
        tokens.append({"index": number, "word": word.group(), "characterOffsetBegin": units[0], "characterOffsetEnd": units[1], **points})
    found: dict[str, object] = {"index": 0, "tokens": tokens}
    if "depparse" in annotators:
        found["basicDependencies"] = [
            {"dep": "ROOT" if n == 1 else "dep", "governor": n - 1, "dependent": n} for n in range(1, len(words) + 1)
        ]
    else:
        found["parse"] = f"(ROOT\n  (NP {' '.join(f'(NN {w.group()})' for w in words)}))"
    return {"sentences": [found]}


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[sys.argv.index("-port") + 1])), Handler).serve_forever()

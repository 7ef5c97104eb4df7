"""The Codex CLI in a real tool loop, with and without tare-proxy between it and a scripted upstream.

The upstream answers by the turn: each answer calls a tool until the last one. The files that the CLI's tools wrote must be
the same both ways, and so must the items that the upstream got, once they are expanded.
"""
import asyncio
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
import unittest

import support

CACHE = pathlib.Path(os.environ.get("TARE_CACHE") or pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "tare")
FOLDER = CACHE / "clients/codex-0.171.0"
if not (FOLDER / "complete").exists():
    support.not_checked("the Codex CLI is not installed (tests/faults/clients/codex/install)")
PROGRAM = next(FOLDER.glob("node_modules/@openai/codex-linux-*/vendor/*/bin/codex"))

COMMANDS = [
    "for i in $(seq 1 90); do echo \"2026-05-01T10:00:$((i % 60 + 10)) worker $i finished step $((i % 7)) of job 4711\"; done | tee run.log",
    "grep -n 'step 3' run.log | tee found.txt; wc -l < found.txt > count.txt",
    "cat run.log",
    "sed -n 1,5p found.txt > head.txt; printf 'a\\tb\\n\\303\\251\\n' >> head.txt; cat found.txt head.txt",
]

CONFIG = """model = "scripted"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
supports_websockets = {websockets}
"""


def answer_events(request):
    """The events of the answer to a request, by how far the loop has come."""
    ids = [int(item["call_id"].removeprefix("call_")) for item in request["input"] if item["type"] == "function_call_output"]
    turn = max(ids, default=-1) + 1
    response = {"id": f"resp_{turn}", "usage": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}}
    yield {"type": "response.created", "response": response}
    if request.get("generate") is not False:  # else the client only warms the upstream up
        if turn < len(COMMANDS):
            item = {"type": "function_call", "call_id": f"call_{turn}", "name": "exec_command",
                    "arguments": json.dumps({"cmd": COMMANDS[turn]})}
        else:
            item = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]}
        yield {"type": "response.output_item.done", "item": item}
    yield {"type": "response.completed", "response": response}


def answer_http(request, send):
    line, _, body = request
    if not line.startswith("POST /v1/responses "):
        send(support.reply("{}", status="404 Not Found"))
        return
    send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
    for event in answer_events(json.loads(support.expanded(body))):
        text = f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
        send(b"%x\r\n%s\r\n" % (len(text), text))
    send(b"0\r\n\r\n")


class HttpUpstream(support.Upstream):
    def __init__(self):
        super().__init__(answer_http)

    def bodies(self):
        return [body for line, _, body in self.requests if line.startswith("POST ")]


class WebSocketUpstream:
    def __init__(self):
        try:
            import websockets
        except ImportError:
            support.not_checked("the Python package websockets is not installed")
        self.messages = []
        self.websockets = websockets
        self.loop = asyncio.new_event_loop()
        self.server = self.loop.run_until_complete(self.begin())
        self.url = f"http://127.0.0.1:{self.server.sockets[0].getsockname()[1]}"
        self.thread = threading.Thread(target=self.loop.run_forever)
        self.thread.start()

    async def begin(self):
        return await self.websockets.serve(self.serve, "127.0.0.1", 0, max_size=None)

    async def serve(self, socket):
        try:
            async for message in socket:
                self.messages.append(message.encode())
                for event in answer_events(json.loads(support.expanded(message.encode()))):
                    await socket.send(json.dumps(event))
        except self.websockets.ConnectionClosed:
            pass

    def bodies(self):
        return self.messages

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()


def items_of(bodies):
    """What the upstream was told, without what no two runs have in common: ids, times."""
    told = []
    for body in bodies:
        text = json.dumps([{name: value for name, value in item.items() if name != "id"} for item in json.loads(body)["input"]])
        text = re.sub(r"Chunk ID: \w+", "Chunk ID: -", text)
        told.append(re.sub(r"Wall time: [0-9.]+ seconds", "Wall time: - seconds", text))
    return told


class Codex(unittest.TestCase):
    def run_codex(self, folder, url, websockets):
        """The files that its tools wrote. The same paths each time: the CLI tells them to the model."""
        shutil.rmtree(folder, ignore_errors=True)
        home, work = folder / "home", folder / "work"
        home.mkdir(parents=True)
        work.mkdir()
        (home / "config.toml").write_text(CONFIG.format(url=url, websockets=str(websockets).lower()))
        closed = "http://127.0.0.1:9"  # whatever it would ask beside the upstream ends here
        environment = {"PATH": os.environ["PATH"], "HOME": str(home), "CODEX_HOME": str(home), "SCRIPTED_KEY": "key",
                       "HTTPS_PROXY": closed, "HTTP_PROXY": closed, "NO_PROXY": "127.0.0.1"}
        done = subprocess.run([PROGRAM, "exec", "--skip-git-repo-check", "--json", "do the work"], cwd=work, env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assertIn('"text":"done"', done.stdout)
        return {path.name: path.read_bytes() for path in work.iterdir()}

    def check(self, make_upstream, websockets):
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary) / "codex"
            with make_upstream() as direct:
                expected = self.run_codex(folder, direct.url, websockets)
            with make_upstream() as upstream, support.Proxy(upstream.url) as proxy:
                written = self.run_codex(folder, proxy.url, websockets)
        self.assertEqual(set(expected), {"run.log", "found.txt", "count.txt", "head.txt"})
        self.assertEqual(written, expected)
        sent, plain = upstream.bodies(), direct.bodies()
        self.assertEqual(items_of(support.expanded(body) for body in sent), items_of(plain))
        self.assertEqual(items_of(plain), items_of(support.expanded(body) for body in plain), "without the proxy nothing is compacted")
        self.assertNotEqual(items_of(sent), items_of(plain), "with it something is")
        self.assertLess(len(sent[-1]), len(plain[-1]))
        return sent

    def test_over_http_each_turn_begins_with_what_was_sent_before(self):
        sent = self.check(HttpUpstream, websockets=False)
        self.assertEqual(len(sent), len(COMMANDS) + 1)
        inputs = [json.loads(body)["input"] for body in sent]
        for before, after in zip(inputs, inputs[1:]):
            self.assertEqual(after[:len(before)], before)

    def test_over_a_websocket(self):
        sent = self.check(WebSocketUpstream, websockets=True)
        self.assertGreaterEqual(len(sent), len(COMMANDS) + 1)


if __name__ == "__main__":
    unittest.main()

"""What the tests with other people's clients share: the proxy as a process, and an upstream that they script.

A test that cannot run prints "not checked: WHY", which ctest shows as skipped.
"""
import json
import os
import shutil
import socket
import subprocess
import sys
import threading

BIN = os.environ["TARE_BIN_DIR"]


def not_checked(why):
    print(f"not checked: {why}")
    sys.exit(0)


def needed(program):
    found = shutil.which(program)
    return found or not_checked(f"{program} is not installed")


class Proxy:
    """`tare-proxy serve` on a port of the system's choice, until the end of the with block."""

    def __init__(self, upstream, *options):
        self.process = subprocess.Popen(
            [f"{BIN}/tare-proxy", "serve", "--listen", "127.0.0.1:0", "--upstream", upstream, *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()
        self.port = int(self.url.rsplit(":", 1)[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.log = self.process.communicate(timeout=60)[1]
        assert self.process.returncode == 0, f"the proxy ended with {self.process.returncode}: {self.log}"


def read_request(stream):
    """(request line, headers with names in lower case, body) or None at the end of the connection."""
    line = stream.readline()
    if not line:
        return None
    headers = {}
    while (field := stream.readline()) not in (b"\r\n", b""):
        name, _, value = field.decode("latin-1").partition(":")
        headers[name.lower()] = value.strip()
    if headers.get("expect") == "100-continue":
        stream.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        stream.flush()
    if headers.get("transfer-encoding") == "chunked":
        body = b""
        while size := int(stream.readline().split(b";")[0], 16):
            body += stream.read(size)
            stream.readline()
        while stream.readline() not in (b"\r\n", b""):
            pass
    else:
        body = stream.read(int(headers.get("content-length", 0)))
    return line.decode("latin-1").strip(), headers, body


class Upstream:
    """Keeps every request; `answer(request, send)` writes the response, as bytes, by send()."""

    def __init__(self, answer):
        self.answer = answer
        self.requests = []
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()

    def accept(self):
        while True:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(peer,), daemon=True).start()

    def serve(self, peer):
        with peer, peer.makefile("rwb") as stream:
            def send(text):
                stream.write(text)
                stream.flush()
            try:
                while request := read_request(stream):
                    self.requests.append(request)
                    if self.answer(request, send) == "close":
                        return
            except OSError:
                pass


def reply(body, status="200 OK", fields=""):
    body = body if isinstance(body, bytes) else body.encode()
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{fields}\r\n".encode() + body


def expanded(body, target="/v1/responses"):
    """The body as the client wrote it."""
    done = subprocess.run([f"{BIN}/tare-proxy", "expand", "--body", "--target", target], input=body,
                          capture_output=True, check=True, timeout=60)
    return done.stdout


def log_text(lines):
    return "".join(f"worker {i} finished step {i % 7} of job 4711 in {i * 3 % 50} ms\n" for i in range(lines))


def body_with_output(lines=200):
    item = {"type": "function_call_output", "call_id": "call_1", "output": log_text(lines)}
    return json.dumps({"model": "m", "input": [item]}, separators=(",", ":")).encode()

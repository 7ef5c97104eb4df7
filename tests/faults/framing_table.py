#!/usr/bin/env python3
"""What servers do with the cases of RFC 9112, from their real answers.

    tests/faults/framing_table.py            prints docs/framing.md: tare-proxy beside nginx and haproxy, where they are installed
    tests/faults/framing_table.py --check    fails unless docs/framing.md says of tare-proxy what it does (in the test suite)
"""
import contextlib
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("TARE_BIN_DIR", ROOT / "build/release/bin"))
TABLE = ROOT / "docs/framing.md"
CASES = json.loads((ROOT / "tests/integration/framing_cases.json").read_text())
SMUGGLED = b"GET /smuggled HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
# A server that waits for more of a request has taken it for one that is not whole.
# No row of ours is such a one, so a check may be patient with a busy machine.
PATIENCE_S = 30.0 if sys.argv[1:] == ["--check"] else 1.0


class Upstream:
    """Answers whatever comes and keeps it as bytes."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.seen = b""
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            peer, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(peer,), daemon=True).start()

    def serve(self, peer):
        text = b""
        with peer, contextlib.suppress(ConnectionError):
            while part := peer.recv(65536):
                self.seen += part
                text += part
                while (end := self.end_of_request(text)) is not None:
                    text = text[end:]
                    peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

    @staticmethod
    def end_of_request(text):
        head_end = text.find(b"\r\n\r\n")
        if head_end < 0:
            return None
        head = text[:head_end].lower()
        if b"\r\ntransfer-encoding:" in head:
            last = re.compile(rb"(?:^|\r\n)0+\r\n(?:[^\r\n]+\r\n)*\r\n").search(text, head_end + 2)
            return last.end() if last else None
        length = re.search(rb"\r\ncontent-length: *(\d+)", head)
        end = head_end + 4 + (int(length[1]) if length else 0)
        return end if end <= len(text) else None


def wait_for(port):
    for _ in range(1000):
        try:
            return socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.01)
    sys.exit(f"framing_table: nothing listens on {port}")


def start_tare(upstream, _folder):
    process = subprocess.Popen([BIN / "tare-proxy", "serve", "--listen", "127.0.0.1:0", "--upstream", f"http://127.0.0.1:{upstream}"],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return process, int(process.stdout.readline().rsplit(":", 1)[1]), "tare-proxy"


def start_other(name, command, upstream, folder):
    """With the configuration of the load cases."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    template = next((ROOT / "tests/load/arms" / name).glob("*.in")).read_text()
    config = folder / "config"
    for key, value in (("port", port), ("state", folder), ("upstream_address", f"127.0.0.1:{upstream}")):
        template = template.replace("{%s}" % key, str(value))
    config.write_text(template)
    process = subprocess.Popen([word.format(config=config, folder=folder) for word in command], stderr=subprocess.DEVNULL)
    wait_for(port)
    shown = subprocess.run([name, "-v"], capture_output=True, text=True)
    return process, port, f"{name} {re.search(r'[0-9]+[.][0-9.]+[0-9]', shown.stdout + shown.stderr)[0]}"


SERVERS = {
    "tare-proxy": start_tare,
    "nginx": lambda upstream, folder: start_other("nginx", ["nginx", "-e", "{folder}/error.log", "-p", "{folder}", "-c", "{config}"], upstream, folder),
    "haproxy": lambda upstream, folder: start_other("haproxy", ["haproxy", "-db", "-f", "{config}"], upstream, folder),
}


def answer_to(port, request):
    """The status of the first answer; None: none came."""
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.settimeout(PATIENCE_S)
        text = b""
        try:
            client.sendall(request)
            while part := client.recv(65536):
                text += part
        except (TimeoutError, ConnectionError):
            pass
    status = re.match(rb"HTTP/1\.[01] (\d+)", text)
    return status[1].decode() if status else None


def told(status, seen, fields):
    """In a few words: whether it was refused, or what went on to the upstream."""
    if not seen:
        return f"refused, {status}" if status else "refused without a word"
    if b"\r\n\r\n" not in seen or status is None:
        return "passed on in part"
    changed = "as it came" if fields.lower() in seen.lower() else "mended"
    if status != "200":
        return f"begun, then {status}"
    return f"passed on {changed}"


def peculiar_part(request):
    """What of the request is not to be found in another: all but Host and the framing of a server's own."""
    first_line, _, rest = request.partition(b"\r\n")
    rest = rest.replace(b"Host: localhost\r\n", b"", 1)
    return rest.strip(b"\r\n") or first_line


def results_of(start):
    upstream = Upstream()
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        process, port, title = start(upstream.port, pathlib.Path(folder))
        try:
            for case in CASES["refused"] + CASES["read"]:
                request = case["request"].encode("latin-1")
                upstream.seen = b""
                status = answer_to(port, request + SMUGGLED)
                seen = upstream.seen.replace(SMUGGLED.split(b"\r\n")[0], b"\0", 1)
                first = seen.partition(b"\0")[0]
                results[case["section"], case["what"]] = told(status, first, peculiar_part(request))
        finally:
            process.terminate()
            process.wait()
    return title, results


def rows(columns):
    yield "| section | case | " + " | ".join(title for title, _ in columns) + " |"
    yield "|---|---|" + "---|" * len(columns)
    for case in CASES["refused"] + CASES["read"]:
        key = case["section"], case["what"]
        yield f"| {key[0]} | {key[1]} | " + " | ".join(results[key] for _, results in columns) + " |"


def page(columns):
    return "\n".join([
        "# Framing",
        "What tare-proxy does with requests that RFC 9112 (or RFC 9110, where it says so) has an opinion on, and what nginx and haproxy do with",
        "their usual parsers. Made by `tests/faults/framing_table.py` from real answers to the cases in tests/integration/framing_cases.json; a test",
        "holds tare-proxy's column against the program. Each request is followed by another on the same connection.",
        "",
        "- *refused, STATUS*: answered by the server itself; the upstream has seen nothing.",
        "- *passed on as it came*, *mended*: the upstream got the peculiar part as the client sent it, or in a regular spelling or without it.",
        "- *begun, then STATUS*: a body that streams through was begun and cut; the upstream has seen no end of it.",
        "- *passed on in part*: the server waits for more, or ended without an answer.",
        "",
        *rows(columns), ""])


def check():
    _, results = results_of(start_tare)
    documented = {}
    for line in TABLE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) >= 3:
            documented[cells[0], cells[1]] = cells[2]
    wrong = [f"{key}: {text}, documented: {documented.get(key)}" for key, text in results.items() if documented.get(key) != text]
    gone = {key for key in documented if key[0] and not set(key[0]) <= {"-", ":"}} - set(results)
    wrong += [f"{key}: documented, but no case" for key in gone if key[1] != "case"]
    sys.exit("\n".join(wrong) or print(f"{len(results)} cases are as documented"))


if sys.argv[1:] == ["--check"]:
    check()
print(page([results_of(start) for name, start in SERVERS.items() if name == "tare-proxy" or shutil.which(name)]), end="")

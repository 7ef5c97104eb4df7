"""h2load as a client: thousands of requests, each answered, each counted once."""
import json
import re
import subprocess
import tempfile
import time
import unittest
import urllib.request

import support

H2LOAD = support.needed("h2load")
REQUESTS = 3000


def all_counted(admin):
    """What the proxy has counted. A request is counted once its answer has been sent, so the last ones may lag behind h2load."""
    for _ in range(1000):
        with urllib.request.urlopen(f"{admin}/stats") as answer:
            counted = json.load(answer)
        if sum(counted["endings"].values()) >= REQUESTS:
            break
        time.sleep(0.01)
    return counted


class H2load(unittest.TestCase):
    def load(self, body, connections, *options):
        with support.Upstream(lambda request, send: send(support.reply("{}"))) as upstream, \
                tempfile.NamedTemporaryFile() as file:
            file.write(body)
            file.flush()
            with support.Proxy(upstream.url, "--admin", "127.0.0.1:0", *options) as proxy:
                admin = re.search(r"http://[0-9.:]+", proxy.process.stderr.readline())[0]
                shown = subprocess.run([H2LOAD, "--h1", "-n", str(REQUESTS), "-c", str(connections), "-d", file.name,
                                        "-H", "Content-Type: application/json", f"{proxy.url}/v1/responses"],
                                       capture_output=True, text=True, timeout=300, check=True).stdout
                counted = all_counted(admin)
        self.assertIn(f"{REQUESTS} done, {REQUESTS} succeeded, 0 failed, 0 errored, 0 timeout", shown)
        self.assertEqual(counted["endings"]["answered"], REQUESTS)
        self.assertEqual(len(upstream.requests), REQUESTS)
        return upstream.requests

    def test_every_request_is_answered_and_rewritten_alike(self):
        body = support.body_with_output()
        sent = {request[2] for request in self.load(body, 20)}
        self.assertEqual(len(sent), 1, "the same text gives the same bytes")
        self.assertEqual(support.expanded(sent.pop()), body)

    def test_more_connections_than_are_served_at_a_time(self):
        self.load(b"{}", 40, "--max-connections", "10", "--forward-only")

    def test_several_event_loops(self):
        self.load(support.body_with_output(), 20, "--threads", "3")


if __name__ == "__main__":
    unittest.main()

"""curl as a client: what its users do with an API, through tare-proxy."""
import gzip
import subprocess
import tempfile
import unittest

import support

CURL = support.needed("curl")


def curl(*arguments, data=None):
    """(exit code, stdout as bytes)"""
    done = subprocess.run([CURL, "-sS", "--max-time", "60", *arguments], input=data, capture_output=True, timeout=120)
    return done.returncode, done.stdout


def answer(request, send):
    line = request[0]
    if "/stream" in line:
        send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n")
        for i in range(3):
            send(b"a\r\ndata: %d..\n\r\n" % i)
        send(b"0\r\nX-Sum: 3\r\n\r\n")
    elif "/cut" in line:
        send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n5\r\ndata:\r\n")
        return "close"
    elif "/short" in line:
        send(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
        return "close"
    elif "/zipped" in line:
        send(support.reply(gzip.compress(b"packed"), fields="Content-Encoding: gzip\r\n"))
    elif "/full" in line:
        send(support.reply('{"error":{"type":"rate_limit"}}', status="429 Too Many Requests", fields="Retry-After: 7\r\n"))
    elif line.startswith("HEAD "):
        send(b"HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n")
    else:
        send(support.reply(request[2] or b"ok"))
    return None


class Curl(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.upstream = cls.enterClassContext(support.Upstream(answer))
        cls.proxy = cls.enterClassContext(support.Proxy(cls.upstream.url))
        cls.url = cls.proxy.url

    def last(self):
        return self.upstream.requests[-1]

    def test_a_body_is_compacted_and_comes_back_exactly(self):
        body = support.body_with_output()
        code, sent = curl("--data-binary", "@-", f"{self.url}/v1/responses", data=body)
        self.assertEqual(code, 0)
        self.assertLess(len(sent), len(body) / 2)
        self.assertEqual(support.expanded(sent), body)

    def test_large_uploads_that_wait_to_be_asked_for(self):
        body = b'{"input":"' + b"x" * 3_000_000 + b'"}'
        for path in ("/v1/responses", "/v1/files"):
            code, sent = curl("-H", "Expect: 100-continue", "--data-binary", "@-", self.url + path, data=body)
            self.assertEqual((code, sent), (0, body))

    def test_uploads_without_a_length(self):
        body = support.body_with_output()
        with tempfile.NamedTemporaryFile() as file:
            file.write(body)
            file.flush()
            code, sent = curl("-X", "POST", "-H", "Transfer-Encoding: chunked", "-T", file.name, f"{self.url}/v1/responses")
            self.assertEqual(code, 0)
            self.assertEqual(support.expanded(sent), body)
            code, sent = curl("-X", "POST", "-H", "Transfer-Encoding: chunked", "-T", file.name, f"{self.url}/v1/files")
            self.assertEqual((code, sent), (0, body))

    def test_a_packed_body_stays_packed(self):
        body = support.body_with_output()
        code, sent = curl("-H", "Content-Encoding: gzip", "--data-binary", "@-", f"{self.url}/v1/responses", data=gzip.compress(body))
        self.assertEqual(code, 0)
        self.assertEqual(support.expanded(gzip.decompress(sent)), body)

    def test_a_stream_and_its_trailers(self):
        code, text = curl("-N", "-d", "{}", f"{self.url}/v1/stream")
        self.assertEqual((code, text), (0, b"data: 0..\ndata: 1..\ndata: 2..\n"))
        self.assertIn(b"X-Sum: 3\r\n", curl("-N", "-d", "{}", "-D", "-", f"{self.url}/v1/stream")[1])

    def test_a_cut_stream_is_an_error(self):
        code, text = curl("-N", "-d", "{}", f"{self.url}/v1/cut")
        self.assertEqual(text, b"data:")
        self.assertIn(code, (18, 56), "curl must not take a cut stream for a whole one")
        self.assertIn(curl(f"{self.url}/v1/short")[0], (18, 56))

    def test_a_packed_answer(self):
        self.assertEqual(curl("--compressed", f"{self.url}/v1/zipped"), (0, b"packed"))

    def test_an_error_of_the_api_passes(self):
        code, text = curl("-D", "-", f"{self.url}/v1/full")
        self.assertEqual(code, 0)
        self.assertIn(b"429 Too Many Requests\r\n", text)
        self.assertIn(b"Retry-After: 7\r\n", text)
        self.assertTrue(text.endswith(b'{"error":{"type":"rate_limit"}}'))

    def test_head_and_old_and_new_versions(self):
        code, head = curl("-I", f"{self.url}/v1/models")
        self.assertEqual(code, 0)
        self.assertIn(b"Content-Length: 1234\r\n", head)
        self.assertEqual(curl("--http1.0", f"{self.url}/v1/models"), (0, b"ok"))
        self.assertEqual(curl("--http2", f"{self.url}/v1/models"), (0, b"ok"), "an upgrade to h2c is not taken up")

    def test_one_connection_for_several_requests(self):
        url = f"{self.url}/v1/models"
        code, counts = curl("-o", "/dev/null", "-o", "/dev/null", "-o", "/dev/null", "-w", "%{num_connects}", url, url, url)
        self.assertEqual((code, counts), (0, b"100"))

    def test_a_client_cannot_choose_the_upstream(self):
        for arguments in (["--path-as-is", f"{self.url}//other.example/v1"], ["-x", self.url, "http://other.example/v1"],
                          ["--request-target", "\\\\other.example", self.url], ["-H", "Host: other.example", self.url]):
            before = len(self.upstream.requests)
            code, status = curl("-o", "/dev/null", "-w", "%{http_code}", *arguments)
            self.assertIn((code, status), ((0, b"400"), (0, b"403")), arguments)
            self.assertEqual(len(self.upstream.requests), before)


if __name__ == "__main__":
    unittest.main()

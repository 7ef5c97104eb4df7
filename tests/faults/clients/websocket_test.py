"""A Python WebSocket client and server with tare-proxy between them."""
import asyncio
import json
import unittest

import support

try:
    import websockets
except ImportError:
    support.not_checked("the Python package websockets is not installed")

PATH = "/v1/responses"


async def echo(socket):
    """Says what was agreed on, then gives back what it gets; "close CODE" closes."""
    await socket.send(json.dumps({"extensions": socket.request_headers.get("Sec-WebSocket-Extensions"),
                                  "protocol": socket.subprotocol}))
    try:
        async for message in socket:
            if isinstance(message, str) and message.startswith("close "):
                await socket.close(int(message[6:]), "as asked")
            else:
                await socket.send(message)
    except websockets.ConnectionClosed:
        pass


class WebSocket(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        server = await websockets.serve(echo, "127.0.0.1", 0, max_size=None, subprotocols=["api"])
        self.addAsyncCleanup(server.wait_closed)
        self.addCleanup(server.close)
        port = server.sockets[0].getsockname()[1]
        self.proxy = self.enterContext(support.Proxy(f"http://127.0.0.1:{port}"))

    def connect(self):
        return websockets.connect(f"ws://127.0.0.1:{self.proxy.port}{PATH}", max_size=None, subprotocols=["api"])

    async def test_messages_of_all_kinds_come_back(self):
        async with self.connect() as socket:
            agreed = json.loads(await socket.recv())
            self.assertEqual(agreed, {"extensions": None, "protocol": "api"}, "compression is not offered to the upstream")
            self.assertEqual(socket.extensions, [])
            for message in ("short", "", "\u00e9" * 3000, "x" * 2_000_000, b"\0\xff" * 70_000, b""):
                await socket.send(message)
                self.assertEqual(await socket.recv(), message)
            await socket.send(["in ", "three ", "fragments"])
            self.assertEqual(await socket.recv(), "in three fragments")
            await asyncio.wait_for(await socket.ping(), 60)

    async def test_each_request_for_a_response_is_compacted(self):
        async with self.connect() as socket:
            await socket.recv()
            for lines in (200, 3000, 200):
                asked = json.dumps({"type": "response.create", **json.loads(support.body_with_output(lines))}, separators=(",", ":"))
                await socket.send(asked)
                sent = await socket.recv()
                self.assertLess(len(sent), len(asked) / 2)
                self.assertEqual(support.expanded(sent.encode()).decode(), asked)

    async def test_close_codes_pass_both_ways(self):
        socket = await self.connect()
        await socket.recv()
        await socket.send("close 4711")
        await socket.wait_closed()
        self.assertEqual((socket.close_code, socket.close_reason), (4711, "as asked"))
        socket = await self.connect()
        await socket.recv()
        await socket.close(4001, "enough")
        self.assertEqual(socket.close_code, 4001)

    async def test_a_stopping_proxy_says_so(self):
        socket = await self.connect()
        await socket.recv()
        self.proxy.process.terminate()
        await asyncio.wait_for(socket.wait_closed(), 60)
        self.assertEqual(socket.close_code, 1001, "going away")


if __name__ == "__main__":
    unittest.main()

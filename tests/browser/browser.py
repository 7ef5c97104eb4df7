"""A headless Chromium, driven over its DevTools protocol by pipe: no port, no package."""

import base64
import contextlib
import json
import os
import shutil
import subprocess
import tempfile


def program():
    return next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)


class Page:
    def __init__(self, folder):
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()

        def place_pipes():  # where --remote-debugging-pipe looks for them
            read, write = os.dup(to_browser), os.dup(from_browser)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self._process = subprocess.Popen(
            [program(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--remote-debugging-pipe", f"--user-data-dir={folder}", "about:blank"],
            preexec_fn=place_pipes, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self._next = 0
        self._text = b""
        self.events = []
        self._session = None
        target = next(one for one in self.call("Target.getTargets")["targetInfos"] if one["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def _message(self):
        while b"\0" not in self._text:
            part = os.read(self._in, 1 << 20)
            if not part:
                raise RuntimeError("the browser ended")
            self._text += part
        message, _, self._text = self._text.partition(b"\0")
        return json.loads(message)

    def call(self, method, **parameters):
        self._next += 1
        command = {"id": self._next, "method": method, "params": parameters}
        if self._session:
            command["sessionId"] = self._session
        os.write(self._out, json.dumps(command).encode() + b"\0")
        while True:
            message = self._message()
            if message.get("id") == self._next:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            self.events.append(message)

    def open(self, url):
        self.events.clear()
        self.call("Page.navigate", url=url)
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._message())

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']['exception'].get('description')}")
        return result["result"].get("value")

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)

    def scheme(self, name):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def picture(self, path, whole=True):
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))

    def close(self):
        with contextlib.suppress(Exception):
            self._session = None
            self.call("Browser.close")
        self._process.wait(timeout=20)


@contextlib.contextmanager
def page():
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        one = Page(folder)
        try:
            yield one
        finally:
            one.close()

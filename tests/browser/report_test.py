#!/usr/bin/env python3
"""The HTML report in a real browser: report_test.py TARE MAKE_RUN [PICTURES]

Made run folders are reported, opened in the distribution's Chromium without a network, looked at and clicked: nothing is
fetched, no script fails, tables are sorted by their buttons, the switch changes the colours, nothing is wider than the
window, words can be told from their background. PICTURES: a folder for screenshots.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

import browser

CONTRAST = """(() => {
  const parts = colour => colour.match(/[\\d.]+/g).slice(0, 3).map(v => { v /= 255; return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; });
  const light = colour => { const [r, g, b] = parts(colour); return .2126 * r + .7152 * g + .0722 * b; };
  const page = light(getComputedStyle(document.body).backgroundColor);
  const low = [];
  for (const one of document.querySelectorAll('p, td, th, figcaption, a, .verdict, li')) {
    const own = light(getComputedStyle(one).color);
    const ratio = (Math.max(own, page) + .05) / (Math.min(own, page) + .05);
    if (ratio < 4.5) low.push(one.className + ' ' + one.tagName + ' ' + ratio.toFixed(2));
  }
  return [...new Set(low)];
})()"""


def check(what, good):
    if not good:
        sys.exit(f"report_test: {what}")


def report(tare, folder, out):
    subprocess.run([tare, "report", folder, "--format", "html", "--output", out], check=True)


def check_page(page, path, pictures, name):
    text = pathlib.Path(path).read_text()
    # Outputs that are quoted may name addresses: what counts is what a browser would load.
    styles = " ".join(re.findall(r"<style>.*?</style>", text, re.DOTALL) + re.findall(r'style="[^"]*"', text))
    outside = re.findall(r"<[a-z][^<>]*\s(?:src|srcset|href|action|data|poster|xmlns)=\"(?!#)[^\"]*", text) + re.findall(r"@import|url\(", styles)
    check(f"{name}: refers to something outside: {outside[:1]}", not outside)
    for width in (1280, 390):
        for scheme in ("light", "dark"):
            page.size(width, 900)
            page.scheme(scheme)
            page.open(f"file://{path}")
            check(f"{name}: wider than a window of {width}", page.value("document.documentElement.scrollWidth") <= width)
            low = page.value(CONTRAST)
            check(f"{name}, {scheme}: words of too little contrast: {low}", not low)
            if pictures:
                page.picture(pathlib.Path(pictures) / f"{name}-{width}-{scheme}.png")
    fetched = [event["params"]["request"]["url"] for event in page.events if event.get("method") == "Network.requestWillBeSent"]
    check(f"{name}: fetched {fetched}", all(url.startswith("file://") for url in fetched))
    wrong = [event for event in page.events if event.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded")]
    check(f"{name}: {wrong}", not wrong)
    check(f"{name}: a table without a caption", page.value("[...document.querySelectorAll('table')].every(t => t.caption && t.caption.textContent)"))
    check(f"{name}: a head without a scope", page.value("[...document.querySelectorAll('th')].every(h => h.scope === 'col' || h.scope === 'row')"))
    check(f"{name}: a picture without a title", page.value("[...document.querySelectorAll('svg')].every(s => s.querySelector('title').textContent)"))
    check(f"{name}: a link that leads nowhere", page.value("[...document.querySelectorAll('nav a')].every(a => document.querySelector(a.getAttribute('href')))"))


def check_sorting(page):
    column = "[...t.tBodies[0].rows].map(r => r.cells[h.cellIndex].textContent)"
    find = "const h = [...document.querySelectorAll('th.number')].find(h => h.textContent.startsWith('mean ms')); const t = h.closest('table');"

    def numbers():
        return [float(cell.replace(",", "")) for cell in page.value(f"(() => {{ {find} return {column}; }})()")]

    before = numbers()
    page.value(f"(() => {{ {find} h.querySelector('button').click(); }})()")
    check("not sorted upwards", numbers() == sorted(before))
    page.value(f"(() => {{ {find} h.querySelector('button').click(); }})()")
    check("not sorted downwards", numbers() == sorted(before, reverse=True))
    check("the sorting is not told", page.value(f"(() => {{ {find} return h.getAttribute('aria-sort'); }})()") == "descending")


def check_switch(page):
    page.scheme("light")
    colour = "getComputedStyle(document.body).backgroundColor"
    seen = [page.value(colour)]
    for _ in range(3):
        page.value("document.getElementById('theme').click()")
        seen.append(page.value(colour))
    check(f"the switch gives {seen}", seen[0] == seen[1] == seen[3] != seen[2])


def main():
    if browser.program() is None:
        print("not checked: Chromium is not installed")
        return
    tare, make_run, *pictures = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder, browser.page() as page:
        sliced = pathlib.Path(folder) / "sliced.html"
        subprocess.run([make_run, f"{folder}/run"], check=True)
        report(tare, f"{folder}/run", sliced)
        check_page(page, sliced, pictures and pictures[0], "sliced")
        check("no picture for a metric", page.value("document.querySelectorAll('svg').length") >= 4 + 8 + 4 + 2 + 1)
        check("no verdict", page.value("document.querySelectorAll('.verdict.better, .verdict.worse').length") > 0)
        check_sorting(page)
        check_switch(page)
        for run in sorted((pathlib.Path(__file__).resolve().parents[2] / "data/sample-run").iterdir()):
            if not run.is_dir():
                continue
            made = pathlib.Path(folder) / f"{run.name}.html"
            report(tare, run, made)
            check_page(page, made, pictures and pictures[0], run.name)
    print("report_test: fine")


main()

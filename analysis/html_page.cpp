#include "analysis/html_page.h"

namespace tare::analysis::html {

// Colours are variables, set for light, for dark where the reader's system is dark, and for what
// the switch says. Arm colours keep 3 : 1 against the page in both.
const std::string_view style = R"css(
:root {
  color-scheme: light dark;
  --page: #ffffff; --panel: #f6f7f9; --text: #1b1f24; --soft: #57606a; --rule: #d5dae1; --accent: #0b62b8;
  --good: #12703c; --bad: #b3261e; --even: #0b62b8; --small: #6b4fa0; --open: #6e5a00;
  --c0: #6b7280; --c1: #0b62b8; --c2: #3f9bd8; --c3: #12803f; --c4: #c2410c; --c5: #8b3fb0; --c6: #a16207; --c7: #be185d;
}
@media (prefers-color-scheme: dark) {
  :root:not([data-theme="light"]) {
    --page: #14171c; --panel: #1d2129; --text: #e6e9ee; --soft: #a3adba; --rule: #343b46; --accent: #78b7f5;
    --good: #5fce8e; --bad: #ff8a80; --even: #78b7f5; --small: #c4a8f5; --open: #e2c35a;
    --c0: #9ca3af; --c1: #6cb0f5; --c2: #a8d8f8; --c3: #5fce8e; --c4: #ff9a5c; --c5: #d59cf5; --c6: #e2c35a; --c7: #ff8fb8;
  }
}
:root[data-theme="dark"] {
  color-scheme: dark;
  --page: #14171c; --panel: #1d2129; --text: #e6e9ee; --soft: #a3adba; --rule: #343b46; --accent: #78b7f5;
  --good: #5fce8e; --bad: #ff8a80; --even: #78b7f5; --small: #c4a8f5; --open: #e2c35a;
  --c0: #9ca3af; --c1: #6cb0f5; --c2: #a8d8f8; --c3: #5fce8e; --c4: #ff9a5c; --c5: #d59cf5; --c6: #e2c35a; --c7: #ff8fb8;
}
:root[data-theme="light"] { color-scheme: light; }
* { box-sizing: border-box; }
html { scroll-padding-top: 3.5rem; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
header.bar { position: sticky; top: 0; z-index: 2; display: flex; gap: 1rem; align-items: center; padding: .45rem 1.25rem; background: var(--page); border-bottom: 1px solid var(--rule); }
header.bar nav { flex: 1; display: flex; gap: 1.1rem; overflow-x: auto; scrollbar-width: none; white-space: nowrap; font-size: .875rem; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
button { font: inherit; color: inherit; cursor: pointer; }
#theme { flex: none; padding: .2rem .7rem; font-size: .875rem; border: 1px solid var(--rule); border-radius: 6px; background: var(--panel); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
main { max-width: 84rem; margin: 0 auto; padding: 1.25rem; }
main > p, main > ul { max-width: 70rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: .6rem 0 1rem; }
h2 { font-size: 1.25rem; margin: 2.6rem 0 .8rem; padding-bottom: .25rem; border-bottom: 1px solid var(--rule); }
h3 { font-size: 1.02rem; margin: 1.8rem 0 .6rem; }
code { font: .9em ui-monospace, "DejaVu Sans Mono", Consolas, monospace; background: var(--panel); padding: .1em .3em; border-radius: 4px; overflow-wrap: anywhere; }
li, p { overflow-wrap: anywhere; }
pre { max-width: 70rem; overflow-x: auto; margin: .6rem 0; padding: .6rem .8rem; border: 1px solid var(--rule); border-radius: 8px; background: var(--panel); font: .8rem/1.45 ui-monospace, "DejaVu Sans Mono", Consolas, monospace; }
.table { overflow-x: auto; margin: .8rem 0 1.2rem; border: 1px solid var(--rule); border-radius: 8px; }
table { border-collapse: collapse; width: 100%; font-size: .855rem; }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
th, td { padding: .38rem .7rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--rule); }
tbody tr:last-child > * { border-bottom: 0; }
tbody tr:hover { background: var(--panel); }
thead th { background: var(--panel); vertical-align: bottom; }
tbody th { font-weight: 500; white-space: nowrap; }
tbody th, thead th:first-child { position: sticky; left: 0; } tbody th { background: var(--page); }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.short { white-space: nowrap; }
.sort { border: 0; padding: 0; background: none; font-weight: 600; text-align: inherit; }
.sort::after { content: "\2195"; margin-left: .3em; color: var(--soft); opacity: .55; }
[aria-sort="ascending"] .sort::after { content: "\2191"; opacity: 1; }
[aria-sort="descending"] .sort::after { content: "\2193"; opacity: 1; }
.verdict { font-weight: 600; white-space: nowrap; }
.better, .holds { color: var(--good); } .worse, .does-not-hold { color: var(--bad); } .equivalent { color: var(--even); }
.different-but-small { color: var(--small); } .inconclusive, .no-win { color: var(--open); }
figure { margin: 1rem 0 1.4rem; }
figcaption { font-size: .855rem; color: var(--soft); margin-top: .3rem; max-width: 62rem; }
.picture { overflow-x: auto; border: 1px solid var(--rule); border-radius: 8px; padding: .5rem; }
.picture svg { display: block; width: 100%; min-width: 46rem; height: auto; }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 30rem), 1fr)); gap: 0 1.2rem; }
.grid figure { margin: .5rem 0; min-width: 0; }
.grid .picture svg { min-width: 24rem; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; padding: 0; margin: .4rem 0; font-size: .875rem; }
.swatch { display: inline-block; width: .8em; height: .8em; border-radius: 2px; margin-right: .4em; background: currentColor; }
svg text { font-size: 12px; fill: var(--text); }
svg .tick { fill: var(--soft); font-size: 11.5px; font-variant-numeric: tabular-nums; }
svg .middle { text-anchor: middle; } svg .end { text-anchor: end; }
svg .grid { stroke: var(--rule); stroke-width: 1; } svg .zero { stroke: var(--text); stroke-width: 1.2; }
svg .band { fill: var(--soft); opacity: .16; }
svg .mark { stroke: currentColor; fill: currentColor; } svg .mark.thick { stroke-width: 3.5; } svg .mark.thin { stroke-width: 1; }
svg .verdict-text { fill: currentColor; font-weight: 600; }
svg .join { fill: none; stroke: var(--soft); stroke-width: 1; opacity: .5; } svg .join:hover { stroke: var(--text); opacity: 1; stroke-width: 2; }
svg .curve { fill: none; stroke: currentColor; stroke-width: 1.8; } svg .dot { fill: currentColor; }
.neutral { color: var(--soft); } .discarded { color: var(--bad); } .none { color: var(--soft); }
.c0 { color: var(--c0); } .c1 { color: var(--c1); } .c2 { color: var(--c2); } .c3 { color: var(--c3); }
.c4 { color: var(--c4); } .c5 { color: var(--c5); } .c6 { color: var(--c6); } .c7 { color: var(--c7); }
@media (max-width: 40rem) { body { font-size: 15px; } main { padding: .8rem; } header.bar { padding: .4rem .8rem; } h1 { font-size: 1.3rem; } }
@media print { header.bar { display: none; } .table, .picture, pre { overflow: visible; } }
)css";

// A table is sorted by the numbers in the column, where it has any; else by its words. What has no
// number comes last either way. The switch goes through the system's choice, light and dark.
const std::string_view script = R"js(
'use strict';
function numberIn(text) {
  const found = text.replace(/,/g, '').match(/[-+]?\d+(\.\d+)?/);
  return found ? parseFloat(found[0]) : NaN;
}
function sortBy(button) {
  const head = button.closest('th');
  const body = head.closest('table').tBodies[0];
  const column = head.cellIndex;
  const ascending = head.getAttribute('aria-sort') !== 'ascending';
  const numeric = head.classList.contains('number');
  const text = row => row.cells[column].textContent.trim();
  const rows = Array.from(body.rows);
  rows.sort((one, other) => {
    if (!numeric) return ascending ? text(one).localeCompare(text(other)) : text(other).localeCompare(text(one));
    const a = numberIn(text(one)), b = numberIn(text(other));
    if (isNaN(a) || isNaN(b)) return isNaN(a) - isNaN(b);
    return ascending ? a - b : b - a;
  });
  for (const other of head.parentNode.cells) other.removeAttribute('aria-sort');
  head.setAttribute('aria-sort', ascending ? 'ascending' : 'descending');
  body.append(...rows);
}
const themes = ['system', 'light', 'dark'];
const theme = document.getElementById('theme');
theme.addEventListener('click', () => {
  const next = themes[(themes.indexOf(document.documentElement.dataset.theme || 'system') + 1) % themes.length];
  if (next === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  theme.textContent = 'Colours: ' + next;
});
for (const button of document.querySelectorAll('.sort')) button.addEventListener('click', () => sortBy(button));
)js";

}  // namespace tare::analysis::html

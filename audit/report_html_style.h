// How the HTML report looks.
#pragma once

namespace kwker::audit {

// Colours of the sides are told apart without seeing colour, too: by lightness.
inline constexpr char kHtmlStyle[] = R"(
:root { color-scheme: light dark; --ink: #1d2129; --dim: #5d6572; --line: #d8dce3; --page: #fff;
  --a: #8a93a3; --b: #0b66c3; --good: #14733a; --bad: #b3261e; --doubt: #8a5a00; --wash: #eef2f8; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ef; --dim: #9aa3b2; --line: #363d49; --page: #14171c;
    --a: #7c8596; --b: #6cb2ff; --good: #63c98a; --bad: #ff8a80; --doubt: #e5b04c; --wash: #27303c; }
}
@media print {
  :root { --ink: #000; --dim: #444; --line: #bbb; --page: #fff; --a: #888; --b: #0b4f97;
    --good: #0d5a2c; --bad: #96160f; --doubt: #6b4600; --wash: #f2f2f2; }
  section, svg { break-inside: avoid; }
  body { margin: 0; }
}
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page);
  max-width: 860px; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.3; margin: 0 0 .5rem; }
h1 span { display: block; }
h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
.good { color: var(--good); } .bad { color: var(--bad); } .doubt { color: var(--doubt); }
.dim, p.subject { color: var(--dim); }
code, pre { font: 13px/1.5 ui-monospace, monospace; }
pre { background: var(--wash); padding: .75rem; overflow-x: auto; white-space: pre-wrap; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { color: var(--dim); font-weight: normal; }
th, td { text-align: right; padding: .25rem .5rem; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child, td.text, th.text { text-align: left; }
div.wide { overflow-x: auto; }
svg { width: 100%; height: auto; font: 12px system-ui, sans-serif; }
svg text { fill: var(--dim); } svg text.label { fill: var(--ink); }
svg .end { text-anchor: end; } svg .middle { text-anchor: middle; }
svg line { stroke: var(--line); } svg line.axis { stroke: var(--dim); }
svg line.join { stroke: var(--line); stroke-width: 2; }
svg line.interval { stroke: var(--b); stroke-width: 2; }
svg .a { fill: var(--a); } svg .b { fill: var(--b); }
svg rect.band, svg rect.within { fill: var(--wash); }
p.key { color: var(--dim); margin: 0; }
p.key i { display: inline-block; width: .7em; height: .7em; border-radius: 50%; margin: 0 .35em 0 1em; }
i.a { background: var(--a); } i.b { background: var(--b); }
li { margin: .2rem 0; }
footer { color: var(--dim); font-size: .85rem; margin-top: 2rem; }
)";

}  // namespace kwker::audit

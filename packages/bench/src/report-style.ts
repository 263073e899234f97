/** The style of the report's page: one column, system fonts, light and dark by the reader's setting. */
export const reportStyle = `
:root {
  color-scheme: light dark;
  --page: #fbfaf8; --panel: #ffffff; --ink: #1d2026; --muted: #5d6470; --faint: #c3c7ce; --rule: #e4e3df; --accent: #2f5fb3; --on-accent: #ffffff;
  --series-1: #1f5fbf; --series-2: #c8501e; --series-3: #1d8a5f; --series-4: #8a4fc4; --series-5: #b3871a; --series-6: #c2366f; --series-7: #24899c; --series-8: #6b5b4b;
  --heat-0: #edf3ee; --heat-1: #fdf0d2; --heat-2: #f9d89a; --heat-3: #f2ac66; --heat-4: #d9653f; --heat-5: #a3282f; --on-heat-light: #1d2026; --on-heat-dark: #ffffff;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14171c; --panel: #1b1f26; --ink: #e6e8ec; --muted: #a0a8b5; --faint: #4d5461; --rule: #2b313b; --accent: #7aa5f0; --on-accent: #10141a;
    --series-1: #7aa9ff; --series-2: #ff9a63; --series-3: #55cf9c; --series-4: #c79bff; --series-5: #e8c15a; --series-6: #ff86b3; --series-7: #5fcadb; --series-8: #c9b59d;
    --heat-0: #1f2b26; --heat-1: #3a3320; --heat-2: #5c4a1f; --heat-3: #8a5a26; --heat-4: #d0693f; --heat-5: #ef5f62; --on-heat-light: #e6e8ec; --on-heat-dark: #14171c;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-behavior: smooth; }
body { margin: 0 auto; max-width: 1136px; padding: 2.5rem 1.5rem 3rem; background: var(--page); color: var(--ink); font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
h1 { font-size: 2rem; line-height: 1.15; letter-spacing: -.02em; margin: 0 0 .6rem; }
h2 { font-size: 1.25rem; line-height: 1.3; letter-spacing: -.01em; margin: 0 0 .25rem; }
.lead { font-size: 1.1rem; max-width: 46rem; margin: 0; }
.made { color: var(--muted); font-size: .85rem; margin: .5rem 0 0; }
nav { display: flex; flex-wrap: wrap; gap: .5rem; margin: 1.25rem 0 0; }
nav a { color: var(--ink); text-decoration: none; font-size: .85rem; padding: .25rem .7rem; border: 1px solid var(--rule); border-radius: 99px; background: var(--panel); }
nav a:hover { border-color: var(--accent); color: var(--accent); }
a:focus-visible, .scroll:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
section { margin: 2.75rem 0 0; scroll-margin-top: 1rem; }
.note { color: var(--muted); max-width: 46rem; margin: 0 0 1rem; font-size: .93rem; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .35rem 1.1rem; margin: 0 0 .9rem; padding: 0; font-size: .85rem; }
.legend li { display: inline-flex; align-items: center; gap: .45rem; }
.figures { display: grid; gap: 1.25rem; grid-template-columns: repeat(var(--columns), minmax(0, 1fr)); }
figure { margin: 0; min-width: 0; padding: 1rem 1.1rem; background: var(--panel); border: 1px solid var(--rule); border-radius: 10px; }
figcaption { font-weight: 600; font-size: .93rem; margin: 0 0 .5rem; }
figure svg { display: block; width: 100%; height: auto; color: var(--ink); }
.tablet, .phone { display: none; }
.scroll { overflow-x: auto; overscroll-behavior-x: contain; border-radius: 6px; }
.scroll > svg { min-width: var(--least); max-width: var(--least); margin: 0 auto; }
section > .scroll { background: var(--panel); border: 1px solid var(--rule); border-radius: 10px; }
table { border-collapse: separate; border-spacing: 0; width: 100%; font-size: .86rem; font-variant-numeric: tabular-nums; }
th, td { padding: .36rem .8rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--rule); }
thead th { color: var(--muted); font-weight: 600; font-size: .8rem; vertical-align: bottom; }
tbody th { font-weight: 500; }
tr > :first-child { text-align: left; position: sticky; left: 0; background: var(--panel); }
tbody tr:last-child > * { border-bottom: 0; }
tbody tr:hover > * { background: color-mix(in srgb, var(--accent) 8%, var(--panel)); }
footer { color: var(--muted); font-size: .85rem; margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--rule); }
@media (max-width: 1100px) {
  .figures { grid-template-columns: repeat(min(2, var(--columns)), minmax(0, 1fr)); }
  .desk { display: none; }
  .tablet { display: block; }
}
@media (max-width: 680px) {
  body { padding: 1.5rem 1rem 2rem; }
  h1 { font-size: 1.6rem; }
  .lead { font-size: 1rem; }
  figure { padding: .8rem .6rem; }
  .figures { grid-template-columns: minmax(0, 1fr); }
  .tablet { display: none; }
  .phone { display: block; }
  th, td { padding: .34rem .6rem; }
  tr > :first-child { min-width: 8.5rem; max-width: 11rem; white-space: normal; }
}
@media print {
  body { max-width: none; padding: 0; }
  nav { display: none; }
  section { break-inside: avoid; }
}
`;

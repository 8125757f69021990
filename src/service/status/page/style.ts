/** Style for light and dark, as the reader's system asks, from a width of 320 px. Plain CSS. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #f6f7f9; --card: #ffffff; --ink: #1b2430; --dim: #566273; --line: #dde2e9; --link: #0b57d0;
  --red: #b3261e; --red-soft: #fdecea; --amber: #7a4f00; --amber-soft: #fff3d6; --blue: #1a4f8f; --blue-soft: #e5effb;
  --green: #17693a; --green-soft: #e3f4e9; --grey-soft: #eaedf1; --violet: #5b3a94; --violet-soft: #f0e9fb;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #11161d; --card: #1a212b; --ink: #e6ebf2; --dim: #a1aebf; --line: #303a48; --link: #8ab8ff;
    --red: #ffb0a8; --red-soft: #45201f; --amber: #ffd27d; --amber-soft: #40320f; --blue: #a6ccff; --blue-soft: #1b3350;
    --green: #8fdcae; --green-soft: #16382a; --grey-soft: #2a3340; --violet: #d3bcff; --violet-soft: #352a4f;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main, .bar { max-width: 68rem; margin: 0 auto; padding: 0 1rem; }
main { padding-bottom: 3rem; }
main:focus { outline: none; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 4px; }
h1, h2 { line-height: 1.25; margin: 0; }
h2 { font-size: 1.15rem; margin-bottom: .6rem; }
p { margin: .25rem 0; }
code { font: .875em/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
section { margin-top: 1.75rem; }
.unseen, .skip:not(:focus) { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { display: inline-block; padding: .5rem 1rem; }
.dim, .place { color: var(--dim); }
.place { overflow-wrap: anywhere; }
.grow { flex: 1; }
.bar { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; padding-top: .9rem; }
.brand { font-weight: 700; font-size: 1.1rem; color: var(--ink); text-decoration: none; }
.live { color: var(--dim); font-size: .875rem; }
.live.on::before { content: "● "; color: var(--green); }
.live.lost::before { content: "○ "; color: var(--red); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 1rem; }
.narrow { max-width: 28rem; margin: 3rem auto 0; }
.verdict { font-size: clamp(1.3rem, 3vw, 1.6rem); padding: 1rem; border-radius: 12px; }
.verdict.well { background: var(--green-soft); color: var(--green); }
.verdict.unwell { background: var(--red-soft); color: var(--red); }
.verdict.open { background: var(--grey-soft); color: var(--ink); }
#verdict { margin-top: 1rem; }
.tiles { display: flex; flex-wrap: wrap; gap: .5rem; padding: 0; margin: .75rem 0 0; list-style: none; }
.tile { display: inline-block; padding: .35rem .8rem; border-radius: 999px; border: 1px solid transparent; text-decoration: none; }
.tile:hover { text-decoration: underline; }
.tile[aria-current] { border-color: currentColor; font-weight: 600; }
.badge { display: inline-block; padding: .05rem .6rem; border-radius: 999px; font-size: .875rem; font-weight: 600; white-space: nowrap; }
.failing, .unattended, .not-receiving { background: var(--red-soft); color: var(--red); }
.withheld, .old { background: var(--amber-soft); color: var(--amber); }
.frozen { background: var(--blue-soft); color: var(--blue); }
.drifted { background: var(--violet-soft); color: var(--violet); }
.unknown { background: var(--grey-soft); color: var(--dim); }
.in-sync { background: var(--green-soft); color: var(--green); }
.filter { display: flex; flex-wrap: wrap; gap: .6rem; align-items: end; margin-bottom: .8rem; }
.filter label { display: flex; flex-direction: column; gap: .15rem; font-size: .875rem; color: var(--dim); flex: 1 1 14rem; max-width: 26rem; }
.filter label:has(select) { flex: 0 1 10rem; }
.ask { display: flex; flex-wrap: wrap; gap: .5rem .6rem; align-items: center; }
.ask h2 { margin: 0; font-size: 1rem; }
.ask input { flex: 1 1 12rem; max-width: 24rem; }
.stack { display: grid; gap: .4rem; margin-top: .8rem; }
input, select, button { font: inherit; height: 2.5rem; color: var(--ink); padding: .45rem .7rem; border: 1px solid var(--dim); border-radius: 8px; background: var(--card); min-width: 0; width: 100%; }
::placeholder { color: var(--dim); opacity: 1; }
button { width: auto; font-weight: 600; cursor: pointer; background: var(--ink); color: var(--paper); border-color: var(--ink); }
.stack button { margin-top: .4rem; }
button.quiet { background: none; color: var(--dim); border-color: transparent; font-weight: 400; text-decoration: underline; }
.fault { color: var(--red); font-weight: 600; }
table { width: 100%; border-collapse: separate; border-spacing: 0; background: var(--card); border: 1px solid var(--line); border-radius: 12px; overflow: hidden; }
th { text-align: left; font-size: .8125rem; font-weight: 600; color: var(--dim); padding: .5rem .8rem; }
td { vertical-align: top; padding: .65rem .8rem; border-top: 1px solid var(--line); overflow-wrap: break-word; }
td:first-child, th:first-child { width: 1%; white-space: nowrap; }
.right { text-align: right; white-space: nowrap; }
time { white-space: nowrap; }
.name, .reason, .resolve, td code, td li, td details, td .dim { overflow-wrap: anywhere; }
.reason { max-width: 46rem; }
.resolve { max-width: 46rem; font-weight: 500; }
.arrow { color: var(--link); font-weight: 700; }
.empty { padding: 1rem; background: var(--card); border: 1px dashed var(--line); border-radius: 12px; }
details { margin-top: .3rem; }
summary { cursor: pointer; color: var(--dim); width: fit-content; border-radius: 4px; }
.count { font-weight: 600; margin-right: .2rem; }
.diff, .problems, .budgets, .trace { margin: .4rem 0 0; padding: 0; list-style: none; font-size: .9375rem; }
.diff li { padding: .1rem .5rem; border-left: 3px solid var(--line); }
.diff li.add { border-color: var(--green); } .add > span:first-child, .count.add { color: var(--green); }
.diff li.delete { border-color: var(--red); } .delete > span:first-child, .count.delete { color: var(--red); }
.diff li.update { border-color: var(--amber); } .update > span:first-child, .count.update { color: var(--amber); }
.diff li.move { border-color: var(--blue); } .move > span:first-child, .count.move { color: var(--blue); }
.diff li > span:first-child { font-weight: 700; }
.budgets li { display: flex; flex-wrap: wrap; gap: 0 .8rem; } .meter { min-width: 7rem; }
.answer { margin-top: .8rem; padding: .6rem .9rem; border-radius: 8px; background: var(--green-soft); overflow-wrap: anywhere; }
.answer.unclear { background: var(--amber-soft); }
.trace li { white-space: pre-wrap; }
#senders li { white-space: normal; padding: .1rem 0; } #senders .place { margin-left: .4rem; }
.sign { font-weight: 700; } .pending { font-size: .9375rem; }
.to { overflow-wrap: anywhere; }
#domain h1 { font-size: clamp(1.15rem, 4.5vw, 1.7rem); }
#forwards td:first-child { width: 34%; white-space: normal; overflow-wrap: anywhere; }
#forwards th:last-child { width: 22%; }
h1 .badge { vertical-align: middle; } h1 .name { overflow-wrap: anywhere; margin-right: .4rem; }
main:has(.wall), body:has(.wall) .bar { max-width: none; }
.wall { font-size: clamp(1rem, 1.5vw, 2rem); }
.wall .verdict { font-size: clamp(1.4rem, 3.4vw, 4.5rem); }
.wall .tile { font-size: clamp(1.2rem, 2.6vw, 3.5rem); padding: .5rem 1.2rem; }
.wall .badge, .wall code, .wall th { font-size: .875em; }
.wall h2 { font-size: 1.2em; } .wall .problems, .wall .budgets { font-size: .9em; } .wall .reason, .wall .resolve { max-width: none; }
.pager { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .5rem; padding: .8rem .2rem; }
@media (max-width: 48rem) {
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table, tbody { display: block; }
  tr { display: grid; padding: .7rem .8rem; gap: .25rem; border-top: 1px solid var(--line); }
  tbody tr:first-child { border-top: 0; }
  td, td:first-child, #forwards td:first-child { display: block; width: auto; padding: 0; border: 0; }
  .right { text-align: left; }
  td[data-label]::before { content: attr(data-label) ": "; color: var(--dim); }
}
@media (prefers-contrast: more) { :root { --dim: var(--ink); --line: var(--ink); } }
@media print { .bar, .filter, .pager { display: none; } }
`;

/** An arrow that goes on to two places. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="8" fill="#0b57d0"/>
<path d="M6 16h8m0 0 8-7m-8 7 8 7m-6-14h6v6m0 2v6h-6" fill="none" stroke="#fff" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round"/>
</svg>`;

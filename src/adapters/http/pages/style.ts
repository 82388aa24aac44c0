/** The style of the guide: system fonts, both colour schemes, one column on a phone. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1b2333; --soft: #566179; --line: #dfe4ee; --paper: #fff; --shade: #f5f7fb; --link: #1d4fd7; --mark: #14213d; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6eaf3; --soft: #a3adc2; --line: #2c3547; --paper: #11161f; --shade: #1a212d; --link: #8fb0ff; --mark: #0b0f16; }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1rem; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.6 system-ui, sans-serif; }
a { color: var(--link); }
a:focus-visible, pre:focus-visible, .wide:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: 1rem; padding: .5rem 1rem; background: var(--paper); }
header { background: var(--mark); color: #fff; padding: 2.5rem 1.5rem; }
header > div, .layout { max-width: 72rem; margin: 0 auto; }
header h1 { margin: 0; font-size: 2.1rem; line-height: 1.2; }
header p { margin: .5rem 0 1.25rem; max-width: 46rem; color: #c8d3ea; font-size: 1.1rem; }
header a { display: inline-block; margin: 0 .5rem .5rem 0; padding: .4rem .9rem; border: 1px solid #5c6c90; border-radius: .4rem; color: #fff; text-decoration: none; }
header a:hover { background: #ffffff1a; }
.layout { display: grid; grid-template-columns: 13rem minmax(0, 1fr); gap: 3rem; padding: 2rem 1.5rem 5rem; }
.layout > nav { position: sticky; top: 1rem; align-self: start; }
.layout > nav ul { list-style: none; margin: 0; padding: 0; }
.layout > nav a { display: block; padding: .2rem 0; color: var(--soft); text-decoration: none; }
.layout > nav a:hover { color: var(--link); text-decoration: underline; }
section { margin-bottom: 3.5rem; }
h2 { margin: 0 0 .75rem; font-size: 1.5rem; line-height: 1.3; }
h3 { margin: 2rem 0 .5rem; font-size: 1.1rem; }
p, ul, ol { max-width: 46rem; }
li { margin: .3rem 0; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .9em; }
code { padding: .1em .35em; border-radius: .25rem; background: var(--shade); overflow-wrap: anywhere; }
pre { margin: .75rem 0 1.25rem; padding: 1rem; overflow-x: auto; border: 1px solid var(--line); border-radius: .5rem; background: var(--shade); }
pre code { padding: 0; background: none; overflow-wrap: normal; }
.wide { margin: 1rem 0; overflow-x: auto; border: 1px solid var(--line); border-radius: .5rem; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: .55rem .8rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
tr:last-child td { border-bottom: 0; }
th { background: var(--shade); font-size: .85rem; color: var(--soft); white-space: nowrap; }
td > code { white-space: nowrap; }
footer { padding: 1.5rem; border-top: 1px solid var(--line); color: var(--soft); text-align: center; }
@media (max-width: 55rem) {
  .layout { grid-template-columns: minmax(0, 1fr); gap: 1.5rem; }
  .layout > nav { position: static; }
  .layout > nav ul { display: flex; flex-wrap: wrap; gap: 0 1.25rem; }
  header { padding: 1.75rem 1.5rem; }
}
`;

/** The style sheet of the overview page: system fonts, two colour schemes, readable from a phone to a wide screen. */
export const pageStyle: string = `
:root { color-scheme: light dark; --text: #1d2127; --quiet: #5c6570; --line: #dde1e6; --ground: #fff; --raised: #f5f6f8;
  --accent: #0b62c4; --problem: #b3261e; --warning: #8a5a00; --note: #5c6570; }
@media (prefers-color-scheme: dark) { :root { --text: #e4e7eb; --quiet: #9aa4b0; --line: #323942; --ground: #15181c;
  --raised: #1e2329; --accent: #7fb4ff; --problem: #ff8a80; --warning: #f0b84a; --note: #9aa4b0; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2.5rem 1.25rem 4rem; max-width: 60rem; background: var(--ground); color: var(--text);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
h1 { margin: 0; font-size: 1.6rem; letter-spacing: -0.01em; }
h2 { margin: 2.5rem 0 0.75rem; font-size: 1.1rem; }
p { margin: 0.5rem 0; overflow-wrap: anywhere; }
header p { color: var(--quiet); }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: 0.875em; }
.address { display: inline-block; padding: 0.5rem 0.75rem; border: 1px solid var(--line); border-radius: 0.5rem;
  background: var(--raised); color: var(--accent); overflow-wrap: anywhere; user-select: all; }
summary { cursor: pointer; color: var(--quiet); }
pre { margin: 0.25rem 0 1rem; padding: 0.75rem; border-radius: 0.5rem; background: var(--raised); overflow-x: auto; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: 0.65rem 1rem 0.65rem 0; border-bottom: 1px solid var(--line); text-align: start; vertical-align: top;
  overflow-wrap: anywhere; }
thead th { color: var(--quiet); font-size: 0.8rem; font-weight: 500; }
tbody th { width: 24%; font-weight: 600; }
td.files { width: 9rem; padding-inline-end: 0; color: var(--quiet); font-size: 0.875rem; }
.uri { display: block; margin-top: 0.25rem; color: var(--quiet); }
.quiet, .quiet code { color: var(--quiet); font-size: 0.875rem; }
.findings { margin: 0; padding: 0; list-style: none; }
.findings li { display: flex; gap: 1rem; padding: 0.65rem 0; border-bottom: 1px solid var(--line); }
.findings p { margin: 0; }
.level { flex: 0 0 4.5rem; font-size: 0.8rem; font-weight: 600; line-height: 1.9; }
.problem .level { color: var(--problem); }
.warning .level { color: var(--warning); }
.note .level { color: var(--note); }
@media (max-width: 40rem) { thead { display: none; } tr { display: block; border-bottom: 1px solid var(--line);
  padding: 0.5rem 0; } tbody th, td, td.files { display: block; width: auto; border: 0; padding: 0.15rem 0; } }
`;

/**
 * The overview page: the served skills, the MCP address and the findings. One HTML document without scripts, images or requests. Text from
 * skills is escaped and isolated in direction, so it can neither be markup nor rearrange other text.
 */
import { offeredSkills } from '../../catalog/offered-skills.ts';
import type { SkillRecord, Snapshot } from '../../catalog/snapshot.ts';
import { limits } from '../../limits.ts';
import { countFindings, type Finding, type FindingLevel, totalFindings } from '../../skill/finding.ts';
import { escapeHtml, foreign } from '../html-text.ts';

export interface OverviewOptions {
  /** The address for MCP clients. */
  readonly mcpUrl: string;
  /** True to list findings. They contain server paths, so only the operator should see them; others see the counts. */
  readonly showFindings: boolean;
}

export const overviewHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KiB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

function filesText({ entry: { resources } }: SkillRecord): string {
  if (resources === 'dynamic') return 'generated per request';
  const bytes = resources.reduce((total, { size }) => total + size, 0);
  return `${counted(resources.length, 'file')}, ${sizeText(bytes)}`;
}

function skillRow(skill: SkillRecord): string {
  const { uri, frontmatter } = skill.entry;
  return `<tr>
<th scope="row">${foreign(frontmatter.name)}</th>
<td>${foreign(frontmatter.description)}<code class="uri">${foreign(uri)}</code></td>
<td class="files">${filesText(skill)}</td>
</tr>`;
}

function skillsPart(snapshot: Snapshot): string {
  const listed = offeredSkills(snapshot);
  const { skills } = snapshot;
  const unlisted = skills.length - listed.length;
  const hidden =
    unlisted === 0 ? '' : `<p class="quiet">${counted(unlisted, 'more skill')} served, but not listed.</p>`;
  if (listed.length === 0) return `<p>No skill is listed.</p>${hidden}`;
  const shown = listed.slice(0, limits.page.skills);
  const more = listed.length - shown.length;
  return `<table>
<thead><tr><th scope="col">Name</th><th scope="col">Description and URI</th><th scope="col">Files</th></tr></thead>
<tbody>
${shown.map(skillRow).join('\n')}
</tbody>
</table>
${more === 0 ? '' : `<p class="quiet">And ${counted(more, 'more skill')}.</p>`}${hidden}`;
}

const levels: readonly FindingLevel[] = ['problem', 'warning', 'note'];

function findingItem({ level, message, remedy, file, line, skill, rule }: Finding): string {
  const place = file === undefined ? skill : `${file}${line === undefined ? '' : `:${line}`}`;
  return `<li class="${level}"><span class="level">${level}</span>
<div><p>${foreign(message)}.</p><p class="remedy">${foreign(remedy)}.</p>
<p class="quiet">${place === undefined ? '' : `<code>${foreign(place)}</code> · `}${escapeHtml(rule)}</p></div></li>`;
}

function findingsPart(findings: readonly Finding[], showFindings: boolean): string {
  if (findings.length === 0) return '<p>No findings.</p>';
  if (!showFindings) {
    const { problems, warnings, notes } = countFindings(findings);
    const counts = [counted(problems, 'problem'), counted(warnings, 'warning'), counted(notes, 'note')].join(', ');
    return `<p>${counts}; run <code>skillwire validate</code> on the server.</p>`;
  }
  const sorted = levels.flatMap((level) => findings.filter((found) => found.level === level));
  const shown = sorted.slice(0, limits.page.findings);
  const more = totalFindings(findings) - totalFindings(shown.filter(({ omitted }) => omitted === undefined));
  return `<ul class="findings">
${shown.map(findingItem).join('\n')}
</ul>
${more <= 0 ? '' : `<p class="quiet">And ${counted(more, 'more finding')}; <code>skillwire validate</code> shows all.</p>`}`;
}

function hostConfiguration(mcpUrl: string): string {
  return JSON.stringify({ mcpServers: { skills: { type: 'http', url: mcpUrl } } }, undefined, 2)
    .split('\n')
    .map(escapeHtml)
    .join('\n');
}

/** The page as an HTML document. */
export function overviewPage(snapshot: Snapshot, { mcpUrl, showFindings }: OverviewOptions): string {
  const url = escapeHtml(mcpUrl);
  const offered = offeredSkills(snapshot).length;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${counted(offered, 'skill')} · Skillwire</title>
<style>${pageStyle}</style>
</head>
<body>
<header>
<h1>Skillwire</h1>
<p>This server offers ${counted(offered, 'Agent Skill')} over MCP.</p>
</header>
<main>
<section aria-labelledby="connect">
<h2 id="connect">Connect</h2>
<p>Add this address to your agent as an MCP server of type HTTP:</p>
<p><code class="address">${url}</code></p>
<details><summary>How to do that in common agents</summary>
<p>Claude Code:</p>
<pre><code>claude mcp add --transport http skills ${url}</code></pre>
<p>Agents that read a JSON configuration:</p>
<pre><code>${hostConfiguration(mcpUrl)}</code></pre>
</details>
</section>
<section aria-labelledby="skills">
<h2 id="skills">Skills</h2>
${skillsPart(snapshot)}
</section>
<section aria-labelledby="findings">
<h2 id="findings">Findings</h2>
${findingsPart(snapshot.findings, showFindings)}
</section>
</main>
</body>
</html>
`;
}

/** The style sheet of the overview page: system fonts, two color schemes, readable from a phone to a wide screen. */
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

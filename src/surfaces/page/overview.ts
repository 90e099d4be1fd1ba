/**
 * The overview page: what is served, where, and what is wrong with it. One HTML document made on the server, without scripts,
 * images or requests. Everything that comes from skills is escaped text in its own direction; it can neither be markup nor
 * rearrange what stands beside it.
 */
import { offeredSkills } from '../../catalog/offered-skills.ts';
import type { SkillRecord, Snapshot } from '../../catalog/snapshot.ts';
import { limits } from '../../limits.ts';
import { countFindings, type Finding, type FindingLevel, totalFindings } from '../../skill/finding.ts';
import { escapeHtml, foreign } from '../html-text.ts';
import { pageStyle } from './page-style.ts';

export interface OverviewOptions {
  /** The address for MCP clients. */
  readonly mcpUrl: string;
  /** Whether findings are listed. They name files of the server, so only its operator should see them; others see how many. */
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
  if (findings.length === 0) return '<p>Nothing was found to be wrong.</p>';
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
<p>This server gives ${counted(offered, 'Agent Skill')} to every agent that speaks MCP.</p>
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

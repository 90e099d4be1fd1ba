import { describe, expect, test } from 'vitest';
import { createCatalog } from '../../catalog/create-catalog.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';
import { limits } from '../../limits.ts';
import { finding } from '../../skill/finding.ts';
import { memorySource } from '../../sources/memory.ts';
import { overviewHeaders, overviewPage } from './overview.ts';

const mcpUrl = 'http://127.0.0.1:4711/mcp';

async function snapshotOf(description = 'About refunds.'): Promise<Snapshot> {
  const source = memorySource();
  source.add('team/refunds', { description }, 'body', { 'a.md': 'x'.repeat(2048) });
  source.add('now', { description: 'The time' }, () => 'x');
  return createCatalog(source).snapshot();
}

describe('overviewPage()', () => {
  test('shows the address, the skills with their files, and the findings with their remedy', async () => {
    const found = finding('skill-uri-taken', 'two have it', { file: '/srv/skills/a/SKILL.md', line: 3 });
    const page = overviewPage({ ...(await snapshotOf()), findings: [found] }, { mcpUrl, showFindings: true });
    expect(page).toMatch(/^<!doctype html>/);
    for (const part of [
      mcpUrl,
      '2 Agent Skills',
      'refunds',
      'About refunds.',
      'skill://team/refunds/SKILL.md',
      '2 files, 2.1 KiB',
      'generated per request',
      'two have it',
      '/srv/skills/a/SKILL.md:3',
      found.remedy.slice(0, 10),
    ])
      expect(page).toContain(part);
  });

  test('shows only the number of findings if others can connect', async () => {
    const findings = [
      finding('skill-uri-taken', 'two have it', { file: '/srv/skills/a/SKILL.md', line: 3 }),
      finding('file-secret', 'a key'),
    ];
    const page = overviewPage({ ...(await snapshotOf()), findings }, { mcpUrl, showFindings: false });
    expect(page).toContain('1 problem, 1 warning, 0 notes; run <code>skillwire validate</code> on the server');
    for (const part of ['/srv', 'two have it', 'a key', 'skill-uri-taken']) expect(page).not.toContain(part);
  });

  test('shows problems before warnings and notes', async () => {
    const snapshot = await snapshotOf();
    const levels = ['note', 'problem', 'warning'] as const;
    const findings = levels.map((level) => ({ ...finding('skill-uri-taken', 'x'), level }));
    const page = overviewPage({ ...snapshot, findings }, { mcpUrl, showFindings: true });
    expect([...page.matchAll(/<li class="(\w+)">/g)].map(([, level]) => level)).toEqual(['problem', 'warning', 'note']);
  });

  test('shows text of skills as text, never as markup', async () => {
    const hostile = `<script>alert(1)</script> & "quotes" 'too' \u202Etxet \u200Bhidden`;
    const page = overviewPage(await snapshotOf(hostile), { mcpUrl: 'http://x/"><img src=y>', showFindings: true });
    expect(page).not.toMatch(/<script|<img/);
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;quotes&quot; &#39;too&#39;');
    expect(page).toContain('\\u{202e}txet \\u{200b}hidden');
    expect(page).toMatch(/<bdi>&lt;script/);
  });

  test('reports an empty catalog, and the number of unlisted skills', async () => {
    const snapshot = await snapshotOf();
    expect(overviewPage({ ...snapshot, listed: [] }, { mcpUrl, showFindings: true })).toMatch(
      /No skill is listed[\s\S]*2 more skills served, but not listed[\s\S]*No findings\./,
    );
  });

  test('stops at a number of rows and counts the rest', async () => {
    const snapshot = await snapshotOf();
    const [first] = snapshot.listed;
    if (first === undefined) throw new Error('no skill');
    const many = Array.from({ length: limits.page.skills + 5 }, () => first);
    const findings = Array.from({ length: limits.page.findings + 1 }, () => finding('skill-uri-taken', 'x'));
    const page = overviewPage({ ...snapshot, skills: many, listed: many, findings }, { mcpUrl, showFindings: true });
    expect(page).toContain('And 5 more skills.');
    expect(page).toContain('And 1 more finding;');
    expect(page.match(/<th scope="row">/g)).toHaveLength(limits.page.skills);
  });
});

test('the page may load nothing, run nothing and not be framed', () => {
  expect(overviewHeaders['content-security-policy']).toMatch(/^default-src 'none'; style-src 'unsafe-inline';/);
  expect(overviewHeaders['content-security-policy']).toContain("frame-ancestors 'none'");
});

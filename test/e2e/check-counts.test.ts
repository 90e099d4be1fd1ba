/** The script that counts skills over every surface, on a small tree of the shapes that public repositories have. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

let root: string;

const skill = (name: string, fields = ''): string =>
  `---\nname: ${name}\ndescription: About ${name}.\n${fields}---\n\nBody.\n`;

const files = {
  // Two skills of one name, each with an inner one; one of these is refused.
  'one/SKILL.md': skill('one'),
  'one/in/SKILL.md': '---\nname: in\ndescription: Use when: broken\n---\n',
  'two/SKILL.md': skill('one'),
  'two/in/SKILL.md': skill('in'),
  // Skills inside a refused one, with and without the name of their folder.
  'refused/SKILL.md': 'no frontmatter\n',
  'refused/inner/SKILL.md': skill('inner'),
  'refused/other/SKILL.md': skill('misnamed'),
  'refused/other/misnamed/SKILL.md': skill('misnamed'),
  // Hidden folders: a catalog, agent folders of the project and of a part of it, another one.
  'skills/.curated/cur/SKILL.md': skill('cur'),
  '.claude/skills/b/SKILL.md': skill('b'),
  '.agents/skills/c/SKILL.md': skill('c'),
  'examples/p/.github/skills/d/SKILL.md': skill('d'),
  '.hidden/x/SKILL.md': skill('x'),
  'skills-lock.json': JSON.stringify({ version: 1, skills: { c: {} } }),
  // The official client rejects a whole listing for these.
  'meta/SKILL.md': skill('meta', 'metadata:\n  version: 1.0\n'),
  'compat/SKILL.md': skill('compat', 'compatibility: [a]\n'),
  // Names that are taken on a site, with short and long paths, and a file that v0.1 cannot have.
  'skills/pdf/SKILL.md': skill('pdf'),
  'x/pdf/SKILL.md': skill('pdf'),
  [`${Array.from({ length: 6 }, (_, at) => `a-long-folder-name-${at}`).join('/')}/pdf/SKILL.md`]: skill('pdf'),
  'odd/SKILL.md': skill('odd'),
  'odd/größe [1].md': 'x',
};

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'skillwire-counts-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  // As installers do it: the agent's folder has a link to a skill of the project.
  symlinkSync('../../skills/pdf', join(root, '.claude/skills/pdf'));
  symlinkSync('../../two/in', join(root, '.claude/skills/in'));
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

test('validate, list, serve, MCP, /api, the page, both indexes and build agree, with and without agent folders', () => {
  const script = join(import.meta.dirname, '../../scripts/check-counts.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--json', root], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(rows).toMatchObject([
    { flags: [], served: 13, listed: 11, 'v0.2.0': 13, 'v0.1': 12, faults: [] },
    { flags: ['--agent-folders'], served: 15, listed: 13, 'v0.2.0': 15, 'v0.1': 14, faults: [] },
  ]);
}, 120_000);

import { describe, expect, test } from 'vitest';
import type { Agent } from './agent-rows.ts';
import {
  agentById,
  agentFolder,
  agentReads,
  agents,
  agentTraces,
  knownAgents,
  sharedFolder,
  skillFolders,
} from './agent-table.ts';

const place = { home: '/home/ana', project: '/work/app', env: {} };

function known(id: string): Agent {
  const agent = agentById(id);
  if (agent === undefined) throw new Error(`"${id}" is not in the table`);
  return agent;
}

describe('the agent table', () => {
  test('has every agent once, with an id that can be typed', () => {
    expect(new Set(agents.map(({ id }) => id)).size).toBe(agents.length);
    for (const { id, name } of agents) {
      expect(id).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
      expect(name).not.toBe('');
    }
  });

  test("has folders below the project and below the user's home", () => {
    for (const { id, projectFolder, globalFolder } of agents) {
      expect(projectFolder ?? '.x', id).toMatch(/^[^/~\\][^\\]*$/);
      expect(globalFolder ?? '~/x', id).toMatch(/^~\/[^\\]+$/);
      for (const path of [projectFolder, globalFolder])
        expect(path?.split('/') ?? [], id).not.toEqual(expect.arrayContaining(['..']));
    }
  });

  test('marks an agent whose own folder is the shared one as a reader of it', () => {
    for (const { id, projectFolder, globalFolder, readsShared } of agents) {
      if (projectFolder === sharedFolder.project) expect(readsShared.project, id).toBe(true);
      if (globalFolder === sharedFolder.global) expect(readsShared.global, id).toBe(true);
    }
  });

  // The facts that linking depends on, written out by hand for the most common agents.
  test.each([
    ['claude-code', '.claude/skills', '~/.claude/skills', false, false],
    ['codex', '.agents/skills', '~/.agents/skills', true, true],
    ['gemini-cli', '.agents/skills', '~/.gemini/skills', true, true],
    ['cursor', '.agents/skills', '~/.cursor/skills', true, false],
    ['github-copilot', '.agents/skills', '~/.copilot/skills', true, true],
    ['goose', '.goose/skills', '~/.config/goose/skills', false, false],
    ['opencode', '.agents/skills', '~/.config/opencode/skills', true, true],
    ['windsurf', '.windsurf/skills', '~/.codeium/windsurf/skills', false, false],
    ['roo', '.roo/skills', '~/.roo/skills', false, false],
    ['kiro-cli', '.kiro/skills', '~/.kiro/skills', false, false],
    ['openclaw', 'skills', '~/.openclaw/skills', true, true],
    ['cline', '.agents/skills', '~/.agents/skills', true, true],
    ['mistral-vibe', '.vibe/skills', '~/.vibe/skills', false, false],
    ['crush', '.crush/skills', '~/.config/crush/skills', false, false],
  ])('knows the folders of %s', (id, projectFolder, globalFolder, project, global) => {
    expect(known(id)).toMatchObject({ projectFolder, globalFolder, readsShared: { project, global } });
  });
});

describe('agentFolder()', () => {
  test('returns full paths', () => {
    expect(agentFolder(known('claude-code'), 'project', place)).toBe('/work/app/.claude/skills');
    expect(agentFolder(known('claude-code'), 'global', place)).toBe('/home/ana/.claude/skills');
    expect(agentFolder(known('eve'), 'global', place)).toBeUndefined();
  });

  test('follows the variables that move folders, unless they are blank', () => {
    const moved = { ...place, env: { CLAUDE_CONFIG_DIR: '/cfg/claude', XDG_CONFIG_HOME: '/xdg', GROK_HOME: ' ' } };
    expect(agentFolder(known('claude-code'), 'global', moved)).toBe('/cfg/claude/skills');
    expect(agentFolder(known('claude-code'), 'project', moved)).toBe('/work/app/.claude/skills');
    expect(agentFolder(known('goose'), 'global', moved)).toBe('/xdg/goose/skills');
    expect(agentFolder(known('grok'), 'global', moved)).toBe('/home/ana/.grok/skills');
  });
});

test("agentReads() lists the agent's, the shared and other folders, project before user, each once", () => {
  expect(agentReads(known('codex'), place)).toEqual([
    '/work/app/.agents/skills',
    '/home/ana/.agents/skills',
    '/home/ana/.codex/skills',
    '/etc/codex/skills',
  ]);
  expect(agentReads(known('claude-code'), place)).toEqual(['/work/app/.claude/skills', '/home/ana/.claude/skills']);
  expect(agentReads(known('gemini-cli'), place)).toEqual([
    '/work/app/.agents/skills',
    '/work/app/.gemini/skills',
    '/home/ana/.gemini/skills',
    '/home/ana/.agents/skills',
  ]);
});

test('agentTraces() are full paths and follow the variable of the agent', () => {
  expect(agentTraces(known('codex'), place)).toEqual(['/home/ana/.codex', '/etc/codex']);
  expect(agentTraces(known('codex'), { ...place, env: { CODEX_HOME: '/c' } })).toEqual(['/c', '/etc/codex']);
  expect(agentTraces(known('replit'), place)).toEqual(['/work/app/.replit']);
});

describe('the agents of a configuration', () => {
  const ours: Agent = {
    id: 'ours',
    name: 'Ours',
    projectFolder: '.ours/skills',
    readsShared: { project: false, global: false },
    detect: ['~/.ours'],
  };

  test('are added at the end, or replace a known agent in place', () => {
    const codex: Agent = { ...ours, id: 'codex', name: 'Codex here' };
    const all = knownAgents([ours, codex]);
    expect(all).toHaveLength(agents.length + 1);
    expect(all.at(-1)).toBe(ours);
    expect(all.findIndex(({ id }) => id === 'codex')).toBe(agents.findIndex(({ id }) => id === 'codex'));
    expect(all.find(({ id }) => id === 'codex')).toBe(codex);
    expect(knownAgents()).toBe(agents);
  });

  test('are found by id before those of the table', () => {
    expect(agentById('ours', [ours])).toBe(ours);
    expect(agentById('ours')).toBeUndefined();
    expect(agentById('codex', [{ ...ours, id: 'codex' }])?.name).toBe('Ours');
  });
});

test('docs/reference/agents.md shows the current table', async () => {
  const code = (text: string | undefined): string => (text === undefined ? '' : `\`${text}\``);
  const yes = (value: boolean): string => (value ? 'yes' : '');
  const rows = agents.map(({ id, name, projectFolder, globalFolder, readsShared, home, alsoReads = [] }) =>
    [
      code(id),
      name,
      code(projectFolder),
      `${code(globalFolder)}${home === undefined || globalFolder?.startsWith(home.replaces) !== true ? '' : ` (\`${home.variable}\`)`}`,
      yes(readsShared.project),
      yes(readsShared.global),
      alsoReads.map(code).join(', '),
    ].join(' | '),
  );
  const text = `# Agents

\`\`\`sh
skillwire doctor --offline        # the agents on this machine, and the folders that they read
\`\`\`

This table has the folders in which each known agent looks for skills. The one real copy of an installed skill is in \`.agents/skills\` of the project
or in \`~/.agents/skills\`. Agents that do not read it get a link in their own folder. A variable in brackets moves the user's folder.
\`agents\` in [skillwire.json](configuration.md) adds others.

| id | name | in a project | of the user | reads \`.agents/skills\` | reads \`~/.agents/skills\` | also reads |
| --- | --- | --- | --- | --- | --- | --- |
${rows.map((row) => `| ${row} |`.replaceAll(/ +\|/g, ' |')).join('\n')}
`;
  await expect(text).toMatchFileSnapshot('../../docs/reference/agents.md');
});

test('skillFolders() lists the folders of the user, the project and every folder above it', () => {
  const folders = skillFolders({
    home: '/home/ana',
    cwd: '/work/app/sub',
    env: { CLAUDE_CONFIG_DIR: '/cfg', GROK_HOME: '' },
  });
  for (const folder of [
    '/home/ana/.claude/skills',
    '/home/ana/.agents/skills',
    '/cfg/skills',
    '/work/app/sub/.agents/skills',
    '/work/app/.claude/skills',
    '/work/skills',
    '/home/ana/.codex/skills',
    '/home/ana/.config/agents/skills',
    '/work/app/.opencode/skills',
  ])
    expect(folders).toContain(folder);
  expect(folders).not.toContain('/skills');
  expect(new Set(folders).size).toBe(folders.length);
});

test('skillFolders() finds parent folders on Windows', () => {
  const folders = skillFolders({ home: 'C:\\Users\\ana', cwd: 'C:\\work\\app\\', env: {} });
  expect(folders).toContain('C:\\work\\app/.agents/skills');
  expect(folders).toContain('C:\\work/.agents/skills');
});

import { expect, test } from 'vitest';
import { skillFolders } from './skill-folders.ts';

test('skillFolders() has the folders of the user, of the project and of every folder above it', () => {
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

test('skillFolders() knows the folders above one on Windows', () => {
  const folders = skillFolders({ home: 'C:\\Users\\ana', cwd: 'C:\\work\\app\\', env: {} });
  expect(folders).toContain('C:\\work\\app/.agents/skills');
  expect(folders).toContain('C:\\work/.agents/skills');
});

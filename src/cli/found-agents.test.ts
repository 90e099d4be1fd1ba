import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { agentOfClient, clientIds } from '../agents/client-config.ts';
import { foundAgents, isClientFound } from './found-agents.ts';

const platforms = ['linux', 'darwin', 'win32'];

function machine(...paths: string[]) {
  const home = mkdtempSync(join(tmpdir(), 'skillwire-found-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  for (const path of paths) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    if (path.endsWith('/')) mkdirSync(join(home, path), { recursive: true });
    else writeFileSync(join(home, path), '{}');
  }
  return { home, project: join(home, 'project'), env: {} };
}

describe('foundAgents() and isClientFound()', () => {
  test.each([
    ['a folder of skills', '.claude/skills/', 'claude-code', 'claude-code'],
    ['a configuration file beside the home', '.claude.json', 'claude-code', 'claude-code'],
    ['a folder of settings', '.codex/', 'codex', 'codex'],
    ['a client under another id', '.copilot/mcp-config.json', 'copilot-cli', 'github-copilot'],
    ['a client in its folder of Linux', '.config/zed/settings.json', 'zed', 'zed'],
  ] as const)('agree about %s', (_, path, client, agent) => {
    const place = machine(path);
    expect(isClientFound(client, place, 'linux')).toBe(true);
    expect(foundAgents(place, 'linux').map(({ id }) => id)).toContain(agent);
  });

  test('find nothing on an empty machine', () => {
    const place = machine();
    for (const platform of platforms) {
      expect(foundAgents(place, platform)).toEqual([]);
      expect(clientIds.filter((id) => isClientFound(id, place, platform))).toEqual([]);
    }
  });

  test.each(platforms)('agree about every client that is also an agent, on %s', (platform) => {
    const everywhere = ['.claude/', '.codex/', '.gemini/', '.cursor/', '.copilot/', '.config/goose/', '.config/zed/'];
    for (const path of everywhere) {
      const place = machine(path);
      const agents = new Set(foundAgents(place, platform).map(({ id }) => id));
      for (const id of clientIds.filter((client) => isClientFound(client, place, platform)))
        expect(agents, `${path}: ${id}`).toContain(agentOfClient(id));
    }
  });
});

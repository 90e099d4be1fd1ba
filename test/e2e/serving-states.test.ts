/** Commands that disable and deny skills reach running servers and built sites, with a page or without one. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { modernVersion } from '../contract/raw-mcp.ts';
import { eventually } from '../eventually.ts';
import { type CliFolder, type CliProcess, cliFolder } from './cli-process.ts';

let folder: CliFolder;
let server: CliProcess | undefined;

const skill = (name: string): string => `---\nname: ${name}\ndescription: About ${name}.\n---\n\n# ${name}\n`;

beforeEach(() => {
  folder = cliFolder();
  folder.write({ 'skills/refunds/SKILL.md': skill('refunds'), 'skills/writing/SKILL.md': skill('writing') });
});

afterEach(async () => {
  server?.child.kill('SIGKILL');
  await server?.ended;
  server = undefined;
  folder.remove();
});

/** Asks over stdio, in the newest revision. */
async function ask(started: CliProcess, method: string, params: object = {}): Promise<Record<string, unknown>> {
  const id = `${method}-${Math.random()}`;
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': modernVersion,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  };
  started.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } })}\n`);
  let answer: Record<string, unknown> | undefined;
  await eventually(() => {
    const lines = started
      .stdout()
      .split('\n')
      .filter((line) => line.includes(id));
    expect(lines).toHaveLength(1);
    answer = JSON.parse(lines[0] ?? '{}');
  });
  return answer ?? {};
}

async function names(started: CliProcess): Promise<readonly string[]> {
  const { result } = (await ask(started, 'skills/list')) as {
    result: { skills: { frontmatter: { name: string } }[] };
  };
  return result.skills.map(({ frontmatter }) => frontmatter.name).sort();
}

test('a server that watches no folders follows approvals', { timeout: 120_000 }, async () => {
  folder.write({
    'skillwire.json': JSON.stringify({ origins: { team: './skills' }, policy: { mode: 'approved-only' } }),
  });
  await folder.trust();
  const running = folder.start(['serve', '--stdio', '--no-watch']);
  server = running;
  expect(await names(running)).toEqual([]);
  const plan = JSON.parse((await folder.run(['review', '--json'])).stdout) as { planDigest: string };
  const approved = await folder.run(['approve', '--all', '--yes', plan.planDigest]);
  expect(approved.stdout + approved.stderr).toContain('Approved 2 of 2 skills.');
  await eventually(async () => expect(await names(running)).toEqual(['refunds', 'writing']));
});

test('a skill that is disabled or denied disappears from a server over stdio, and returns', {
  timeout: 120_000,
}, async () => {
  server = folder.start(['serve', './skills', '--stdio']);
  const running = server;
  expect(await names(running)).toEqual(['refunds', 'writing']);
  const change = async (...argv: readonly string[]): Promise<void> => {
    const { exitCode, stderr } = await folder.run(argv);
    expect(exitCode, stderr).toBe(0);
  };
  await change('disable', './skills', 'refunds');
  await eventually(async () => expect(await names(running)).toEqual(['writing']));
  expect(await ask(running, 'skills/get', { uri: 'skill://refunds/SKILL.md' })).toHaveProperty('error');
  expect(await ask(running, 'resources/read', { uri: 'skill://refunds/SKILL.md' })).toHaveProperty('error');
  await change('enable', './skills', 'refunds');
  await eventually(async () => expect(await names(running)).toEqual(['refunds', 'writing']));
  await change('deny', 'add', '--match', 'writ*', '--reason', 'INC-7');
  await eventually(async () => expect(await names(running)).toEqual(['refunds']));
  await change('deny', 'remove', '--match', 'writ*', '--reason', 'fixed');
  await change('disable', './skills');
  await eventually(async () => expect(await names(running)).toEqual([]));
});

test('a server that starts later serves no skill that was disabled before', async () => {
  expect((await folder.run(['disable', './skills', 'refunds'])).exitCode).toBe(0);
  server = folder.start(['serve', './skills', '--stdio']);
  expect(await names(server)).toEqual(['writing']);
});

test('a built site omits disabled and denied skills', async () => {
  const built = async (): Promise<string> => {
    const { exitCode, stderr } = await folder.run(['build', './skills', '--out', './site']);
    expect(exitCode, stderr).toBe(0);
    return readFileSync(join(folder.path, 'site/.well-known/agent-skills/index.json'), 'utf8');
  };
  expect(await built()).toContain('refunds');
  expect((await folder.run(['disable', './skills', 'refunds'])).exitCode).toBe(0);
  expect(await built()).not.toContain('refunds');
  expect(existsSync(join(folder.path, 'site/.well-known/agent-skills/refunds'))).toBe(false);
  expect((await folder.run(['enable', './skills', 'refunds'])).exitCode).toBe(0);
  expect(await built()).toContain('refunds');
});

test('a renamed origin disappears from the list of waiting skills', { timeout: 120_000 }, async () => {
  const configured = (label: string): void =>
    folder.write({
      'skillwire.json': JSON.stringify({ origins: { [label]: './skills' }, policy: { mode: 'approved-only' } }),
    });
  const waiting = async (): Promise<readonly string[]> => {
    const { waiting: rows } = JSON.parse((await folder.run(['waiting', '--json'])).stdout) as {
      waiting: { origin: string; name: string; state: string; change: string }[];
    };
    return rows.map(({ origin, name, state, change }) => `${origin} ${name} ${state} ${change}`).sort();
  };
  const served = async (): Promise<void> => {
    server = folder.start(['serve', '--http', '127.0.0.1:0', '--config', 'skillwire.json']);
    await server.seen('stderr', /http:\/\/127/);
  };
  configured('old');
  await served();
  await eventually(async () => expect(await waiting()).toEqual(['old refunds waiting new', 'old writing waiting new']));
  // While it runs.
  configured('new');
  await eventually(async () => expect(await waiting()).toEqual(['new refunds waiting new', 'new writing waiting new']));
  server?.child.kill('SIGTERM');
  await server?.ended;
  // Between two runs.
  configured('newest');
  await served();
  await eventually(async () =>
    expect(await waiting()).toEqual(['newest refunds waiting new', 'newest writing waiting new']),
  );
});

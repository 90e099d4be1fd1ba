import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SkillwireError } from '../../errors.ts';
import { serve } from '../../node/serve.ts';
import type { Cli } from '../cli.ts';
import { nodeFindings } from '../doctor/system-checks.ts';
import { runProgram } from '../program.ts';

let folder: string;
const homeBefore = process.env.HOME;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'skillwire-doctor-')));
  mkdirSync(join(folder, 'home'));
  mkdirSync(join(folder, 'project'));
  process.env.HOME = join(folder, 'home');
});

afterEach(() => {
  if (homeBefore === undefined) delete process.env.HOME;
  else process.env.HOME = homeBefore;
  rmSync(folder, { recursive: true, force: true });
});

interface Result {
  readonly out: string;
  readonly err: string;
  readonly exit: number;
}

async function run(...argv: string[]): Promise<Result> {
  let out = '';
  let err = '';
  const cli: Cli = {
    version: '1.2.3',
    cwd: join(folder, 'project'),
    env: { SKILLWIRE_HOME: join(folder, 'state') },
    stdin: {},
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
  };
  const exit = await runProgram(argv, cli);
  return { out, err, exit };
}

interface DoctorReport {
  readonly findings: readonly { level: string; check: string; message: string; remedy: string; fixed?: string }[];
  readonly agents: readonly { id: string; reads: readonly { path: string; exists: boolean; skills: number }[] }[];
  readonly origins?: readonly { origin: string; state: string }[];
  readonly counts: { readonly problems: number; readonly warnings: number };
}

/** Findings, except those about the Node version of the test run. */
async function doctorReport(...argv: string[]): Promise<DoctorReport & { readonly exit: number }> {
  const { out, exit } = await run('doctor', '--json', ...argv);
  const report = JSON.parse(out) as DoctorReport;
  for (const { message, remedy } of report.findings) expect(`${message}${remedy}`).not.toBe(message);
  return { ...report, findings: report.findings.filter(({ check }) => check !== 'node'), exit };
}

function put(path: string, text = ''): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const project = (name: string): string => join(folder, 'project', name);
const home = (name: string): string => join(folder, 'home', name);
const skill = (name: string, body = 'Do it.'): string =>
  `---\nname: ${name}\ndescription: Does something.\n---\n${body}\n`;

describe('skillwire doctor', () => {
  test('finds nothing on an empty machine, and writes nothing', async () => {
    const { findings, exit } = await doctorReport();
    expect(findings).toEqual([
      {
        level: 'note',
        check: 'agents',
        message: 'No known agent found',
        remedy: expect.any(String),
        fixable: false,
      },
    ]);
    expect(exit).toBe(0);
    expect(existsSync(join(folder, 'state'))).toBe(false);
  });

  test('lists the agents and the folders they read', async () => {
    put(home('.claude/skills/a/SKILL.md'), skill('a'));
    put(home('.codex/config.toml'));
    put(project('.agents/skills/b/SKILL.md'), skill('b'));
    const { agents, findings, exit } = await doctorReport();
    expect(agents.map(({ id }) => id)).toEqual(['claude-code', 'codex']);
    expect(agents[0]?.reads).toEqual([
      { path: project('.claude/skills'), exists: false, skills: 0 },
      { path: home('.claude/skills'), exists: true, skills: 1 },
    ]);
    expect(agents[1]?.reads[0]).toEqual({ path: project('.agents/skills'), exists: true, skills: 1 });
    expect(findings).toEqual([]);
    expect(exit).toBe(0);
    expect((await run('doctor')).out).toMatch(/agent +Codex \(codex\): \.agents\/skills \(1\)/);
  });

  test('knows the agents of the configuration', async () => {
    put(
      project('skillwire.json'),
      JSON.stringify({ origins: {}, agents: [{ id: 'ours', project: '.ours/skills', detect: ['.ours'] }] }),
    );
    put(project('.ours/skills/a/SKILL.md'), skill('a'));
    expect((await doctorReport()).agents).toEqual([
      { id: 'ours', name: 'ours', reads: [{ path: project('.ours/skills'), exists: true, skills: 1 }] },
    ]);
  });

  test('finds broken links', async () => {
    mkdirSync(home('.claude/skills'), { recursive: true });
    symlinkSync('../../gone', home('.claude/skills/gone'));
    const { findings, exit } = await doctorReport();
    expect(findings).toMatchObject([{ level: 'problem', check: 'links', path: home('.claude/skills/gone') }]);
    expect(exit).toBe(1);
  });

  test('finds skills that hide each other, but not links and copies', async () => {
    put(project('.claude/skills/a/SKILL.md'), skill('a', 'One.'));
    put(home('.claude/skills/other-folder/SKILL.md'), skill('a', 'Two.'));
    put(project('.claude/skills/b/SKILL.md'), skill('b'));
    symlinkSync(project('.claude/skills/b'), home('.claude/skills/b'));
    put(project('.claude/skills/c/SKILL.md'), skill('c'));
    put(home('.claude/skills/c/SKILL.md'), skill('c'));
    const { findings, exit } = await doctorReport();
    expect(findings).toMatchObject([
      {
        level: 'warning',
        check: 'shadowing',
        message: expect.stringContaining(
          `Claude Code: two skills are named "a": "${project('.claude/skills/a')}" hides`,
        ),
      },
    ]);
    expect(exit).toBe(1);
  });

  test('finds a listing that is too long for its agent', async () => {
    put(home('.codex/config.toml'));
    for (let number = 0; number < 9; number++)
      put(
        project(`.agents/skills/s${number}/SKILL.md`),
        `---\nname: s${number}\ndescription: ${'x'.repeat(1000)}\n---\nDo it.\n`,
      );
    expect((await doctorReport()).findings).toMatchObject([
      { level: 'warning', check: 'listing', message: expect.stringContaining('9018 of 8000 characters') },
    ]);
  });

  test('reports a broken configuration and checks the rest anyway', async () => {
    put(project('skillwire.json'), '{');
    put(home('.claude/skills/a/SKILL.md'), skill('a'));
    const { findings, agents, exit } = await doctorReport();
    expect(findings).toMatchObject([{ level: 'problem', check: 'configuration' }]);
    expect(agents).toHaveLength(1);
    expect(exit).toBe(1);
  });

  test('finds damaged state', async () => {
    put(project('skills/a/SKILL.md'), skill('a'));
    await run('origins', 'add', 'docs=./skills');
    put(join(folder, 'state/state/state.jsonl'), 'not a line of a journal\n');
    const { findings, exit } = await doctorReport('--offline');
    expect(findings.some(({ check }) => check === 'state')).toBe(true);
    expect(exit).toBe(1);
  });

  test('finds damaged cached files, and removes them as any read does', async () => {
    put(project('skills/a/SKILL.md'), skill('a'));
    const http = { host: '127.0.0.1', port: 0 };
    const handle = await serve({ roots: [{ path: project('skills') }], watch: false, cache: false, http });
    try {
      const approving = ['approve', `docs=mcp:${handle.mcp}`, 'a', '--json'];
      const [{ setDigest }] = JSON.parse((await run(...approving)).out).needsApproval as [{ setDigest: string }];
      expect((await run(...approving, '--yes', setDigest)).exit).toBe(0);
    } finally {
      await handle.close();
    }
    const blobs = join(folder, 'state/cache/blobs');
    const files = readdirSync(blobs, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    expect(files).not.toEqual([]);
    for (const file of files) {
      chmodSync(join(file.parentPath, file.name), 0o600);
      writeFileSync(join(file.parentPath, file.name), 'damaged');
    }
    const { findings } = await doctorReport('--offline');
    expect(findings.filter(({ check }) => check === 'cache')).toMatchObject([{ level: 'warning', fixed: 'removed' }]);
    expect((await doctorReport('--offline')).findings.filter(({ check }) => check === 'cache')).toEqual([]);
  });

  test('finds an unusable state folder', async () => {
    const { findings } = await doctorReport('--state', home('.claude/skills'));
    expect(findings).toMatchObject([{ check: 'agents' }, { level: 'problem', check: 'state' }]);
  });

  test.skipIf(process.getuid?.() === 0)('finds a folder that cannot be written', async () => {
    mkdirSync(join(folder, 'state'));
    chmodSync(join(folder, 'state'), 0o500);
    expect((await doctorReport()).findings.filter(({ check }) => check === 'folders')).toHaveLength(2);
    chmodSync(join(folder, 'state'), 0o700);
  });

  test('contacts the known origins, and distinguishes unreachable from not authorized', async () => {
    const server = createServer((_, response) => response.writeHead(401, { 'www-authenticate': 'Bearer' }).end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      put(project('skills/a/SKILL.md'), skill('a'));
      await run('origins', 'add', 'good=./skills');
      await run('origins', 'add', `locked=mcp:http://127.0.0.1:${port}/mcp`);
      await run('origins', 'add', 'gone=mcp:http://127.0.0.1:1/mcp');
      const { origins, findings, exit } = await doctorReport();
      expect(origins?.map(({ origin, state }) => [origin, state]).sort()).toEqual([
        ['gone', 'unreachable'],
        ['good', 'ready'],
        ['locked', 'not-authorized'],
      ]);
      expect(findings.filter(({ check }) => check === 'origins')).toHaveLength(2);
      expect(exit).toBe(1);
      expect((await doctorReport('--offline')).origins).toBeUndefined();
    } finally {
      server.close();
    }
  });

  test('reports a wrong configuration file as a finding, and refuses unknown arguments', async () => {
    expect((await doctorReport('--config', 'nowhere.json')).findings[0]).toMatchObject({ check: 'configuration' });
    await expect(run('doctor', 'extra')).rejects.toThrow(SkillwireError);
  });
});

describe('nodeFindings()', () => {
  test.each([
    ['v18.20.0', 'problem'],
    ['v20.20.0', 'note'],
    ['v22.1.0', undefined],
    ['v24.0.0', undefined],
  ])('reports %s: %s', (version, level) => {
    expect(nodeFindings(version)[0]?.level).toBe(level);
  });
});

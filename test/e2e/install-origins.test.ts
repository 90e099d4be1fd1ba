/**
 * One skill from every kind of origin: added, committed as a lock file, and installed by a colleague with another home to the same
 * bytes. A lock file whose origin acts is refused until the colleague trusts it; one of a folder inside the project never asks. An origin
 * that gives other bytes than the lock file says ends the colleague's run with 7 and leaves their folder as it was.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { misbehavingServer } from '../../src/testing/index.ts';
import type { ActKind } from '../../src/trust/acts.ts';
import { eventually } from '../eventually.ts';
import { publishV01, publishV02, scriptedSite } from '../scripted-site.ts';
import { type CliFolder, type CliProcess, type CliResult, cliFolder, skillText } from './cli-process.ts';
import { serveSkills } from './served-skills.ts';
import { treeDigests } from './tree-digests.ts';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const agents = ['--agent', 'claude-code', '--agent', 'windsurf'] as const;
/** The state of the command, and of a server that it starts. */
const outside = ['no-home', '.cache'];

/** Bytes that would not survive as text: other line ends, a byte-order mark, binary bytes. */
const content: Readonly<Record<string, Uint8Array>> = {
  'SKILL.md': Buffer.from(skillText('tool', 'Line one.\r\nLine two.\n')),
  'notes/größe.md': Buffer.from('\uFEFFno end of line'),
  'data.bin': Uint8Array.from([0, 255, 254, 13, 10, 0x89]),
  'run.sh': Buffer.from('#!/bin/sh\necho hi\n'),
};
const evil: Readonly<Record<string, Uint8Array>> = { ...content, 'data.bin': Uint8Array.from([1]) };

interface Prepared {
  readonly origin: string;
  /** It says which files can be executed. */
  readonly executable: boolean;
  /** Makes it serve other content under the same address. */
  tamper(colleague: CliFolder): unknown;
  /** The values that the colleague has to accept; undefined if none. */
  readonly act: ActKind | undefined;
  /** Files whose names this kind of origin has to change. */
  nameOf?(path: string): string;
  /** Arguments of a colleague besides the lock file. */
  share?(colleague: CliFolder): unknown;
}

let team: CliFolder;
/** The folder of the origins. */
let elsewhere: CliFolder;
const colleagues: CliFolder[] = [];
const world = (...path: string[]): string => join(elsewhere.path, ...path);

beforeEach(() => {
  team = cliFolder();
  elsewhere = cliFolder();
});
afterEach(() => {
  for (const folder of [team, elsewhere, ...colleagues.splice(0)]) folder.remove();
});

function newColleague(): CliFolder {
  const colleague = cliFolder();
  colleagues.push(colleague);
  cpSync(join(team.path, 'skillwire.lock'), join(colleague.path, 'skillwire.lock'));
  return colleague;
}

function put(folder: string, files: Readonly<Record<string, Uint8Array>>): void {
  for (const [path, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
    chmodSync(join(folder, path), path.endsWith('.sh') ? 0o755 : 0o644);
  }
}

function stopped(process: CliProcess): CliProcess {
  onTestFinished(async () => {
    process.child.kill();
    await process.ended;
  });
  return process;
}

async function approved(...argv: string[]): Promise<CliResult> {
  const question = await team.run([...argv, '--json']);
  expect(question.exitCode, question.stderr).toBe(5);
  return team.run([...argv, '--approve', JSON.parse(question.stderr).error.data.planDigest]);
}

/** A colleague accepts a lock file that acts; nothing is installed before. */
async function acceptLock(colleague: CliFolder, act: ActKind | undefined): Promise<void> {
  if (act === undefined) return;
  const before = treeDigests(colleague.path, outside);
  const refused = await colleague.run(['install', '--json']);
  expect(refused.exitCode, refused.stderr).toBe(5);
  const file = join(colleague.path, 'skillwire.lock');
  expect(JSON.parse(refused.stderr).error).toMatchObject({
    code: 'NOT_TRUSTED',
    data: { file, acts: [{ kind: act }] },
  });
  expect(treeDigests(colleague.path, outside)).toEqual(before);
  await colleague.trust();
}

async function packed(format: 'tar.gz' | 'zip'): Promise<Prepared> {
  const pack = async (files: typeof content): Promise<void> => {
    rmSync(world('tool'), { recursive: true, force: true });
    put(world('tool'), files);
    rmSync(world(`tool.${format}`), { force: true });
    const made = await elsewhere.run(['pack', './tool', '--out', `./tool.${format}`]);
    expect(made.exitCode, made.stderr).toBe(0);
  };
  await pack(content);
  return { origin: world(`tool.${format}`), act: 'outside-folder', executable: true, tamper: () => pack(evil) };
}

const kinds: Readonly<Record<string, () => Prepared | Promise<Prepared>>> = {
  'a folder': () => {
    put(world('skills/tool'), content);
    const tamper = (): void => put(world('skills/tool'), evil);
    return { origin: world('skills'), act: 'outside-folder', executable: true, tamper };
  },
  'a folder of the project': () => {
    const own = (folder: CliFolder): string => join(folder.path, 'vendor/tool');
    put(own(team), content);
    return {
      origin: './vendor',
      act: undefined,
      executable: true,
      share: (colleague) => put(own(colleague), content),
      tamper: (colleague) => put(own(colleague), evil),
    };
  },
  'a tar.gz archive': () => packed('tar.gz'),
  'a zip archive': () => packed('zip'),
  'a site of v0.2': async () => {
    const site = await scriptedSite();
    publishV02(site, { tool: content });
    const tamper = (): void => void publishV02(site, { tool: evil });
    return { origin: site.origin, act: 'inside-address', executable: true, tamper };
  },
  'a site of v0.2 that gives another artifact than its index says': async () => {
    const site = await scriptedSite();
    publishV02(site, { tool: content }, { format: 'zip' });
    const tamper = async (): Promise<void> => {
      const other = await scriptedSite();
      publishV02(other, { tool: evil }, { format: 'zip' });
      site.set('/artifacts/tool.zip', other.files.get('/artifacts/tool.zip') ?? '');
    };
    return { origin: site.origin, act: 'inside-address', executable: true, tamper };
  },
  'a site of v0.1': async () => {
    const site = await scriptedSite();
    // Its index has no other names.
    const nameOf = (path: string): string => path.replace('größe', 'size');
    const plain = (files: typeof content): typeof content =>
      Object.fromEntries(Object.entries(files).map(([path, bytes]) => [nameOf(path), bytes]));
    publishV01(site, { tool: plain(content) });
    const tamper = (): void => void publishV01(site, { tool: plain(evil) });
    return { origin: site.origin, act: 'inside-address', executable: false, nameOf, tamper };
  },
  'an MCP server over HTTP': async () => {
    put(world('skills/tool'), content);
    const { origin, process } = await serveSkills(elsewhere);
    stopped(process);
    const tamper = async (): Promise<void> => {
      const seen = async (): Promise<string> => (await team.run(['show', origin, 'tool', '--json'])).stdout;
      const before = await seen();
      put(world('skills/tool'), evil);
      await eventually(async () => expect(await seen()).not.toBe(before), 100);
    };
    return { origin, act: 'inside-address', executable: true, tamper };
  },
  'an MCP server over stdio': () => {
    put(world('skills/tool'), content);
    const origin = `stdio:"${process.execPath}" "${main}" serve --stdio "${world('skills')}"`;
    return { origin, act: 'program', executable: true, tamper: () => put(world('skills/tool'), evil) };
  },
  'a Git repository': () => {
    const git = (...args: string[]): string =>
      execFileSync('git', ['-C', world('repo'), '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
        encoding: 'utf8',
      }).trim();
    const commit = (files: typeof content): string => {
      put(world('repo/skills/tool'), files);
      git('add', '.');
      git('update-index', '--chmod=+x', 'skills/tool/run.sh');
      git('commit', '--quiet', '-m', 'a version');
      return git('rev-parse', 'HEAD');
    };
    mkdirSync(world('repo'), { recursive: true });
    git('init', '--quiet', '--initial-branch=main');
    git('config', 'core.autocrlf', 'false');
    commit(content);
    const tamper = (colleague: CliFolder): void => {
      const other = commit(evil);
      const lock = join(colleague.path, 'skillwire.lock');
      writeFileSync(lock, readFileSync(lock, 'utf8').replace(/"revision": "[0-9a-f]+"/, `"revision": "${other}"`));
    };
    return { origin: `git:${world('repo')}#main`, act: 'outside-folder', executable: true, tamper };
  },
  'the folder of an agent': () => {
    const own = (folder: CliFolder): string => join(folder.path, '.codex/skills/tool');
    put(own(team), content);
    return {
      origin: 'agent:codex',
      act: 'outside-folder',
      executable: true,
      share: (colleague) => put(own(colleague), content),
      tamper: (colleague) => put(own(colleague), evil),
    };
  },
};

describe('a skill from', () => {
  test.each(Object.entries(kinds))(
    '%s is the same for a colleague, or nothing',
    { timeout: 180_000 },
    async (_, make) => {
      const { origin, act, executable, tamper, share = () => undefined, nameOf = (path) => path } = await make();
      const added = await approved('add', origin, 'tool', ...agents, '--scripts');
      expect(added.exitCode, added.stderr).toBe(0);
      for (const [path, bytes] of Object.entries(content))
        expect(readFileSync(join(team.path, '.agents/skills/tool', nameOf(path))), path).toEqual(Buffer.from(bytes));
      const installed = treeDigests(team.path, outside);
      expect(Object.keys(installed)).toEqual(expect.arrayContaining(['.claude/skills/tool', '.windsurf/skills/tool']));
      if (process.platform !== 'win32')
        expect(installed['.agents/skills/tool/run.sh']).toMatch(executable ? /^executable / : /^file /);

      const colleague = newColleague();
      share(colleague);
      await acceptLock(colleague, act);
      const done = await colleague.run(['install', '--json']);
      expect(done.exitCode, done.stderr).toBe(0);
      expect(JSON.parse(done.stdout).skills).toMatchObject([{ name: 'tool', action: 'restored' }]);
      expect(treeDigests(colleague.path, outside)).toEqual(installed);
      expect((await colleague.run(['install'])).stderr).toContain('Nothing to do: 1 skill up to date');

      const other = newColleague();
      share(other);
      await tamper(other);
      await acceptLock(other, act);
      const before = treeDigests(other.path, outside);
      const refused = await other.run(['install', '--json']);
      expect(refused.exitCode, refused.stderr).toBe(7);
      expect(JSON.parse(refused.stderr).error.code).toBe('VERIFICATION_FAILED');
      expect(treeDigests(other.path, outside)).toEqual(before);
      if (!['agent:codex', './vendor'].includes(origin)) expect(treeDigests(team.path, outside)).toEqual(installed);
    },
  );

  test('a live runtime that was pinned is the same for a colleague, or nothing', { timeout: 180_000 }, async () => {
    elsewhere.write({
      'skills/notes/SKILL.md': skillText('notes'),
      'live.mjs':
        "let n = 0; export default (r) => r.expose('/counter/skill.md', { description: 'Counts' }, () => 'Read ' + ++n + ' times.');\n",
    });
    const hub = stopped(elsewhere.start(['serve', './skills', '--mdp', '--http', '0', '--json', '--state', 'hub']));
    const { mdp, mcp } = JSON.parse(await hub.seen('stdout', /listening.*\n/)) as { mdp: string; mcp: string };
    stopped(elsewhere.start(['expose', './live.mjs', '--to', mdp, '--id', 'term']));
    await eventually(async () => {
      const { stdout } = await team.run(['list', `mcp:${mcp}`, '--json']);
      expect(JSON.parse(stdout).skills).toHaveLength(2);
    }, 200);
    const live = await team.run(['add', `mcp:${mcp}`, 'counter', ...agents]);
    expect(live).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('add --pin') });

    const pin = (...argv: string[]): Promise<CliResult> => elsewhere.run([...argv, '--state', 'hub']);
    const pinnedNow = async (): Promise<boolean> => {
      const shown = await team.run(['show', `mcp:${mcp}`, 'counter', '--json']);
      return typeof JSON.parse(shown.stdout).setDigest === 'string';
    };
    expect((await pin('pin', `mdp:${mdp}`, 'counter')).exitCode).toBe(0);
    await eventually(async () => expect(await pinnedNow()).toBe(true), 200);
    const added = await approved('add', `mcp:${mcp}`, 'counter', ...agents);
    expect(added.exitCode, added.stderr).toBe(0);
    const installed = treeDigests(team.path, outside);

    const colleague = newColleague();
    await acceptLock(colleague, 'inside-address');
    const done = await colleague.run(['install']);
    expect(done.exitCode, done.stderr).toBe(0);
    expect(treeDigests(colleague.path, outside)).toEqual(installed);

    expect((await pin('unpin', `mdp:${mdp}`, 'counter')).exitCode).toBe(0);
    await eventually(async () => expect(await pinnedNow()).toBe(false), 200);
    const other = newColleague();
    await acceptLock(other, 'inside-address');
    const before = treeDigests(other.path, outside);
    const dynamic = await other.run(['install', '--json']);
    expect(dynamic.exitCode).toBe(5);
    expect(JSON.parse(dynamic.stderr).error.code).not.toBe('NOT_TRUSTED');
    expect((await pin('pin', `mdp:${mdp}`, 'counter')).exitCode).toBe(0);
    await eventually(async () => expect(await pinnedNow()).toBe(true), 200);
    expect((await other.run(['install'])).exitCode).toBe(7);
    expect(treeDigests(other.path, outside)).toEqual(before);
  });
});

describe('a server that serves other bytes than promised', () => {
  test.each(['http', 'stdio-script'] as const)(
    'over %s ends add with 7, and nothing is installed',
    async (transport) => {
      const server = await misbehavingServer({ behavior: 'digest-lie-file', transport });
      onTestFinished(() => server.close());
      const origin =
        server.transport === 'http'
          ? `mcp:${server.url}`
          : `stdio:${[server.command, ...server.args].map((word) => `"${word}"`).join(' ')}`;
      const before = treeDigests(team.path, outside);
      const { exitCode, stderr } = await team.run(['add', origin, ...agents]);
      expect(exitCode, stderr).toBe(7);
      expect(treeDigests(team.path, outside)).toEqual(before);
    },
  );
});

test('a skills-lock.json is trusted as a whole, whichever of its skills are added', { timeout: 180_000 }, async () => {
  elsewhere.write({ 'one/first/SKILL.md': skillText('first'), 'two/second/SKILL.md': skillText('second') });
  const local = (path: string) => ({ source: world(path), sourceType: 'local' });
  team.write({
    'skills-lock.json': JSON.stringify({ version: 1, skills: { first: local('one'), second: local('two') } }),
  });
  const adding = async (name: string, ...flags: string[]) => {
    const { exitCode, stderr } = await team.run(['add', './skills-lock.json', name, ...agents, ...flags, '--json']);
    expect(exitCode, stderr).toBe(5);
    return JSON.parse(stderr).error;
  };
  const shown = await team.run(['trust', 'skills-lock.json', '--json']);
  const [{ digest }] = JSON.parse(shown.stdout).files;
  const refused = await adding('first');
  expect(refused).toMatchObject({ code: 'NOT_TRUSTED', data: { digest, acts: [{ value: world('one') }] } });
  expect((await adding('second', '--trust-config', digest)).code).toBe('NOT_APPROVED');
  await team.trust(['skills-lock.json']);
  for (const name of ['first', 'second']) expect((await adding(name)).code).toBe('NOT_APPROVED');
});

test('serve agent:claude-code serves the skills of one agent to every other one', async () => {
  put(join(team.path, '.claude/skills/tool'), content);
  const { origin, process } = await serveSkills(team, 'agent:claude-code');
  stopped(process);
  const colleague = cliFolder();
  colleagues.push(colleague);
  const { stdout } = await colleague.run(['list', origin, '--json']);
  expect(JSON.parse(stdout).skills).toMatchObject([{ name: 'tool' }]);
  const question = await colleague.run(['add', origin, ...agents, '--scripts', '--json']);
  const { planDigest } = JSON.parse(question.stderr).error.data;
  const added = await colleague.run(['add', origin, ...agents, '--scripts', '--approve', planDigest]);
  expect(added.exitCode, added.stderr).toBe(0);
  expect(treeDigests(join(colleague.path, '.agents/skills/tool'))).toEqual(
    treeDigests(join(team.path, '.claude/skills/tool')),
  );
});

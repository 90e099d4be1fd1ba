/** Every kind of origin through every entry point: the same options arrive at the source, for every caller. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { packArchive } from '../../../src/archive/pack.ts';
import type { LocationKind } from '../../../src/origins/kinds.ts';
import { gitRepository } from '../../git-server.ts';
import { type ReceivedRequest, scriptedHttp } from '../../scripted-http.ts';
import {
  type EntryPoint,
  entryPoints,
  type OriginUnderTest,
  type Surrounding,
  skillName,
  skillText,
} from './entry-points.ts';

const before = { cwd: process.cwd(), env: process.env };
const token = 'token-of-the-test';
const team = 'team of the test';
const earlier = '/elsewhere/skillwire.json';

let around: Surrounding;

beforeEach(() => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'skillwire-every-kind-')));
  const env = {
    PATH: process.env['PATH'] ?? '',
    SKILLWIRE_HOME: join(folder, 'home'),
    CODEX_HOME: join(folder, 'codex'),
    SKILLWIRE_STARTED_BY: earlier,
    TOKEN: token,
    TEAM: team,
  };
  around = { folder, env };
  process.chdir(folder);
  process.env = { ...process.env, ...env };
});

afterEach(() => {
  process.chdir(before.cwd);
  process.env = before.env;
  rmSync(around.folder, { recursive: true, force: true });
});

const httpFlags = ['--token-env', 'TOKEN', '--header', 'X-Team=TEAM'];
const httpSettings = { auth: { bearer: `$${'{TOKEN}'}` }, headers: { 'X-Team': `$${'{TEAM}'}` } };

/** Kinds that are reached over HTTP. The server records and has nothing. */
const addressed: Readonly<Partial<Record<LocationKind, (server: string) => Omit<OriginUnderTest, 'flags'>>>> = {
  mcp: (server) => ({
    text: `mcp:${server}/mcp`,
    configured: { mcp: `${server}/mcp`, ...httpSettings },
    place: { kind: 'mcp', url: `${server}/mcp` },
    uri: `skill://${skillName}/SKILL.md`,
  }),
  site: (server) => ({
    text: `${server}/docs`,
    configured: { site: `${server}/docs`, ...httpSettings },
    place: { kind: 'site', url: `${server}/docs` },
    uri: `skill://${skillName}/SKILL.md`,
  }),
  mdp: (server) => ({
    text: `mdp:${server.replace('http', 'ws')}`,
    configured: { mdp: server.replace('http', 'ws'), ...httpSettings },
    place: { kind: 'mdp', hub: server.replace('http', 'ws') },
    uri: `skill://mdp/a/${skillName}/SKILL.md`,
  }),
};

interface Arrival {
  readonly path: string;
  readonly token: string | undefined;
  readonly team: string | undefined;
  readonly via: boolean;
}

const arrival = ({ path, headers }: ReceivedRequest): Arrival => ({
  path,
  token: headers.authorization,
  team: headers['x-team']?.toString(),
  via: headers['skillwire-via'] !== undefined,
});

const firstPath: Readonly<Record<string, string>> = {
  mcp: '/mcp',
  site: '/docs/.well-known/agent-skills/index.json',
  mdp: '/mdp/skills',
};

/** Commands on an origin without content are not tested here. */
async function ignoringFailure(work: Promise<unknown>): Promise<unknown> {
  return work.catch((error: unknown) => error);
}

describe.each(Object.entries(addressed))('%s', (kind, originAt) => {
  test.each(entryPoints)('$name sends the same', async (entry) => {
    const server = await scriptedHttp((_, response) => response.writeHead(404).end());
    const ended = await ignoringFailure(entry.open({ ...originAt(server.origin), flags: httpFlags }, around));
    const [first, ...others] = server.requests.map(arrival);
    const sent = entry.secrets ? { token: `Bearer ${token}`, team } : { token: undefined, team: undefined };
    expect(first, String(ended)).toEqual({ path: firstPath[kind], ...sent, via: entry.gateway });
    for (const { path: _, ...rest } of others) expect(rest).toEqual({ ...sent, via: entry.gateway });
  });
});

describe.each(Object.entries(addressed))('%s that does not answer', (_, originAt) => {
  const timeoutMs = 300;
  test.each(entryPoints)('$name reports how long it waited', async (entry) => {
    const server = await scriptedHttp(() => {});
    const origin = originAt(server.origin);
    const configured = { ...(origin.configured as object), deadline: `${timeoutMs}ms` };
    const said = await ignoringFailure(entry.open({ ...origin, configured, flags: httpFlags, timeoutMs }, around));
    expect(server.requests.length).toBeGreaterThan(0);
    expect(String(said)).toContain(`within ${timeoutMs} ms`);
  });
});

/** Kinds that are started. The program records how it was started, and ends. */
const started: Readonly<Partial<Record<LocationKind, (words: readonly string[]) => Omit<OriginUnderTest, 'flags'>>>> = {
  stdio: (words) => ({
    text: `stdio:${words.join(' ')}`,
    configured: { stdio: words, env: { TEAM: `$${'{TEAM}'}` } },
    place: { kind: 'stdio', command: words },
    uri: `skill://${skillName}/SKILL.md`,
  }),
  'mdp-stdio': (words) => ({
    text: `mdp:stdio:${words.join(' ')}`,
    configured: { mdp: `stdio:${words.join(' ')}`, env: { TEAM: `$${'{TEAM}'}` } },
    place: { kind: 'mdp-stdio', hubCommand: words },
    uri: `skill://mdp/a/${skillName}/SKILL.md`,
  }),
};

describe.each(Object.entries(started))('%s', (_, originOf) => {
  test.each(entryPoints)('$name starts the same', async (entry) => {
    const program = join(around.folder, 'program');
    const record = join(around.folder, 'record');
    const lines = ['"$*"', '"$PWD"', '"$TEAM"', '"$TOKEN"', '"$SKILLWIRE_STARTED_BY"'];
    writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' ${lines.join(' ')} > ${record}\n`);
    chmodSync(program, 0o700);
    const ended = await ignoringFailure(
      entry.open({ ...originOf([program, 'one', 'two']), flags: ['--pass-env', 'TEAM'] }, around),
    );
    expect(existsSync(record), String(ended)).toBe(true);
    const by = entry.file ? [earlier, join(around.folder, 'skillwire.json')].join(delimiter) : earlier;
    expect(readFileSync(record, 'utf8').split('\n')).toEqual([
      'one two',
      around.folder,
      entry.secrets ? team : '',
      '',
      by,
      '',
    ]);
  });
});

/** Kinds whose files lie on this machine. */
const local: Readonly<Partial<Record<LocationKind, () => Omit<OriginUnderTest, 'flags'>>>> = {
  folder() {
    const path = join(around.folder, 'skills');
    mkdirSync(join(path, skillName), { recursive: true });
    writeFileSync(join(path, skillName, 'SKILL.md'), skillText);
    return {
      text: './skills',
      configured: './skills',
      place: { kind: 'folder', path: './skills' },
      uri: `skill://${skillName}/SKILL.md`,
    };
  },
  archive() {
    const files = [{ path: `${skillName}/SKILL.md`, bytes: Buffer.from(skillText), executable: false }];
    writeFileSync(join(around.folder, 'skills.zip'), packArchive(files, 'zip'));
    return {
      text: './skills.zip',
      configured: { archive: './skills.zip' },
      place: { kind: 'archive', path: './skills.zip' },
      uri: `skill://${skillName}/SKILL.md`,
    };
  },
  git() {
    gitRepository(join(around.folder, 'repository'), { [`skills/${skillName}/SKILL.md`]: skillText });
    return {
      text: 'git:./repository#main',
      configured: { git: './repository#main' },
      place: { kind: 'git', repository: './repository', ref: 'main' },
      uri: `skill://skills/${skillName}/SKILL.md`,
    };
  },
  agent() {
    const path = join(around.folder, 'codex/skills', skillName);
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, 'SKILL.md'), skillText);
    return {
      text: 'agent:codex',
      configured: { agent: 'codex' },
      place: { kind: 'agent', agent: 'codex' },
      uri: `skill://${skillName}/SKILL.md`,
    };
  },
};

describe.each(Object.entries(local))('%s', (_, origin) => {
  test.each(entryPoints)('$name finds the same skill', async (entry: EntryPoint) => {
    expect(await entry.open({ ...origin(), flags: [] }, around)).toContain(skillName);
  });
});

test('every kind is here', () => {
  const kinds: Readonly<Record<LocationKind, true>> = {
    folder: true,
    archive: true,
    site: true,
    mcp: true,
    stdio: true,
    mdp: true,
    'mdp-stdio': true,
    git: true,
    agent: true,
  };
  const tested = [addressed, started, local].flatMap((group) => Object.keys(group));
  expect(tested.sort()).toEqual(Object.keys(kinds).sort());
});

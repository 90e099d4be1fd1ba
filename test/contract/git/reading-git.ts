/** A repository with one skill, the source that reads it, and the folders and programs of a user, new for each test. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import type { LookupFunction } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Finding } from '../../../src/skill/finding.ts';
import { type GitSourceOptions, gitSource } from '../../../src/sources/git/git-source.ts';
import { type GitServer, gitRepository, gitServer } from '../../git-server.ts';

export const windows = process.platform === 'win32';
const skill = { 'skills/tool/SKILL.md': '---\nname: tool\ndescription: Does something.\n---\nDo it.\n' };
let folder: string;
export const at = (...path: string[]): string => join(folder, ...path);

/** For `beforeEach` of each file: modules are shared by files, so a hook in here would belong to the first one alone. */
export function newUser(): void {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'skillwire-git-')));
  const own = folder;
  onTestFinished(() => rmSync(own, { recursive: true, force: true }));
  mkdirSync(at('home'));
  gitRepository(at('repo'), skill);
}

/** The user's environment: their home has nothing of the person who runs the tests. */
export const env = (more: Readonly<Record<string, string>> = {}): Record<string, string> => {
  const { PATH = '', SystemRoot = '' } = process.env;
  return { PATH, SystemRoot, HOME: at('home'), USERPROFILE: at('home'), ...more };
};

interface Listed {
  readonly skills: readonly string[];
  readonly findings: readonly Finding[];
}

export async function list(options: Partial<GitSourceOptions> & Pick<GitSourceOptions, 'repository'>): Promise<Listed> {
  const source = gitSource({
    cacheFolder: at('cache'),
    env: env(),
    addresses: { trustedHost: '127.0.0.1' },
    exclusive: (_repository, work) => work(),
    ...options,
  });
  onTestFinished(async () => source.close?.());
  const skills: string[] = [];
  const findings: Finding[] = [];
  for await (const page of source.list({})) {
    skills.push(...page.skills.map(({ entry }) => entry.uri));
    findings.push(...(page.findings ?? []));
  }
  return { skills, findings };
}

export const found = ['skill://skills/tool/SKILL.md'];
export const blocked = { code: 'ADDRESS_BLOCKED' };
export const serve = (options: Parameters<typeof gitServer>[0] = {}): Promise<GitServer> =>
  gitServer({ repositories: { '/repo.git': at('repo') }, ...options });
export const moveTo =
  (origin: string) =>
  (path: string): string | undefined =>
    path.startsWith('/old.git/') ? `${origin}${path.replace('/old.git', '/repo.git')}` : undefined;

export const answers = (...addresses: string[]): LookupFunction =>
  ((_host, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )) as LookupFunction;
export const unknown: LookupFunction = ((_host, _options, callback) =>
  callback(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), [])) as LookupFunction;

/** A program that records that it ran, and prints this. */
export function program(name: string, prints = ''): { readonly path: string; readonly ran: () => boolean } {
  const path = at(name);
  writeFileSync(path, `#!/bin/sh\necho ran >> "${path}.log"\nprintf '%b' '${prints}'\n`);
  chmodSync(path, 0o755);
  return { path, ran: () => existsSync(`${path}.log`) };
}

/** A `git` before the real one that says it is of another version. Gives the `PATH` with it. */
export function gitOfVersion(version: string): string {
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  mkdirSync(at('bin'));
  const script = `#!/bin/sh\necho "$@" >> "${at('git.log')}"\nfor word; do [ "$word" = version ] && echo "git version ${version}" && exit; done\nexec "${real}" "$@"\n`;
  writeFileSync(at('bin/git'), script);
  chmodSync(at('bin/git'), 0o755);
  return `${at('bin')}:${process.env['PATH'] ?? ''}`;
}

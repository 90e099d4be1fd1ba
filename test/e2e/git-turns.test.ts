/**
 * Several processes that read one Git repository at once. They take turns, the turn of a killed process goes to the next one, and
 * a waiting process can be interrupted. A `git` in front of the real one reports when it fetches, and takes its time.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { type CliFolder, type CliProcess, type CliResult, cliFolder, skillText } from './cli-process.ts';

let folder: CliFolder;
const at = (...path: string[]): string => join(folder.path, ...path);

beforeEach(() => {
  folder = cliFolder();
  folder.write({ 'repo/skills/tool/SKILL.md': skillText('tool') });
  const git = (...args: string[]) => execFileSync('git', ['-C', at('repo'), ...args]);
  git('init', '--quiet', '--initial-branch=main');
  git('add', '.');
  git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '--quiet', '-m', 'one');
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  mkdirSync(at('bin'));
  const script = `#!/bin/sh
case " $* " in
  *" fetch "*)
    echo begin >> "${at('log')}"
    while [ -e "${at('hold')}" ]; do sleep 0.05; done
    sleep 0.3
    "${real}" "$@"; code=$?
    echo end >> "${at('log')}"
    exit $code;;
esac
exec "${real}" "$@"
`;
  writeFileSync(at('bin/git'), script);
  chmodSync(at('bin/git'), 0o755);
});
afterEach(() => {
  rmSync(at('hold'), { force: true });
  folder.remove();
});

const start = (): CliProcess =>
  folder.start(['list', 'git:./repo#main', '--json'], { PATH: `${at('bin')}:${process.env['PATH'] ?? ''}` });
const log = (): string => (existsSync(at('log')) ? readFileSync(at('log'), 'utf8') : '');
const namesOf = ({ stdout, stderr }: CliResult): readonly string[] => {
  expect(stderr).toBe('');
  return JSON.parse(stdout).skills.map(({ name }: { name: string }) => name);
};
const cache = (): string => at('no-home/cache/git');

describe.skipIf(process.platform === 'win32')('processes that read one repository', () => {
  test('fetch one after another, and all get it', async () => {
    const ended = await Promise.all([start(), start(), start()].map((process) => process.ended));
    for (const result of ended) expect(namesOf(result)).toEqual(['tool']);
    expect(log()).toBe('begin\nend\n'.repeat(3));
    const left = readdirSync(cache(), { recursive: true, encoding: 'utf8' });
    expect(left.filter((name) => /\.lock$|\/lock/.test(name))).toEqual([]);
  });

  test('continue after one was killed', async () => {
    writeFileSync(at('hold'), '');
    const first = start();
    await eventually(() => expect(log()).toBe('begin\n'), 50);
    const second = start();
    first.child.kill('SIGKILL');
    await first.ended;
    await eventually(() => expect(log()).toBe('begin\nbegin\n'), 50);
    rmSync(at('hold'));
    expect(namesOf(await second.ended)).toEqual(['tool']);
  });

  test('can be interrupted while they wait', async () => {
    writeFileSync(at('hold'), '');
    const first = start();
    await eventually(() => expect(log()).toBe('begin\n'), 50);
    const second = start();
    await eventually(
      () => expect(readdirSync(cache(), { recursive: true, encoding: 'utf8' }).join()).toContain('lock.claim-'),
      50,
    );
    second.child.kill('SIGINT');
    expect((await second.ended).exitCode).toBe(130);
    rmSync(at('hold'));
    expect(namesOf(await first.ended)).toEqual(['tool']);
    expect(log()).toBe('begin\nend\n');
  });

  test.each(['shallow.lock', 'config.lock', 'refs'])('remove locks of a killed git (%s)', async (what) => {
    expect(namesOf(await start().ended)).toEqual(['tool']);
    const [bare = ''] = readdirSync(cache()).filter((name) => name.endsWith('.git'));
    const ref = readdirSync(join(cache(), bare, 'refs/skillwire'))[0] ?? '';
    writeFileSync(join(cache(), bare, what === 'refs' ? `refs/skillwire/${ref}.lock` : what), '');
    folder.write({ 'repo/skills/more/SKILL.md': skillText('more') });
    const git = (...args: string[]) => execFileSync('git', ['-C', at('repo'), ...args]);
    git('add', '.');
    git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '--quiet', '-m', 'two');
    expect(namesOf(await start().ended)).toEqual(['more', 'tool']);
  });
});

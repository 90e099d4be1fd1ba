/**
 * Builds of a site on a full disk. The command says so and exits with 2, the old site stays readable, and the failed build takes no space
 * from the next one. A preload fails every call that needs space, which any user can run. One test has a real disk of 2 MiB: a tmpfs
 * in a namespace of its own, which Linux allows without root. If the system has no such namespaces, the preload stands in for the disk.
 */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { folderDigests } from '../folder-digests.ts';
import { skill, type Tree, write } from '../skill-folders.ts';
import { soakFactor } from '../soak-factor.ts';

const preload = new URL('./fails-at.mjs', import.meta.url).href;
const command = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

const old: Tree = {
  one: { 'SKILL.md': skill('one') },
  edited: { 'SKILL.md': skill('edited'), references: { 'a.md': 'a', 'b.md': 'b' } },
  gone: { 'SKILL.md': skill('gone'), 'z.md': 'z' },
};
const fresh: Tree = {
  one: { 'SKILL.md': skill('one', 'Another body.\n') },
  edited: { 'SKILL.md': skill('edited'), references: { 'a.md': 'A', 'c.md': 'c' } },
  come: { 'SKILL.md': skill('come'), scripts: { 'run.sh': 'echo\n' } },
};
const small: Tree = { one: { 'SKILL.md': skill('one') } };

let top: string;

beforeEach(() => {
  if (!existsSync(command)) throw new Error(`There is no built program at "${command}". Run \`npm run build\`.`);
  top = mkdtempSync(join(tmpdir(), 'skillwire-full-disk-'));
});

afterEach(() => rmSync(top, { recursive: true, force: true }));

const argv = [command, 'build', 'skills', '--out', 'site', '--keep', '0', '--no-cache'];

function environment(): NodeJS.ProcessEnv {
  const { PATH = '', SystemRoot = '' } = process.env;
  return { PATH, SystemRoot, HOME: top, USERPROFILE: top, SKILLWIRE_HOME: top };
}

function build(place: string, failAt = 0): Promise<{ readonly code: number | null; readonly said: string }> {
  const env = { ...environment(), FAIL_AT: String(failAt) };
  const stdio = ['ignore', 'ignore', 'pipe'] as const;
  const running = spawn(process.execPath, ['--import', preload, ...argv], { cwd: place, env, stdio: [...stdio] });
  let said = '';
  running.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  return new Promise((resolve, reject) => {
    running.once('error', reject).once('close', (code) => resolve({ code, said }));
  });
}

const isIndex = (path: string): boolean => path.endsWith('index.json');

test.each([
  ['of a new site', undefined],
  ['of a site that was built before', old],
] as const)('a build %s frees its space again', { timeout: 900_000 }, async (_, before) => {
  const template = join(top, 'template');
  if (before !== undefined) {
    await write(join(template, 'skills'), before);
    expect(await build(template)).toMatchObject({ code: 0 });
    renameSync(join(template, 'skills'), join(template, 'before'));
  }
  await write(join(template, 'skills'), fresh);
  const published = folderDigests(join(template, 'site'));

  const whole = join(top, 'whole');
  cpSync(template, whole, { recursive: true });
  const calls = Number(/calls=(\d+)/.exec((await build(whole)).said)?.[1]);
  expect(calls).toBeGreaterThan(20);
  const wanted = folderDigests(join(whole, 'site'));

  const failures = Math.min(calls, 8 * soakFactor);
  let emptied = 0;
  for (let failure = 0; failure < failures; failure++) {
    const at = 1 + Math.floor((failure * calls) / failures);
    const place = join(top, `place-${failure}`);
    cpSync(template, place, { recursive: true });
    const when = `full at call ${at} of ${calls}`;
    const failed = await build(place, at);
    expect(failed.code, `${when}: ${failed.said}`).toBe(2);
    expect(failed.said, when).toMatch(/Cannot write the site .*ENOSPC.*Free some space, or choose another disk/);
    const left = folderDigests(join(place, 'site'));
    const hasNewIndex = Object.keys(left).some((path) => isIndex(path) && left[path] !== published[path]);
    const added = Object.keys(left).filter((path) => !(path in published));
    // An index that is written may name every new file. Before that, only the record of a changed site stays.
    if (!hasNewIndex) {
      emptied++;
      const record = before === undefined ? [] : ['.skillwire-site-unfinished.json'];
      expect(
        added.filter((path) => !record.includes(path)),
        when,
      ).toEqual([]);
    }
    const again = await build(place);
    expect(again, `${when}: ${again.said}`).toMatchObject({ code: 0 });
    expect(folderDigests(join(place, 'site')), when).toEqual(wanted);
    rmSync(place, { recursive: true, force: true });
  }
  expect(emptied).toBeGreaterThan(failures / 2);
});

test('a smaller site fits on a disk that a larger one filled', { timeout: 120_000 }, async () => {
  const place = join(top, 'place');
  const large: Record<string, Tree> = {};
  // Random text cannot be packed.
  const noise = (length: number): string => Array.from({ length }, () => Math.random().toString(36)[2] ?? 'x').join('');
  for (let index = 0; index < 40; index++)
    large[`large-${index}`] = { 'SKILL.md': skill(`large-${index}`), 'data.txt': noise(100_000) };
  await write(join(place, 'skills'), large);
  await write(join(place, 'small', 'skills'), small);
  mkdirSync(join(place, 'disk'));
  const quoted = [process.execPath, ...argv].map((word) => `'${word}'`).join(' ');
  const script = `mount -t tmpfs -o size=2m tmpfs disk && cd disk || exit 99
    ln -s ../skills skills && ${quoted}; echo "first=$?"
    rm skills && ln -s ../small/skills skills && ${quoted}; echo "second=$?"`;
  const unshared = spawnSync('unshare', ['-Urm', 'sh', '-c', script], {
    cwd: place,
    env: environment(),
    encoding: 'utf8',
  });
  const hasNamespaces = unshared.status === 0;
  if (hasNamespaces) {
    expect(unshared.stderr).toMatch(/ENOSPC.*Free some space/);
    expect(unshared.stdout).toMatch(/first=2[\s\S]*second=0/);
    return;
  }
  const calls = Number(/calls=(\d+)/.exec((await build(join(place, 'small'))).said)?.[1]);
  expect((await build(place, calls + 10)).code).toBe(2);
  rmSync(join(place, 'skills'), { recursive: true });
  await write(join(place, 'skills'), small);
  expect(folderDigests(join(place, 'site'))).toEqual({});
  expect((await build(place)).code).toBe(0);
});

/**
 * Builds of a site that are killed. Readers of the site find everything that its index names. The next build completes it, even if the
 * skills are unchanged. Every call that changes the disk is a point at which a process can be killed. The soak takes nearly all of them,
 * the test command a few.
 */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { decodeIndex } from '../../src/dialects/well-known/decode-index.ts';
import { nodeDigest } from '../../src/store/embedded/node-digest.ts';
import { folderDigests } from '../folder-digests.ts';
import { skill, type Tree, write } from '../skill-folders.ts';
import { soakFactor } from '../soak-factor.ts';

const preload = new URL('./killed-at.mjs', import.meta.url).href;
const command = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

const old: Tree = {
  one: { 'SKILL.md': skill('one') },
  edited: { 'SKILL.md': skill('edited'), references: { 'a.md': 'a', 'b.md': 'b' } },
  swapped: { 'SKILL.md': skill('swapped'), thing: 'a file', place: { 'x.md': 'in a folder' } },
  gone: { 'SKILL.md': skill('gone'), 'z.md': 'z' },
};
const fresh: Tree = {
  one: { 'SKILL.md': skill('one', 'Another body.\n') },
  edited: { 'SKILL.md': skill('edited'), references: { 'a.md': 'A', 'c.md': 'c' } },
  swapped: { 'SKILL.md': skill('swapped'), thing: { 'y.md': 'in a folder' }, place: 'a file' },
  come: { 'SKILL.md': skill('come'), scripts: { 'run.sh': 'echo\n' } },
};

let top: string;

beforeEach(() => {
  if (!existsSync(command)) throw new Error(`There is no built program at "${command}". Run \`npm run build\`.`);
  top = mkdtempSync(join(tmpdir(), 'skillwire-build-kill-'));
});

afterEach(() => rmSync(top, { recursive: true, force: true }));

interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly said: string;
}

/** `skillwire build skills --out site` in a folder. */
function build(place: string, killAt = 0): Promise<Outcome> {
  const { PATH = '', SystemRoot = '' } = process.env;
  const argv = ['--import', preload, command, 'build', 'skills', '--out', 'site', '--keep', '0', '--no-cache'];
  const env = { PATH, SystemRoot, HOME: top, USERPROFILE: top, SKILLWIRE_HOME: top, KILL_AT: String(killAt) };
  const running = spawn(process.execPath, argv, { cwd: place, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  running.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  return new Promise((resolve, reject) => {
    running.once('error', reject).once('close', (code, signal) => resolve({ code, signal, said }));
  });
}

/** Files that the index of a site names and that are missing or different. */
function missing(site: string): readonly string[] {
  const place = '.well-known/agent-skills/index.json';
  if (!existsSync(join(site, place))) return [];
  const index = decodeIndex(readFileSync(join(site, place)), `http://site/${place}`);
  if (index.version !== '0.2.0') throw new Error(index.version);
  return index.entries.flatMap(({ name, url, digest }) => {
    const file = join(site, new URL(url).pathname);
    return existsSync(file) && nodeDigest(readFileSync(file)) === digest ? [] : [name];
  });
}

test.each([
  ['of a new site', undefined],
  ['of a site that was built before', old],
] as const)('a killed build %s is completed by the next', { timeout: 900_000 }, async (_, before) => {
  const template = join(top, 'template');
  if (before !== undefined) {
    await write(join(template, 'skills'), before);
    expect(await build(template)).toMatchObject({ code: 0 });
    renameSync(join(template, 'skills'), join(template, 'before'));
  }
  await write(join(template, 'skills'), fresh);

  const expected = new Map<string, Record<string, string>>();
  for (const [name, tree] of [['same', fresh] as const, ['back', old] as const]) {
    const place = join(top, name);
    await write(join(place, 'skills'), tree);
    expect(await build(place)).toMatchObject({ code: 0 });
    expected.set(name, folderDigests(join(place, 'site')));
  }

  const whole = join(top, 'whole');
  cpSync(template, whole, { recursive: true });
  const calls = Number(/calls=(\d+)/.exec((await build(whole)).said)?.[1]);
  expect(calls).toBeGreaterThan(20);
  expect(folderDigests(join(whole, 'site'))).toEqual(expected.get('same'));

  const kills = Math.min(calls, 8 * soakFactor);
  for (let kill = 0; kill < kills; kill++) {
    const at = 1 + Math.floor((kill * calls) / kills);
    const place = join(top, `place-${kill}`);
    cpSync(template, place, { recursive: true });
    const when = `killed at call ${at} of ${calls}`;
    expect((await build(place, at)).signal, when).toBe('SIGKILL');
    expect(missing(join(place, 'site')), when).toEqual([]);

    // Every second time the skills are unchanged, and files of the interrupted build must be removed.
    const back = kill % 2 === 1;
    if (back) {
      rmSync(join(place, 'skills'), { recursive: true });
      await write(join(place, 'skills'), old);
    }
    // The folder of a killed process is removed when it is old: until then, the process may still be writing.
    const again = await build(place);
    expect(again, `${when}: ${again.said}`).toMatchObject({ code: 0 });
    for (const name of readdirSync(join(place, 'site')))
      if (name.startsWith('.skillwire-next-')) rmSync(join(place, 'site', name), { recursive: true });
    expect(folderDigests(join(place, 'site')), when).toEqual(expected.get(back ? 'back' : 'same'));
    rmSync(place, { recursive: true, force: true });
  }
});

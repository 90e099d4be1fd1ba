/** `skillwire validate --fix` on real files: what it writes, what it does not touch, and what it reports. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CliInProcess, cliInProcess } from '../cli-in-process.ts';

let cli: CliInProcess;
let root: string;

const good = '---\nname: a\ndescription: Does a.\n---\n';
const unlisted = '---\nname: a\ndescription: Does a.\nmetadata:\n  version: 1.0 # first\n---\n\n# A\n';

function put(path: string, text: string): string {
  const file = join(root, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const text = (file: string): string => readFileSync(file, 'utf8');
const fix = (...flags: readonly string[]) => cli.run('validate', join(root, 'skills'), '--no-cache', '--fix', ...flags);

interface FixOutput {
  readonly fix: {
    readonly dryRun: boolean;
    readonly fixed: { file: string; changes: string[] }[];
    readonly left: { reason: string }[];
  };
  readonly counts: { readonly problems: number; readonly warnings: number; readonly skills: number };
}

beforeEach(() => {
  cli = cliInProcess();
  root = mkdtempSync(join(tmpdir(), 'skillwire-fix-'));
  mkdirSync(join(root, 'skills'));
});

afterEach(() => {
  cli.remove();
  rmSync(root, { recursive: true, force: true });
});

describe('validate --fix', () => {
  test('writes the fix, keeps the mode and the rest, shows the difference and exits with 0', async () => {
    const file = put('skills/a/SKILL.md', unlisted);
    const mode = statSync(file).mode;
    const { exitCode, out } = await fix();
    expect(text(file)).toBe(unlisted.replace('1.0', '"1.0"'));
    expect(statSync(file).mode).toBe(mode);
    expect(out).toContain('-   version: 1.0 # first');
    expect(out).toContain('+   version: "1.0" # first');
    expect(out).toContain('Fixed 1 file.');
    expect(exitCode).toBe(0);
    expect(readdirSync(join(root, 'skills/a'))).toEqual(['SKILL.md']);
    expect((await fix()).out).toContain('Fixed 0 files.');
  });

  test('with --dry-run writes nothing and exits with 1', async () => {
    const file = put('skills/a/SKILL.md', unlisted);
    const { exitCode, out } = await fix('--dry-run');
    expect(text(file)).toBe(unlisted);
    expect(out).toContain('Would fix 1 file.');
    expect(exitCode).toBe(1);
  });

  test('renames skill.md, unless there is a SKILL.md', async () => {
    put('skills/a/skill.md', good);
    put('skills/b/SKILL.md', good.replaceAll('a', 'b'));
    await fix();
    expect(readdirSync(join(root, 'skills/a'))).toEqual(['SKILL.md']);
  });

  test('reports fixes and remaining findings as JSON', async () => {
    put('skills/a/SKILL.md', '---\nname: A a\ndescription: Use when: b\n---\n');
    put('skills/b/SKILL.md', '# no frontmatter\n');
    const { exitCode, out } = await fix('--json');
    const { fix: done, counts } = JSON.parse(out) as FixOutput;
    expect(done.fixed.map(({ changes }) => changes)).toEqual([
      ['put the value of "description" in quotes', 'changed the name "A a" to "a"'],
    ]);
    expect(done).toMatchObject({ dryRun: false, left: [] });
    expect(counts).toMatchObject({ problems: 1, warnings: 0, skills: 1 });
    expect(exitCode).toBe(1);
  });

  test('never writes through a link, to a file or a folder', async () => {
    const outside = put('outside/one/SKILL.md', unlisted.replace('name: a', 'name: one'));
    const inside = put('skills/real/SKILL.md', unlisted.replace('name: a', 'name: real'));
    mkdirSync(join(root, 'skills/two'));
    symlinkSync(inside, join(root, 'skills/two/SKILL.md'));
    symlinkSync(join(root, 'outside/one'), join(root, 'skills/one'));
    const before = text(outside);
    await fix();
    expect(text(outside)).toBe(before);
    expect(text(inside)).toContain('"1.0"');
    expect(readdirSync(join(root, 'outside/one'))).toEqual(['SKILL.md']);
  });

  test('reverts a fix that takes the URI of another skill', async () => {
    const file = put('skills/egret/SKILL.md', '---\nname: Egret\ndescription: Tells of egrets.\n---\n');
    put('others/egret/SKILL.md', '---\nname: egret\ndescription: Tells of others.\n---\n');
    const before = text(file);
    const { fix: done, counts } = JSON.parse((await fix('--json', join(root, 'others'))).out) as FixOutput;
    expect(text(file)).toBe(before);
    expect(done.fixed).toEqual([]);
    expect(done.left).toHaveLength(1);
    expect(counts).toMatchObject({ problems: 1, skills: 1 });
  });

  test.each([
    [['validate', '--fix'], '--fix needs folders'],
    [['validate', '.', '--dry-run'], '--dry-run needs --fix'],
  ])('refuses %j', async (argv, message) => {
    const { exitCode, err } = await cli.run(...argv);
    expect(err).toContain(message);
    expect(exitCode).toBe(2);
  });
});

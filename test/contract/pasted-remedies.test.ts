/**
 * Remedies with a line to paste, on skills with the faults of public ones: `validate` says what to write, and the skill with these lines is
 * served and has no warning that it did not have before. `scripts/check-remedies.mjs` does the same with real repositories.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { cliInProcess } from '../cli-in-process.ts';
import { temporary } from '../skill-folders.ts';

interface Found {
  readonly level: string;
  readonly rule: string;
  readonly remedy: string;
  readonly file: string;
  readonly line: number;
}
type Paste = (
  lines: readonly string[],
  finding: Found,
) => { readonly lines: readonly string[]; readonly folder?: string } | undefined;

const script = join(import.meta.dirname, '../../scripts/paste-remedy.mjs');
const { pasteRemedy } = (await import(script)) as { readonly pasteRemedy: Paste };

/** Lines of public skills with other words. `NAME` is the folder. */
const shapes = {
  folder: ['pdf-tools', 'system_monitor', 'Vibe Dev', 'r--notes', '123', 'a'.repeat(70), 'null', 'Flow (2)', 'tools-'],
  name: [
    'name: NAME',
    'name: NAME',
    'name: Pulse Editor Vibe Flow',
    'name: system_monitor',
    'name: r-notes-of--94ff76c5',
    'name:',
    'name: 42',
    'name: "Quoted Name"',
    'name: >\n  Folded\n  Name',
    'name: -edge-',
    `name: ${'word-'.repeat(14)}end`,
    undefined,
  ],
  description: [
    'description: Does it.',
    'description: Does it.',
    'description: Use when: the user asks for it',
    'description: Runs plans: no "quotes" and no #comments: none',
    'description: Use when: the text\n  goes on: here',
    'description: "Use when: a\nor b happens.\nAlso c."',
    "description: 'It's broken'",
    'description: , and this begins with a comma',
    'description: @mention first',
    'description: `code` first',
    'description: 50% of all: "a", \'b\' and \\c',
    'description: {user} asks: do',
    'description: [PDF] forms: fill in',
    'description: * a star',
    'description: >-\n  Folded text: with a colon.',
  ],
  more: [
    undefined,
    undefined,
    'license: MIT',
    'metadata:\n  version: "1.0"\n  author: Ada',
    'compatibility: Needs node: 20',
    'argument-hint: [file] [mode]',
    'allowed-tools: Read, Write',
    'version: 1.0.0',
    'homepage: https://example.com/a: b',
  ],
};

/** mulberry32 */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const count = 500;

test.each([1, 23])(
  'each pasted remedy leads to a served skill (seed %i)',
  async (seed) => {
    const next = random(seed);
    const one = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
    const root = await temporary();
    for (let index = 0; index < count; index++) {
      const folder = join(root, `s${index}`, one(shapes.folder));
      const fields = [one(shapes.name), one(shapes.description), one(shapes.more)];
      if (next() < 0.3) fields.reverse();
      const lines = fields.filter((line) => line !== undefined).join('\n');
      const end = one(['\n', '\n', '\r\n']);
      mkdirSync(folder, { recursive: true });
      const text = `---\n${lines.replace('NAME', basename(folder))}\n---\n\n# Title\n`;
      writeFileSync(join(folder, 'SKILL.md'), text.replaceAll('\n', end));
    }
    const cli = cliInProcess();
    onTestFinished(() => cli.remove());
    const validated = async (): Promise<Map<string, Found[]>> => {
      const { findings } = JSON.parse((await cli.run('validate', root, '--json')).out) as { findings: Found[] };
      const byFile = new Map<string, Found[]>();
      for (const found of findings) byFile.set(found.file, [...(byFile.get(found.file) ?? []), found]);
      return byFile;
    };
    const before = await validated();
    const pasted = new Map<string, readonly Found[]>();
    for (const [file, findings] of before) {
      const problems = findings.filter(({ level }) => level === 'problem');
      let lines: readonly string[] | undefined = readFileSync(file, 'utf8').split(/\r?\n/);
      let folder: string | undefined;
      // From the last line to the first, so that line numbers stay valid.
      for (const problem of problems.toSorted((a, b) => b.line - a.line)) {
        const done: ReturnType<Paste> = lines === undefined ? undefined : pasteRemedy(lines, problem);
        lines = done?.lines;
        folder ??= done?.folder;
      }
      if (problems.length === 0 || lines === undefined) continue;
      writeFileSync(file, lines.join('\n'));
      const to = folder === undefined ? dirname(file) : join(dirname(file), '..', folder);
      if (folder !== undefined) renameSync(dirname(file), to);
      pasted.set(join(to, 'SKILL.md'), findings);
    }
    expect(pasted.size).toBeGreaterThan(count / 4);
    const after = await validated();
    for (const [file, findings] of pasted) {
      const known = new Set(findings.map(({ rule }) => rule));
      const fresh = (after.get(file) ?? []).filter(
        ({ level, rule }) => level === 'problem' || (level === 'warning' && !known.has(rule)),
      );
      expect(fresh, `${readFileSync(file, 'utf8')}\nbefore: ${JSON.stringify(findings, null, 1)}`).toEqual([]);
    }
  },
  120_000,
);

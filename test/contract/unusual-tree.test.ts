import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validate } from 'skills-ref';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DirectoryReport, ReportedSkill } from '../../src/sources/directory/directory-report.ts';
import { directorySource } from '../../src/sources/directory/directory-source.ts';
import { type UnusualTree, writeUnusualTree } from '../../src/testing/unusual-tree.ts';

let tree: UnusualTree;
let report: DirectoryReport;

beforeAll(async () => {
  tree = await writeUnusualTree(await mkdtemp(join(tmpdir(), 'skillwire-odd-')));
  report = await directorySource(tree.root, { watch: false }).report();
}, 60_000);

afterAll(async () => {
  await rm(tree.root, { recursive: true, force: true });
});

const at = (uri: string): ReportedSkill | undefined => report.skills.find(({ skill }) => skill.entry.uri === uri);

describe('the unusual tree', () => {
  test('is served exactly as far as the wire rules allow', () => {
    const expected = tree.skills.flatMap(({ uri }) => (uri === undefined ? [] : [uri])).sort();
    expect(report.skills.map(({ skill }) => skill.entry.uri).sort()).toEqual(expected);
  });

  test('publishes exactly the files of each skill, and no forbidden ones', () => {
    for (const { about, uri, files } of tree.skills) {
      if (uri === undefined || files === undefined) continue;
      expect(
        at(uri)?.files.map(({ path }) => path),
        about,
      ).toEqual([...files].sort());
    }
  });

  test('reports the rules that each skill breaks, and only those', () => {
    const root = `${tree.root}/`;
    const known = tree.skills.map(({ folder }) => folder).sort((a, b) => b.length - a.length);
    const broken = new Map<string, Set<string>>();
    for (const { file, rule } of report.findings) {
      expect(file, rule).toBeDefined();
      const path = file?.slice(root.length) ?? '';
      const folder = known.find((name) => path === name || path.startsWith(`${name}/`)) ?? path;
      broken.set(folder, (broken.get(folder) ?? new Set()).add(rule));
    }
    for (const { folder, about, rules } of tree.skills)
      expect([...(broken.get(folder) ?? [])].sort(), `${folder}: ${about}`).toEqual([...new Set(rules)].sort());
  });

  test('every skill that skills-ref accepts is served, except for the listed ones', async () => {
    let valid = 0;
    for (const { folder, uri, acceptedBySkillsRef } of tree.skills) {
      if ((await validate(join(tree.root, folder))).length > 0) continue;
      valid++;
      expect(uri !== undefined || acceptedBySkillsRef !== undefined, folder).toBe(true);
    }
    expect(valid).toBeGreaterThan(20);
  });

  test('every finding names a rule, a message and a remedy', () => {
    for (const { message, remedy } of report.findings) {
      expect(message.length).toBeGreaterThan(10);
      expect(remedy.length).toBeGreaterThan(5);
    }
  });
});

/**
 * Our server before the official Inspector: every listed file is read back and hashed, over both transports and in both
 * eras. `skills/list --verify` never calls `skills/get`, so each shape of skill is fetched by itself as well.
 */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type UnusualSkill, type UnusualTree, writeUnusualTree } from '../../src/testing/unusual-tree.ts';
import { clientRow } from '../client-row.ts';
import {
  type Era,
  type InspectorRun,
  type InspectorTarget,
  runInspector,
  type SkillReport,
  skillReports,
} from './inspector.ts';
import { installedFile } from './installed.ts';
import { SAMPLE_FILES, SAMPLE_SKILLS, writeSampleTree } from './sample-tree.ts';
import { type ScratchFolder, scratchFolder } from './scratch-folder.ts';
import { type SkillwireProcess, serveOverHttp, skillwireOverStdio } from './skillwire-process.ts';

const TIMEOUT_MS = 120_000;

const ROUTES = (['http', 'stdio'] as const).flatMap((transport) => {
  return (['modern', 'legacy'] as const).map((era) => ({ transport, era }));
});

type Route = (typeof ROUTES)[number];

/** Those of the unusual tree whose URI, bytes or place differs most from a plain skill. */
const UNUSUAL_FOLDERS = [
  'spaced-file-name',
  'non-ascii-file-names',
  'decomposed-file-name',
  'team notes/spaced-prefix',
  'renamed/table-check-v2',
  'lower-case-file',
  'byte-order-mark',
  'latin-1-reference',
  'skill-in-skill/inner-check',
  'pinned-checks',
];

const SHAPES = Object.keys(SAMPLE_SKILLS) as (keyof typeof SAMPLE_SKILLS)[];

describe('the Inspector', { timeout: TIMEOUT_MS }, () => {
  let scratch: ScratchFolder;
  let unusual: UnusualTree;
  const trees = new Map<string, { readonly root: string; readonly server: SkillwireProcess }>();

  beforeAll(async () => {
    scratch = await scratchFolder();
    const sample = join(scratch.path, 'sample');
    await mkdir(sample);
    await writeSampleTree(sample);
    await serveTree('sample', sample);
    unusual = await writeUnusualTree(join(scratch.path, 'odd'));
    await serveTree('odd', unusual.root);
    await serveTree('examples', fileURLToPath(new URL('../../examples/skills', import.meta.url)));
  }, TIMEOUT_MS);

  afterAll(async () => {
    for (const { server } of trees.values()) await server.stop();
    await scratch?.remove();
  }, TIMEOUT_MS);

  describe.each(ROUTES)('over $transport in the $era era', (route) => {
    test('verifies every skill of the sample tree in one listing', async () => {
      const run = await runInspector({ target: target('sample', route), method: 'skills/list', verify: true });
      expectVerified(run);
      const listed = Object.fromEntries(skillReports(run).map(({ uri, files }) => [uri, sortedUris(files)]));
      expect(listed).toEqual(Object.fromEntries(SHAPES.map((shape) => [SAMPLE_SKILLS[shape], SAMPLE_FILES[shape]])));
    });

    test.each(SHAPES)('verifies the %s skill of the sample tree alone', async (shape) => {
      const uri = SAMPLE_SKILLS[shape];
      const run = await runInspector({ target: target('sample', route), method: 'skills/get', uri, verify: true });
      expectVerified(run);
      expect(skillReports(run).map((report) => [report.uri, sortedUris(report.files)])).toEqual([
        [uri, SAMPLE_FILES[shape]],
      ]);
    });

    test('verifies every example skill', async () => {
      const run = await runInspector({ target: target('examples', route), method: 'skills/list', verify: true });
      expectVerified(run);
      expect(skillReports(run)).not.toEqual([]);
    });

    test('verifies every unusual skill that can be served, and sees no other', async () => {
      const run = await runInspector({ target: target('odd', route), method: 'skills/list', verify: true });
      expectVerified(run);
      expect(Object.fromEntries(skillReports(run).map(publishedFiles))).toEqual(
        Object.fromEntries(expectedFiles(unusual.skills)),
      );
    });

    test.for(UNUSUAL_FOLDERS)('verifies the unusual skill "%s" alone', async (folder, context) => {
      const skipped = unusual.skipped.find((skill) => skill.folder === folder);
      if (skipped !== undefined) return context.skip(skipped.why);
      const skills = unusual.skills.filter((skill) => skill.folder === folder);
      const uri = skills[0]?.uri ?? `no odd skill is in "${folder}"`;
      const run = await runInspector({ target: target('odd', route), method: 'skills/get', uri, verify: true });
      expectVerified(run);
      expect(skillReports(run).map(publishedFiles)).toEqual(expectedFiles(skills));
    });
  });

  async function serveTree(name: string, root: string): Promise<void> {
    trees.set(name, { root, server: await serveOverHttp(root, '--list-all') });
  }

  function target(name: string, { transport, era }: Route): InspectorTarget {
    const tree = trees.get(name);
    if (tree === undefined) throw new Error(`No tree is called "${name}".`);
    return transport === 'http'
      ? { url: tree.server.mcp, era }
      : { ...skillwireOverStdio(tree.root, '--list-all'), era };
  }
});

clientRow(
  {
    client: '@modelcontextprotocol/inspector',
    folder: installedFile('@modelcontextprotocol/inspector'),
    needs: 'nothing',
  },
  import.meta,
);

describe('runInspector()', { timeout: TIMEOUT_MS }, () => {
  test.each<[Era, string]>([
    ['modern', 'server/discover'],
    ['legacy', 'initialize'],
  ])('uses the %s era from the first message', async (era, first) => {
    const scratch = await scratchFolder();
    try {
      const heard = join(scratch.path, 'heard.txt');
      const recorder = `process.stdin.once('data', (data) => { require('node:fs').writeFileSync(${JSON.stringify(heard)}, data); process.exit(0); })`;
      const target = { command: process.execPath, args: ['-e', recorder], era };
      const run = await runInspector({ target, method: 'skills/list', verify: false });
      expect(run.exitCode).not.toBe(0);
      expect(await readFile(heard, 'utf8')).toContain(`"method":"${first}"`);
    } finally {
      await scratch.remove();
    }
  });
});

function expectVerified(run: InspectorRun): void {
  const wrong = skillReports(run).filter(({ outcome, issues, files }) => {
    return outcome !== 'verified' || issues.length > 0 || files.some(({ status }) => status !== 'verified');
  });
  expect({ exitCode: run.exitCode, wrong, stderr: run.exitCode === 0 ? '' : run.stderr }).toEqual({
    exitCode: 0,
    wrong: [],
    stderr: '',
  });
}

/** A skill's URI with the paths below it, decoded: which characters a server escapes is its own affair. */
function publishedFiles({ uri, files }: SkillReport): readonly [string, readonly string[]] {
  const folder = uri.slice(0, -'SKILL.md'.length);
  const paths = files.map((file) => {
    return file.uri.startsWith(folder) ? decodeURIComponent(file.uri.slice(folder.length)) : file.uri;
  });
  return [uri, paths.sort()];
}

function expectedFiles(skills: readonly UnusualSkill[]): (readonly [string, readonly string[]])[] {
  return skills.flatMap(({ uri, files = [] }) => (uri === undefined ? [] : [[uri, [...files].sort()] as const]));
}

function sortedUris(files: readonly { readonly uri: string }[]): readonly string[] {
  return files.map(({ uri }) => uri).sort();
}

/** The verifier on real servers: ours, which must pass, and those of other projects. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serve } from '../../src/node/serve.ts';
import { directorySource } from '../../src/sources/directory/directory-source.ts';
import { type UnusualTree, writeUnusualTree } from '../../src/testing/unusual-tree.ts';
import type { SkillReport } from '../../src/verifier/report.ts';
import { verifySource } from '../../src/verifier/source-channel.ts';
import { extSkillsServer, officialServer, type SdkServer } from '../sdk-servers.ts';
import { digest, verifying } from './verifying.ts';

const command = join(import.meta.dirname, '../../dist/cli/main.js');
const examples = join(import.meta.dirname, '../../examples/skills');

let unusual: UnusualTree;
const root = (tree: string): string => (tree === 'the examples' ? examples : unusual.root);

beforeAll(async () => {
  unusual = await writeUnusualTree(await mkdtemp(join(tmpdir(), 'skillwire-odd-')));
}, 60_000);

afterAll(async () => {
  await rm(unusual.root, { recursive: true, force: true });
});

/**
 * Faults that the unusual tree has on purpose: `metadata` that is not a mapping of text to text, `compatibility` that is not text. They are no
 * faults of the server.
 */
const oddlyTyped = ['compatibility-list', 'metadata-list', 'metadata-map', 'metadata-text', 'version-as-number'];

describe.each(['the examples', 'the unusual tree'])('our server with %s', (tree) => {
  test('passes every rule over HTTP, in both eras', async () => {
    const handle = await serve({ roots: [{ path: root(tree) }], watch: false, http: { host: '127.0.0.1', port: 0 } });
    try {
      const { report, skills, broken, text } = await verifying({ url: handle.mcp ?? '' });
      expect(report.eras.map(({ era, state }) => `${era} ${state}`)).toEqual(['modern checked', 'legacy checked']);
      expect(report.counts.skills).toBeGreaterThan(3);
      expect(report.counts).toMatchObject({ failed: 0, unchecked: 0, refused: 0 });
      expect(broken, text).toEqual(tree === 'the examples' ? [] : ['S-5']);
      expect(report.incomplete).toEqual([]);
      expect(skills.every(({ status }) => status === 'verified')).toBe(true);
      const warned = skills.filter(({ failures }) => failures.length > 0).map(({ name }) => name);
      expect(warned.sort()).toEqual(tree === 'the examples' ? [] : oddlyTyped);
    } finally {
      await handle.close();
    }
  });

  test('passes every rule over stdio, in both eras', async () => {
    const place = { command: process.execPath, args: [command, 'serve', '--stdio', root(tree)] };
    const { report, broken, text } = await verifying(place);
    expect(report.eras.map(({ era, state }) => `${era} ${state}`)).toEqual(['modern checked', 'legacy checked']);
    expect(report.counts).toMatchObject({ failed: 0, unchecked: 0, refused: 0 });
    expect(broken, text).toEqual(tree === 'the examples' ? [] : ['S-5']);
    expect(report.incomplete).toEqual([]);
  });

  test('is also verified as a folder, with the files that it does not serve', async () => {
    const source = directorySource(root(tree), { watch: false });
    const skills: SkillReport[] = [];
    const report = await verifySource(source, {
      digest,
      signal: new AbortController().signal,
      parallel: 8,
      onSkill: (skill) => skills.push(skill),
    });
    expect(skills.every(({ status }) => status === 'verified')).toBe(true);
    const { findings } = await source.report();
    const problems = findings.filter(({ level }) => level === 'problem').length;
    expect(report.failures.filter(({ message }) => message.includes('not served:'))).toHaveLength(problems);
    expect(problems > 0).toBe(tree === 'the unusual tree');
  });
});

async function verifyAndClose(served: SdkServer) {
  try {
    return await verifying({ url: served.url });
  } finally {
    await served.close();
  }
}

describe('servers of other projects', () => {
  test('the official SDK', async () => {
    const { report, broken, text } = await verifyAndClose(await officialServer(examples));
    expect(broken, text).toEqual([]);
    expect(report.counts).toMatchObject({ failed: 0, unchecked: 0 });
  });

  test('ext-skills, with names in ASCII', async () => {
    const { report, broken, failures, exit, text } = await verifyAndClose(
      await extSkillsServer(join(examples, 'platform')),
    );
    expect(broken, text).toEqual(['S-46', 'base:cursor']);
    expect(failures).toEqual([
      expect.objectContaining({ requirement: 'base:cursor' }),
      { requirement: 'S-46', message: 'the answer to "skills/get" has no ttlMs' },
      { requirement: 'S-46', message: 'the answer to "skills/get" has no cacheScope' },
    ]);
    expect(report.counts).toMatchObject({ verified: 2, failed: 0 });
    expect(exit).toBe(7);
  });

  test('ext-skills, with other names: those files are listed and unreadable', async () => {
    const { report, skills, broken, text } = await verifyAndClose(await extSkillsServer(examples));
    expect(broken, text).toEqual(['S-22', 'S-46', 'S-9', 'base:cursor']);
    expect(report.counts).toMatchObject({ failed: 1, unchecked: 0 });
    const failed = skills.find(({ status }) => status === 'failed');
    expect(failed?.name).toBe('translate-ui-text');
    expect(failed?.failures.filter(({ requirement }) => requirement === 'S-22').map(({ uri }) => uri)).toEqual([
      'skill://translate-ui-text/references/größen-und-einheiten.md',
      'skill://translate-ui-text/references/用語集.md',
    ]);
  });
});

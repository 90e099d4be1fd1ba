/**
 * Apify's mcpc before a server with every dialect. It ships without skills and knows only resources, templates, prompts and tools,
 * so it stands for all clients that find skills by these.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientRow } from '../client-row.ts';
import { installedFile } from './installed.ts';
import { runToEnd } from './process-group.ts';
import { type ScratchFolder, scratchFolder } from './scratch-folder.ts';
import { type SkillwireProcess, serveOverHttp } from './skillwire-process.ts';

const TIMEOUT_MS = 120_000;
const EXAMPLES = fileURLToPath(new URL('../../examples/skills', import.meta.url));
const PROGRAM = installedFile('@apify/mcpc/bin/mcpc');

describe('mcpc', { timeout: TIMEOUT_MS }, () => {
  let server: SkillwireProcess;
  let scratch: ScratchFolder;

  /** One command of the session, as JSON. */
  async function mcpc(...words: readonly string[]): Promise<unknown> {
    const { path: cwd, env } = scratch;
    const { stdout } = await runToEnd(process.execPath, [PROGRAM, ...words, '--json'], {
      cwd,
      env,
      deadlineMs: TIMEOUT_MS,
    });
    return JSON.parse(stdout);
  }

  async function textAt(uri: string): Promise<string> {
    const { contents } = (await mcpc('@skills', 'resources-read', uri)) as { contents: { text: string }[] };
    return contents[0]?.text ?? '';
  }

  beforeAll(async () => {
    server = await serveOverHttp(EXAMPLES, '--dialects', 'all');
    scratch = await scratchFolder();
    await mcpc('connect', server.mcp, '@skills');
  }, TIMEOUT_MS);

  afterAll(async () => {
    await mcpc('close', '@skills');
    await server.stop();
    await scratch.remove();
  }, TIMEOUT_MS);

  test('lists every skill once, and the index', async () => {
    const rows = (await mcpc('@skills', 'resources-list')) as { uri: string }[];
    const uris = rows.map(({ uri }) => uri);
    expect(uris).toContain('skill://index.json');
    expect(uris.filter((uri) => uri === 'skill://changelog-writer/SKILL.md')).toHaveLength(1);
  });

  test('reads the index, a manifest of FastMCP and the bytes that both promise', async () => {
    const { skills } = JSON.parse(await textAt('skill://index.json')) as { skills: { name: string; url: string }[] };
    const entry = skills.find(({ name }) => name === 'changelog-writer');
    const manifest = JSON.parse(await textAt('skill://changelog-writer/_manifest')) as {
      files: { path: string; hash: string }[];
    };
    const text = await textAt(entry?.url ?? '');
    expect(text).toBe(await readFile(join(EXAMPLES, 'changelog-writer/SKILL.md'), 'utf8'));
    const hash = `sha256:${createHash('sha256').update(text).digest('hex')}`;
    expect(manifest.files.find(({ path }) => path === 'SKILL.md')?.hash).toBe(hash);
  });

  test('finds templates, prompts and the tool that loads a skill', async () => {
    const templates = (await mcpc('@skills', 'resources-templates-list')) as { uriTemplate: string }[];
    expect(templates.map(({ uriTemplate }) => uriTemplate)).toContain('skill://{+path}');
    const prompts = (await mcpc('@skills', 'prompts-list')) as { name: string }[];
    expect(prompts.map(({ name }) => name)).toContain('changelog-writer');
    const loaded = (await mcpc('@skills', 'tools-call', 'load_skill', 'skill:=changelog-writer')) as {
      content: { text: string }[];
    };
    expect(loaded.content[0]?.text).toContain('changelog');
  });
});

describe('mcpc before a server with its defaults', { timeout: TIMEOUT_MS }, () => {
  test('connects without tools', async () => {
    const server = await serveOverHttp(EXAMPLES);
    const { path: cwd, env, remove } = await scratchFolder();
    const run = async (...words: readonly string[]): Promise<unknown> => {
      const options = { cwd, env, deadlineMs: TIMEOUT_MS };
      return JSON.parse((await runToEnd(process.execPath, [PROGRAM, ...words, '--json'], options)).stdout);
    };
    try {
      await run('connect', server.mcp, '@plain');
      expect(await run('@plain', 'tools-list')).toEqual([]);
      const rows = (await run('@plain', 'resources-list')) as { uri: string }[];
      expect(rows.map(({ uri }) => uri)).toContain('skill://changelog-writer/SKILL.md');
    } finally {
      await run('close', '@plain');
      await server.stop();
      await remove();
    }
  });

  clientRow(
    {
      client: '@apify/mcpc',
      folder: installedFile('@apify/mcpc'),
      needs: '`tools/list` is answered, even if there are no tools',
    },
    import.meta,
  );
});

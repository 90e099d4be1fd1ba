/** A file is edited while a client has its old entry. There is never an error, and a new entry always comes with its new bytes. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SkillsClient, SkillVerificationError } from '@modelcontextprotocol/client/ext/skills';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ServeHandle, serve } from '../../src/node/serve.ts';
import { sha256Digest } from '../../src/skill/digest.ts';
import type { SkillEntry } from '../../src/skill/entry.ts';
import { eventually } from '../eventually.ts';
import { soakFactor } from '../soak-factor.ts';
import { modern } from './raw-mcp.ts';

const uri = 'skill://notes/SKILL.md';
const text = (body: string): string => `---\nname: notes\ndescription: Notes that change.\n---\n\n${body}\n`;

let root: string;
let handle: ServeHandle;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'skillwire-live-'));
  await mkdir(join(root, 'notes/refs'), { recursive: true });
  await writeFile(join(root, 'notes/SKILL.md'), text('0'));
  await writeFile(join(root, 'notes/refs/a.md'), '0');
});

afterEach(async () => {
  await handle.close();
  await rm(root, { recursive: true, force: true });
});

async function digestOf(file: string): Promise<string> {
  const { result, error } = await modern(handle.mcp ?? '', 'resources/read', { uri: file });
  expect(error).toBeUndefined();
  const [content] = (result?.['contents'] ?? []) as { text: string }[];
  return sha256Digest(new TextEncoder().encode(content?.text));
}

async function promised(file: string): Promise<string | undefined> {
  const { result, error } = await modern(handle.mcp ?? '', 'skills/get', { uri });
  expect(error).toBeUndefined();
  const { resources } = (result?.['skill'] ?? { resources: [] }) as SkillEntry;
  return resources === 'dynamic' ? undefined : resources.find((resource) => resource.uri === file)?.digest;
}

describe.each([true, false])('watch: %s', (watch) => {
  beforeEach(async () => {
    handle = await serve({ roots: [{ path: root }], watch, http: { host: '127.0.0.1', port: 0 } });
    await handle.catalog.snapshot();
  });

  test('a read right after an edit returns the new bytes, and the entry promises exactly those', async () => {
    for (let n = 1; n <= 10 * soakFactor; n++) {
      const [file, path, content] =
        n % 2 === 0 ? [uri, 'notes/SKILL.md', text(`${n}`)] : ['skill://notes/refs/a.md', 'notes/refs/a.md', `${n}`];
      await writeFile(join(root, path), content);
      const read = await digestOf(file);
      expect(read).toBe(await sha256Digest(new TextEncoder().encode(content)));
      expect(await promised(file)).toBe(read);
    }
  });

  test('the official client with an old entry sees that it is stale, and reads with the new one', async () => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    await client.connect(new StreamableHTTPClientTransport(new URL(handle.mcp ?? '')));
    try {
      const skills = new SkillsClient(client);
      const { skill: oldEntry } = await skills.get(uri);
      await writeFile(join(root, 'notes/SKILL.md'), text('edited'));
      const stale = await skills.read(oldEntry, uri, { cacheMode: 'refresh' }).catch((error: unknown) => error);
      expect(stale).toBeInstanceOf(SkillVerificationError);
      const { skill: fresh } = await skills.get(uri);
      expect((await skills.read(fresh, uri, { cacheMode: 'refresh' })).verified).toBe(true);
    } finally {
      await client.close();
    }
  });
});

test('readers beside a writer get no error, and afterwards everything agrees', async () => {
  handle = await serve({ roots: [{ path: root }], http: { host: '127.0.0.1', port: 0 } });
  let writing = true;
  const writer = (async () => {
    for (let n = 1; n <= 30 * soakFactor; n++) {
      await writeFile(join(root, 'notes/SKILL.md'), text('x'.repeat(n)));
      await writeFile(join(root, 'notes/refs/a.md'), 'y'.repeat(n));
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    writing = false;
  })();
  const reader = async (): Promise<void> => {
    while (writing) {
      await digestOf(uri);
      await promised(uri);
      await digestOf('skill://notes/refs/a.md');
    }
  };
  await Promise.all([writer, reader(), reader(), reader()]);
  for (const file of [uri, 'skill://notes/refs/a.md'])
    await eventually(async () => expect(await digestOf(file)).toBe(await promised(file)));
});

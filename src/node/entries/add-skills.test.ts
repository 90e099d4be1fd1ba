import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { McpServer } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import { createCatalog } from '../../catalog/create-catalog.ts';
import { memorySource } from '../../sources/memory.ts';
import { addSkills } from './add-skills.ts';

const cleanUp: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

function skillText(name: string): string {
  return `---\nname: ${name}\ndescription: About ${name}.\n---\n`;
}

async function skillsFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'skillwire-add-'));
  cleanUp.push(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, name));
  await writeFile(join(folder, name, 'SKILL.md'), skillText(name));
  return folder;
}

const newServer = (): McpServer => new McpServer({ name: 'own', version: '1.0.0' });

async function connect(server: McpServer): Promise<SkillsClient> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(ours);
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(theirs);
  cleanUp.push(() => client.close());
  return new SkillsClient(client);
}

describe('addSkills()', () => {
  test('serves folders and skills in code side by side', async () => {
    const server = newServer();
    const skills = addSkills(server, [await skillsFolder('refunds'), await skillsFolder('invoices')]);
    cleanUp.push(() => skills.close());
    skills.add('reports/daily', { description: 'Figures of today' }, () => '# 42');
    skills.add('style', { description: 'House style' }, 'Be short.', { 'words.md': 'short\n' });
    const client = await connect(server);
    await eventually(async () =>
      expect((await client.list()).skills.map(({ frontmatter }) => frontmatter.name)).toEqual([
        'invoices',
        'refunds',
        'daily',
        'style',
      ]),
    );
    const { skill } = await client.get('skill://reports/daily/SKILL.md');
    expect(await client.read(skill)).toMatchObject({ verified: false, body: expect.stringContaining('# 42') });
  });

  test('reads a set of folders once for all servers with the same folders', async () => {
    const folder = await skillsFolder('refunds');
    const first = addSkills(newServer(), folder);
    const second = addSkills(newServer(), [relative(process.cwd(), folder)]);
    const unwatched = addSkills(newServer(), folder, { watch: false });
    // A record of one snapshot that both servers show.
    const [ours, theirs] = await Promise.all([first.catalog.snapshot(), second.catalog.snapshot()]);
    expect(theirs.skills[0]).toBe(ours.skills[0]);
    expect((await unwatched.catalog.snapshot()).skills[0]).not.toBe(ours.skills[0]);
    expect([first.catalog.watched, unwatched.catalog.watched]).toEqual([true, false]);
    await first.close();
    await first.close();
    expect((await second.catalog.snapshot()).skills).toHaveLength(1);
    await second.close();
    await unwatched.close();
    await expect(second.catalog.snapshot()).rejects.toMatchObject({ code: 'CLOSED' });
    const third = addSkills(newServer(), folder);
    expect((await third.catalog.snapshot()).skills).toHaveLength(1);
    await third.close();
  });

  test('adds a skill in code to one server only, with or without shared folders', async () => {
    const folder = await skillsFolder('refunds');
    const servers = [newServer(), newServer(), newServer()] as const;
    const [first, second, again] = [
      addSkills(servers[0], folder),
      addSkills(servers[1], folder),
      addSkills(servers[2], memorySource()),
    ];
    for (const handle of [first, second, again]) cleanUp.push(() => handle.close());
    first.add('secret', { description: 'For the first' }, 'one');
    second.add('now', { description: 'The time' }, () => 'two');
    second.add('now', { description: 'The time of day' }, () => 'three');
    const names = async (client: SkillsClient) =>
      (await client.list()).skills.map(({ frontmatter }) => frontmatter.description);
    const clients = await Promise.all(servers.map(connect));
    const [one, two, three] = clients as [SkillsClient, SkillsClient, SkillsClient];
    expect(await names(one)).toEqual(['About refunds.', 'For the first']);
    expect(await names(two)).toEqual(['The time of day', 'About refunds.']);
    expect(await names(three)).toEqual([]);
    await expect(two.get('skill://secret/SKILL.md')).rejects.toThrow();
    const localOnly = { localOnly: true } as const;
    expect((await first.catalog.read('skill://secret/SKILL.md', localOnly)).bytes.length).toBeGreaterThan(0);
    await expect(async () => second.catalog.read('skill://secret/SKILL.md', localOnly)).rejects.toMatchObject({
      code: 'FILE_NOT_FOUND',
    });
    // One that is added later, while both are connected.
    first.add('later', { description: 'Later' }, 'x');
    await eventually(async () => expect(await names(one)).toContain('Later'));
    expect(await names(two)).not.toContain('Later');
    await first.close();
    expect(await names(two)).toEqual(['The time of day', 'About refunds.']);
  });

  test('prefers a skill in code to one of the folder, and reports the other', async () => {
    const handle = addSkills(newServer(), await skillsFolder('refunds'));
    cleanUp.push(() => handle.close());
    handle.add('refunds', { description: 'From code' }, 'x');
    const { skills, findings } = await handle.catalog.snapshot();
    expect(skills.map(({ entry }) => entry.frontmatter.description)).toEqual(['From code']);
    expect(findings).toMatchObject([{ rule: 'skill-uri-taken', skill: 'skill://refunds/SKILL.md' }]);
  });

  test('accepts a source, and reads it once for all servers', async () => {
    const source = memorySource({ refunds: { 'SKILL.md': skillText('refunds') } });
    const first = addSkills(newServer(), source);
    const second = addSkills(newServer(), source);
    const [ours, theirs] = await Promise.all([first.catalog.snapshot(), second.catalog.snapshot()]);
    expect(ours.skills).toHaveLength(1);
    expect(theirs.skills[0]).toBe(ours.skills[0]);
    await Promise.all([first.close(), second.close()]);
  });

  test('accepts a catalog, leaves it open, and cannot add to it', async () => {
    const catalog = createCatalog(memorySource({ refunds: { 'SKILL.md': skillText('refunds') } }));
    const handle = addSkills(newServer(), catalog);
    expect(handle.catalog).toBe(catalog);
    expect(() => handle.add('x', { description: 'x' }, 'x')).toThrow(/to an existing catalog/);
    await handle.close();
    expect((await catalog.snapshot()).skills).toHaveLength(1);
  });

  test('refuses an empty list, and closes the catalog if the server refuses', async () => {
    expect(() => addSkills(newServer(), [])).toThrow(/list of folders is empty/);
    const server = newServer();
    const folder = await skillsFolder('refunds');
    const first = addSkills(server, folder);
    expect(() => addSkills(server, memorySource())).toThrow(/another catalog/);
    const again = addSkills(server, folder);
    expect(again.catalog).toBe(first.catalog);
    await Promise.all([first.close(), again.close()]);
    await expect(first.catalog.snapshot()).rejects.toMatchObject({ code: 'CLOSED' });
  });

  test('announces a change in a folder to the clients of the server', async () => {
    const folder = await skillsFolder('refunds');
    const server = newServer();
    const skills = addSkills(server, folder);
    cleanUp.push(() => skills.close());
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await server.connect(ours);
    const client = new Client({ name: 'test', version: '1.0.0' });
    let changes = 0;
    client.setNotificationHandler('notifications/resources/list_changed', () => {
      changes++;
    });
    await client.connect(theirs);
    cleanUp.push(() => client.close());
    await client.listResources();
    await writeFile(join(folder, 'refunds', 'more.md'), 'more\n');
    await eventually(() => expect(changes).toBeGreaterThan(0));
  });
});

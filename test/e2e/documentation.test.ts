/** The examples of the documentation compile (`npm run types`) and run here, and the documentation shows them as they are. */
import { accessSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport as InMemoryTransport1 } from '@modelcontextprotocol/sdk/inMemory.js';
import { ListResourcesResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packArchive } from '../../src/archive/pack.ts';
import { limits } from '../../src/limits.ts';
import { forwardedByDefault } from '../../src/surfaces/mdp/skill-routes.ts';
import { modern } from '../contract/raw-mcp.ts';
import { pages } from '../documentation-blocks.ts';
import { eventually } from '../eventually.ts';
import { skillText } from './cli-process.ts';

const project = join(import.meta.dirname, '../..');
const library = join(project, 'examples/library');
const before = process.cwd();
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'skillwire-docs-'));
  for (const [path, name] of [
    ['skills/pdf-tools/SKILL.md', 'pdf-tools'],
    ['team/on-call/SKILL.md', 'on-call'],
    ['team/drafts/new/SKILL.md', 'new'],
  ] as const) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), skillText(name));
  }
  process.chdir(folder);
});

afterAll(() => {
  process.chdir(before);
  rmSync(folder, { recursive: true, force: true });
});

const load = (name: string) => import(join(library, name));

describe('examples of the library', () => {
  test('add-skills.ts', async () => {
    const { server, skills } = await load('add-skills.ts');
    const [own, theirs] = InMemoryTransport.createLinkedPair();
    const client = new Client({ name: 'test', version: '1' });
    await Promise.all([server.connect(theirs), client.connect(own)]);
    const listed = (await new SkillsClient(client).list()).skills.map(({ uri }) => uri);
    expect(listed).toEqual(['skill://pdf-tools/SKILL.md', 'skill://reports/daily/SKILL.md']);
    await client.close();
    await skills.close();
  });

  test('add-skills-sdk-1.ts', async () => {
    const { server, skills } = await load('add-skills-sdk-1.ts');
    const [own, theirs] = InMemoryTransport1.createLinkedPair();
    const client = new Client1({ name: 'test', version: '1' });
    await Promise.all([server.connect(theirs), client.connect(own)]);
    const { resources } = await client.request({ method: 'resources/list' }, ListResourcesResultSchema);
    expect(resources.map(({ uri }) => uri)).toEqual(['skill://pdf-tools/SKILL.md']);
    await client.close();
    await skills.close();
  });

  test('search-by-meaning.ts', async () => {
    const texts: string[] = [];
    const endpoint = createServer((request, response) => {
      request.setEncoding('utf8');
      let sent = '';
      request.on('data', (part: string) => {
        sent += part;
      });
      request.on('end', () => {
        const { input } = JSON.parse(sent) as { input: string[] };
        texts.push(...input);
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ data: input.map((_, index) => ({ index, embedding: [1, 0] })) }));
      });
    });
    await new Promise<void>((done) => endpoint.listen(0, '127.0.0.1', done));
    process.env['EMBEDDINGS_URL'] = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/v1/embeddings`;
    const { handle } = await load('search-by-meaning.ts');
    await eventually(async () => {
      const found = await (await fetch(`${handle.url}/api/search?q=forms`)).json();
      expect(found).toMatchObject({ hits: [{ uri: 'skill://pdf-tools/SKILL.md' }] });
      expect(texts).toContain('forms');
    });
    await handle.close();
    delete process.env['EMBEDDINGS_URL'];
    endpoint.close();
  });

  test('any-runtime.ts', async () => {
    const { default: app, catalog } = await load('any-runtime.ts');
    const answer: Response = await app.fetch(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'skills/list', params: {} }),
      }),
    );
    expect(await answer.text()).toContain('skill://git-workflow/SKILL.md');
    await app.fetch.close();
    await catalog.close();
  });

  test('serve-folders.ts', async () => {
    const { handle } = await load('serve-folders.ts');
    const { result } = await modern(handle.mcp, 'skills/list');
    const uris = ((result?.['skills'] ?? []) as { uri: string }[]).map(({ uri }) => uri);
    expect(uris).toEqual(['skill://pdf-tools/SKILL.md', 'skill://team/on-call/SKILL.md']);
    await handle.close();
  });

  test('gateway.ts', async () => {
    writeFileSync(join(folder, 'skillwire.json'), '{"origins": {"docs": "./skills", "team": "./team"}}');
    const { gateway, handle } = await load('gateway.ts');
    const uris = (await handle.catalog.snapshot()).listed.map(({ entry }: { entry: { uri: string } }) => entry.uri);
    expect(uris).toContain('skill://docs/pdf-tools/SKILL.md');
    expect(gateway.origins()).toHaveLength(2);
    await handle.close();
    rmSync(join(folder, 'skillwire.json'));
  });

  test('serve-configuration.ts', async () => {
    writeFileSync(
      join(folder, 'skillwire.json'),
      '{"origins": {"docs": "./skills"}, "rules": [{"match": "docs/drafts/", "listed": false}]}',
    );
    process.env['PORT'] = '0';
    const { handle } = await load('serve-configuration.ts');
    const { result } = await modern(handle.mcp, 'skills/list');
    expect(result?.['skills']).toMatchObject([{ uri: 'skill://docs/pdf-tools/SKILL.md' }]);
    await handle.close();
    delete process.env['PORT'];
    rmSync(join(folder, 'skillwire.json'));
  });

  test('install-skills.ts', async () => {
    const home = process.env.SKILLWIRE_HOME;
    process.env.SKILLWIRE_HOME = join(folder, 'state');
    try {
      const { files, installed } = await load('install-skills.ts');
      expect(files).toHaveLength(1);
      expect(installed).toMatchObject([{ name: 'pdf-tools' }]);
      const bytes = readFileSync(join(folder, '.agents/skills/pdf-tools/SKILL.md'), 'utf8');
      expect(bytes).toBe(skillText('pdf-tools'));
    } finally {
      if (home === undefined) delete process.env.SKILLWIRE_HOME;
      else process.env.SKILLWIRE_HOME = home;
    }
  });

  test('own-verifier.ts', async () => {
    const scopes: Record<string, string> = { good: 'skills more', poor: 'more' };
    const server = createServer((message, answer) => {
      message.setEncoding('utf8').once('data', (body: string) => {
        const scope = scopes[new URLSearchParams(body).get('token') ?? ''];
        const claims = { active: scope !== undefined, sub: 'ada', scope, exp: Math.floor(Date.now() / 1000) + 60 };
        answer.end(JSON.stringify(claims));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    process.env['INTROSPECTION'] = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const { handle } = await load('own-verifier.ts');
    const ask = (token: string) => modern(handle.mcp, 'skills/list', {}, { authorization: `Bearer ${token}` });
    const { result = {} } = await ask('good');
    expect((result['skills'] as { uri: string }[]).map(({ uri }) => uri)).toEqual([
      'skill://team/drafts/new/SKILL.md',
      'skill://team/on-call/SKILL.md',
    ]);
    expect([(await ask('poor')).status, (await ask('bad')).status]).toEqual([403, 401]);
    const metadata = await fetch(`${handle.url}/.well-known/oauth-protected-resource/mcp`);
    expect(await metadata.json()).toMatchObject({ authorization_servers: ['https://login.example.com/'] });
    await handle.close();
    server.close();
  });

  test('read-catalog.ts', async () => {
    const { catalog, bytes, stop } = await load('read-catalog.ts');
    expect(new TextDecoder().decode(bytes)).toBe(skillText('pdf-tools'));
    stop();
    await catalog.close();
  });

  test('read-archive.ts', async () => {
    const files = [{ path: 'SKILL.md', bytes: Buffer.from(skillText('pdf-tools')), executable: false }];
    writeFileSync(join(folder, 'pdf-tools.zip'), packArchive(files, 'zip'));
    const { catalog, bytes } = await load('read-archive.ts');
    expect(new TextDecoder().decode(bytes)).toBe(skillText('pdf-tools'));
    await catalog.close();
  });

  test('generated-skill.ts', async () => {
    const { catalog } = await load('generated-skill.ts');
    const { bytes } = await catalog.read('skill://reports/daily/SKILL.md', { principal: { id: 'ada' } });
    expect(new TextDecoder().decode(bytes)).toContain('# Today, for ada');
  });

  test('skill-uris.ts', async () => {
    const { uri, path } = await load('skill-uris.ts');
    expect(uri).toBe('skill://acme/refunds/templates/gr%C3%B6%C3%9Fe%201.md');
    expect(path).toBe('acme/refunds/templates/größe 1.md');
  });

  test('own-source.ts', async () => {
    const { catalog } = await load('own-source.ts');
    expect((await catalog.snapshot()).listed).toHaveLength(1);
    expect((await catalog.read('skill://team/on-call/SKILL.md', {})).bytes.length).toBeGreaterThan(0);
  });
});

describe('the documentation', () => {
  const plain = (text: string): string => text.replaceAll(/^export (?!default)/gm, '').trim();
  const sources = [library, join(project, 'examples/runtime')].flatMap((folder) =>
    readdirSync(folder).map((name) => plain(readFileSync(join(folder, name), 'utf8'))),
  );

  test.each(pages)('%s shows only code that is in examples', (page) => {
    const text = readFileSync(join(project, page), 'utf8');
    for (const [, code] of text.matchAll(/```ts\n([\s\S]*?)```/g))
      expect(
        sources.some((source) => source.includes(plain(code ?? ''))),
        code,
      ).toBe(true);
  });

  test('README.md starts with the published command, then the commands of a clone', () => {
    const text = readFileSync(join(project, 'README.md'), 'utf8');
    const [opening = '', ...personas] = text.split(/^## /m);
    const at = [
      'npx skillwire serve ./skills\n',
      'npm ci && npm start\nnpm ci && npm run ok\n',
      '**No telemetry.**',
      'Node 20.15 or newer',
    ].map((part) => opening.indexOf(part));
    expect(at).toEqual([...at].sort((a, b) => a - b));
    expect(at).not.toContain(-1);
    const sections = personas.filter((section) => section.startsWith('For '));
    expect(sections).toHaveLength(5);
    for (const section of sections) expect(section.trimEnd().split('\n').length, section).toBeLessThanOrEqual(15);
  });

  test.each(pages)('%s links only to files that exist', (page) => {
    const text = readFileSync(join(project, page), 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '');
    for (const [, target = '', anchor] of text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)) {
      const file = target === '' ? join(project, page) : join(project, dirname(page), target);
      expect(() => assertExists(file), target).not.toThrow();
      if (anchor !== undefined) expect(anchorsOf(readFileSync(file, 'utf8')), `${target}#${anchor}`).toContain(anchor);
    }
  });
});

describe('numbers and names in the documentation', () => {
  const { attempts, allAttempts, eventStreams, eventStreamsPerClient: perClient } = limits.page;
  test.each([
    ['guides/use-the-page.md', `After ${attempts} wrong tokens of one address in a minute`],
    ['guides/use-the-page.md', `After ${allAttempts} of all addresses`],
    [
      'guides/use-the-page.md',
      `At most ${eventStreams} pages follow changes at once, ${perClient} of one address or token.`,
    ],
    ['guides/use-the-page.md', `All visitors behind a proxy share ${eventStreams - perClient}.`],
    ...forwardedByDefault.map((name): [string, RegExp] => [
      'guides/expose-a-live-program.md',
      new RegExp(`\\x60${name}\\x60`, 'i'),
    ]),
  ] satisfies [string, string | RegExp][])('%s matches the code: %s', (page, text) => {
    expect(readFileSync(join(project, 'docs', page), 'utf8')).toMatch(text);
  });
});

/** As GitHub makes them of headings. */
function anchorsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function assertExists(path: string): void {
  accessSync(path);
}

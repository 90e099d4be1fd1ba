/** The site of `skillwire serve` at /.well-known/, over real sockets, by the rules of v0.2.0 and v0.1. */
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unpackArchive } from '../../src/archive/unpack.ts';
import { decodeIndex } from '../../src/dialects/well-known/decode-index.ts';
import { type ServeHandle, serve } from '../../src/node/serve.ts';
import { sha256Digest } from '../../src/skill/digest.ts';
import { directorySource } from '../../src/sources/directory/directory-source.ts';
import { memorySource } from '../../src/sources/memory.ts';
import { combine } from '../../src/transforms/combine.ts';
import { verifies } from '../requirements/verifies.ts';

const skillText = (name: string): string => `---\nname: ${name}\ndescription: About ${name}.\n---\n\n# ${name}\n`;

const files: Readonly<Record<string, string | Uint8Array>> = {
  'git-workflow/SKILL.md':
    '---\nname: git-workflow\ndescription: Follow team Git conventions for branching and commits.\n---\n\n# Git Workflow\n',
  'guide/SKILL.md': skillText('guide'),
  'guide/references/a b.md': '# A\n',
  'guide/assets/raw.bin': new Uint8Array([0, 255, 254, 128, 10]),
  'guide/assets/page.html': '<script>alert(1)</script>\n',
  'guide/assets/picture.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>\n',
  'guide/scripts/run.sh': '#!/bin/sh\necho ok\n',
  'sizes/SKILL.md': skillText('sizes'),
  'sizes/größe.md': 'x\n',
  'odd/SKILL.md': skillText('odd'),
  'odd/a..b.md': 'x\n',
  'rates/SKILL.md': skillText('rates'),
  'rates/50%.md': 'x\n',
  'acme/billing/refunds/SKILL.md': skillText('refunds'),
  'acme/support/refunds/SKILL.md': skillText('refunds'),
  'outer/SKILL.md': skillText('outer'),
  'outer/inner/SKILL.md': skillText('inner'),
};

interface EntryV02 {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly url: string;
  readonly digest: string;
  readonly files: readonly string[];
}

let root: string;
let handle: ServeHandle;
let url: string;
const v02 = (path: string): string => `${url}/.well-known/agent-skills/${path}`;
const v01 = (path: string): string => `${url}/.well-known/skills/${path}`;

async function bytesAt(address: string): Promise<Uint8Array> {
  const answer = await fetch(address);
  expect(answer.status).toBe(200);
  return new Uint8Array(await answer.arrayBuffer());
}

/** Status and cache header of a path that is sent unchanged; `fetch` would resolve dots first. */
async function exactly(path: string): Promise<[number | undefined, string | undefined]> {
  const sent = request({ host: '127.0.0.1', port: new URL(url).port, path }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.resume();
  return [answer.statusCode, answer.headers['cache-control']];
}

async function entries(): Promise<readonly EntryV02[]> {
  const document = JSON.parse(Buffer.from(await bytesAt(v02('index.json'))).toString()) as { skills: EntryV02[] };
  return document.skills;
}

async function entry(name: string): Promise<EntryV02> {
  const found = (await entries()).find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
}

const resolved = ({ url: reference }: EntryV02): string => new URL(reference, v02('index.json')).href;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'skillwire-site-'));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  await chmod(join(root, 'guide/scripts/run.sh'), 0o755);
  const live = memorySource();
  live.add('reports/daily', { description: 'Figures of today.' }, () => '# Today\n');
  const source = combine([directorySource(root, { watch: false }), live]);
  handle = await serve({ source, http: { host: '127.0.0.1', port: 0 } });
  url = handle.url ?? '';
});

afterAll(async () => {
  await handle.close();
  await rm(root, { recursive: true, force: true });
});

describe('the index of v0.2.0', () => {
  verifies(
    ['W-1', 'W-2', 'W-6'],
    'is at its address, has its schema and only entries that a strict reader accepts',
    async () => {
      const reading = decodeIndex(await bytesAt(v02('index.json')), v02('index.json'));
      expect(reading).toMatchObject({ version: '0.2.0', refused: [], warnings: [] });
      expect((await entries()).map(({ name }) => name)).toEqual([
        'acme-support-refunds',
        'git-workflow',
        'guide',
        'inner',
        'odd',
        'outer',
        'rates',
        'refunds',
        'sizes',
      ]);
      const { description } = await entry('git-workflow');
      expect(description).toBe('Follow team Git conventions for branching and commits.');
    },
  );

  verifies(['W-7', 'W-9', 'W-16'], 'names a skill of one file as that file, with its digest', async () => {
    const found = await entry('git-workflow');
    expect(found).toMatchObject({
      type: 'skill-md',
      digest: 'sha256:37c746f48a0c6fb77068ea85d28af1f27d2efc46f0726715d73628f27d9a7fa3',
      files: ['SKILL.md'],
    });
    expect(Buffer.from(await bytesAt(resolved(found))).toString()).toBe(files['git-workflow/SKILL.md']);
  });

  verifies(
    ['W-9', 'W-10', 'W-12'],
    'names other skills as archives with SKILL.md at the root, with their digest',
    async () => {
      const found = await entry('guide');
      expect(found.type).toBe('archive');
      expect(found.url).toMatch(/\.tar\.gz$/);
      const bytes = await bytesAt(resolved(found));
      expect(await sha256Digest(bytes)).toBe(found.digest);
      const unpacked = await unpackArchive(bytes);
      expect(unpacked.map(({ path }) => path)).toEqual(expect.arrayContaining([...found.files]));
      expect(unpacked).toHaveLength(found.files.length);
      for (const file of unpacked) {
        expect(Buffer.from(file.bytes)).toEqual(Buffer.from(files[`guide/${file.path}`] ?? 'nothing'));
        expect(file.executable).toBe(file.path === 'scripts/run.sh');
      }
    },
  );

  verifies(['W-8'], 'names artifacts relative to itself, so that the site works below any path', async () => {
    for (const found of await entries()) expect(found.url).toMatch(/^by-digest\/sha256-[0-9a-f]{64}\.(?:md|tar\.gz)$/);
  });

  test('has the files of a nested skill in the outer one, and the nested one as a separate entry', async () => {
    expect((await entry('outer')).files).toEqual(['SKILL.md', 'inner/SKILL.md']);
    expect((await entry('inner')).files).toEqual(['SKILL.md']);
  });

  test('also has single files, which two readers of older forms request', async () => {
    for (const { name, files: paths } of await entries())
      for (const path of paths) {
        const bytes = await bytesAt(v02(`${name}/${path.split('/').map(encodeURIComponent).join('/')}`));
        expect(bytes.length).toBeGreaterThan(0);
      }
  });

  verifies(['W-18'], 'and all its artifacts answer HEAD', async () => {
    for (const address of [v02('index.json'), ...(await entries()).map(resolved)]) {
      const [whole, head] = [await fetch(address), await fetch(address, { method: 'HEAD' })];
      const length = String((await whole.arrayBuffer()).byteLength);
      expect([head.status, head.headers.get('content-length')]).toEqual([200, length]);
      expect(await head.text()).toBe('');
    }
  });
});

describe('the index of v0.1', () => {
  verifies(
    ['wk01:index', 'wk01:name', 'wk01:description', 'wk01:files', 'wk01:files-not-empty', 'wk01:files-skill-md'],
    'is at its address, without a schema, and has only entries that a strict reader accepts',
    async () => {
      const bytes = await bytesAt(v01('index.json'));
      expect(JSON.parse(Buffer.from(bytes).toString())).not.toHaveProperty('$schema');
      const reading = decodeIndex(bytes, v01('index.json'));
      expect(reading).toMatchObject({ version: '0.1', refused: [], warnings: [] });
      if (reading.version !== '0.1') throw new Error(reading.version);
      expect(reading.entries.find(({ name }) => name === 'guide')?.files.map(({ path }) => path)).toEqual([
        'SKILL.md',
        'assets/page.html',
        'assets/picture.svg',
        'assets/raw.bin',
        'references/a b.md',
        'scripts/run.sh',
      ]);
    },
  );

  verifies(['wk01:files-first', 'wk01:files-served'], 'lists SKILL.md first and only served files', async () => {
    const reading = decodeIndex(await bytesAt(v01('index.json')), v01('index.json'));
    if (reading.version !== '0.1') throw new Error(reading.version);
    for (const { name, files: listed } of reading.entries) {
      expect(listed[0]?.path).toBe('SKILL.md');
      const folder = name === 'refunds' ? 'acme/billing/refunds' : name.replace('acme-support-', 'acme/support/');
      for (const { path, url: address } of listed) {
        const own = files[`${name === 'inner' ? 'outer/inner' : folder}/${path}`];
        expect(Buffer.from(await bytesAt(address))).toEqual(Buffer.from(own ?? 'nothing'));
      }
    }
  });

  verifies(['wk01:files-paths'], 'leaves out skills that its readers would get incompletely', async () => {
    const reading = decodeIndex(await bytesAt(v01('index.json')), v01('index.json'));
    if (reading.version !== '0.1') throw new Error(reading.version);
    const names = reading.entries.map(({ name }) => name);
    for (const left of ['sizes', 'odd', 'rates']) expect(names).not.toContain(left);
    expect((await fetch(v01('sizes/SKILL.md'))).status).toBe(404);
    expect((await fetch(v02('sizes/SKILL.md'))).status).toBe(200);
  });
});

describe('answers', () => {
  verifies(
    ['W-17', 'wk01:index-type', 'wk01:skill-md-type'],
    'have the content types of the specifications',
    async () => {
      const type = async (address: string): Promise<string | null> =>
        (await fetch(address)).headers.get('content-type');
      expect(await type(v02('index.json'))).toBe('application/json');
      expect(await type(v01('index.json'))).toBe('application/json');
      expect(await type(v01('guide/SKILL.md'))).toBe('text/markdown; charset=utf-8');
      expect(await type(v02('guide/SKILL.md'))).toBe('text/markdown; charset=utf-8');
      expect(await type(resolved(await entry('git-workflow')))).toBe('text/markdown; charset=utf-8');
      expect(await type(resolved(await entry('guide')))).toBe('application/gzip');
      expect(await type(v02('guide.tar.gz'))).toBe('application/gzip');
    },
  );

  test('never have a type that a browser would run or render as a page', async () => {
    for (const path of ['guide/assets/page.html', 'guide/assets/picture.svg']) {
      const { headers } = await fetch(v02(path));
      expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
    expect((await fetch(v02('guide.tar.gz'))).headers.get('content-disposition')).toBe('attachment');
    expect((await fetch(v02('guide/assets/raw.bin'))).headers.get('content-type')).toBe('application/octet-stream');
  });

  verifies(['W-19', 'wk01:cache-control'], 'have cache and CORS headers', async () => {
    const headers = async (address: string, origin?: string): Promise<Headers> =>
      (await fetch(address, origin === undefined ? {} : { headers: { origin } })).headers;
    for (const address of [v02('index.json'), v01('index.json'), v01('guide/SKILL.md'), v02('guide.tar.gz')])
      expect((await headers(address)).get('cache-control')).toBe('public, max-age=60');
    const immutable = await headers(resolved(await entry('guide')));
    expect(immutable.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const allowed = await headers(v02('index.json'), 'http://localhost:99');
    expect(allowed.get('access-control-allow-origin')).toBe('http://localhost:99');
    expect((await fetch(v02('index.json'), { headers: { origin: 'https://evil.example' } })).status).toBe(403);
  });

  verifies(['W-18', 'wk01:not-found'], 'are 404 for everything that is not published', async () => {
    const { digest } = await entry('guide');
    const hex = digest.slice('sha256:'.length);
    const absent = [
      ...[
        '',
        'guide',
        'guide/',
        'guide/SKILL.md/',
        'guide/assets',
        'nothing/SKILL.md',
        'guide/nothing.md',
        'Index.json',
      ],
      ...['guide.zip', 'git-workflow.tar.gz', 'nothing.tar.gz', 'daily/SKILL.md', 'index.json/', 'by-digest/'],
      ...[`by-digest/sha256-${hex}.zip`, `by-digest/sha256-${hex}.md`, `by-digest/sha256-${hex}`],
      ...[`by-digest/sha256-${'0'.repeat(64)}.md`, `by-digest/sha256-${hex}.tar.gz/x`],
      ...[
        'guide/%2e%2e/guide/SKILL.md',
        'guide%2fSKILL.md',
        'guide/..%5cSKILL.md',
        'guide//SKILL.md',
        'guide/SKILL.md%00',
      ],
      ...['guide/SKILL.md;x', `guide/${'x'.repeat(9000)}`, 'guide/%E0%A4%A', 'acme/billing/refunds/SKILL.md'],
    ];
    for (const path of absent) {
      expect([path, await exactly(`/.well-known/agent-skills/${path}`)]).toEqual([path, [404, 'no-store']]);
    }
    for (const path of ['', 'guide', 'nothing/SKILL.md', 'guide.tar.gz', 'odd/SKILL.md'])
      expect([path, (await fetch(v01(path))).status]).toEqual([path, 404]);
  });

  verifies(['wk01:methods', 'W-18'], 'accept only GET and HEAD', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const answer = await fetch(v01('guide/SKILL.md'), { method });
      expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, 'GET, HEAD']);
    }
    const head = await fetch(v01('guide/SKILL.md'), { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  test('accept a path in every spelling of the same name, and ignore a query', async () => {
    for (const path of ['guide/references/a%20b.md', 'gu%69de/references/a%20b.md?v=2', 'guide/references/a%20b.md?']) {
      expect(Buffer.from(await bytesAt(v01(path))).toString()).toBe('# A\n');
    }
  });
});

/**
 * How a failed upstream comes back, on real sockets and processes. After a pause one call tries, and all others fail without a
 * request. A program that ends is restarted at growing intervals. Stale content is served as far as it is cached.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { limits } from '../../../src/limits.ts';
import { serve } from '../../../src/node/serve.ts';
import { mcpServerSource } from '../../../src/origins/mcp-server-source.ts';
import { memorySource } from '../../../src/sources/memory.ts';
import { upstream } from '../../../src/transforms/upstream.ts';
import { eventually } from '../../eventually.ts';
import { scriptedMcp } from '../../scripted-http.ts';
import { sha256 } from '../../scripted-site.ts';
import { skill, temporary } from '../../skill-folders.ts';
import { modern } from '../raw-mcp.ts';
import { originAt, serveGateway, serveSkills } from './gateway-parts.ts';

const text = skill('refunds');
const uri = 'skill://refunds/SKILL.md';
const cached = { resultType: 'complete', ttlMs: 600_000, cacheScope: 'public' };
const entry = {
  uri,
  frontmatter: { name: 'refunds', description: 'About refunds.' },
  resources: [
    { uri, digest: sha256(text), size: Buffer.byteLength(text) },
    ...Array.from({ length: 10 }, (_, index) => ({
      uri: `skill://refunds/${index}.md`,
      digest: sha256(`${index}`),
      size: 1,
    })),
  ],
};

test('after its pause one call tries, the others are refused, and its result decides', async () => {
  let broken = true;
  let blocked = false;
  let waiting: (() => void)[] = [];
  const shop = await scriptedMcp({
    'skills/list': () => ({ ...cached, skills: [entry] }),
    'resources/read': async () => {
      if (blocked) await new Promise<void>((resolve) => waiting.push(resolve));
      return broken ? { nonsense: true } : { ...cached, contents: [{ uri, text }] };
    },
    'skills/get': () => ({ nonsense: true }),
  });
  let now = Date.now();
  const one = upstream(mcpServerSource({ url: shop.url }), {
    label: 'shop',
    kind: 'mcp',
    gateway: 'g',
    breaker: { failures: 3, openMs: 60_000 },
    now: () => now,
  });
  const handle = await serve({ source: one, http: { host: '127.0.0.1', port: 0 } });
  onTestFinished(() => handle.close());
  const mcp = handle.mcp ?? '';
  const read = () => modern(mcp, 'resources/read', { uri });
  await modern(mcp, 'skills/list');

  while (one.report().breaker === 'closed') expect((await read()).error).toBeDefined();
  expect(one.report().breaker).toBe('open');
  const before = shop.requests.length;
  expect((await read()).error?.message).toContain('is not answering');
  expect(shop.requests.length).toBe(before);

  // The pause is over: one of many calls is made, and no other until it ends.
  now += 60_001;
  expect(one.report().breaker).toBe('half-open');
  blocked = true;
  const reads = shop.calls('resources/read');
  const trying = read();
  await eventually(() => expect(shop.calls('resources/read')).toBe(reads + 1));
  const others = await Promise.all(
    Array.from({ length: 10 }, (_, index) => modern(mcp, 'resources/read', { uri: `skill://refunds/${index}.md` })),
  );
  for (const { error } of others) expect(error?.message).toContain('is not answering');
  expect(shop.calls('resources/read')).toBe(reads + 1);
  blocked = false;
  for (const go of waiting) go();
  waiting = [];
  expect((await trying).error).toBeDefined();
  expect(one.report().breaker).toBe('open');

  now += 60_001;
  broken = false;
  expect((await read()).result).toMatchObject({ contents: [{ text }] });
  expect(one.report().breaker).toBe('closed');
});

test('a program that exits at once is started later and later, its output is limited, and others are served meanwhile', async () => {
  const folder = await temporary();
  const program = join(folder, 'server.mjs');
  const starts = join(folder, 'starts.txt');
  await writeFile(program, crashingServer(starts));
  const good = await serveSkills(memorySource({ review: { 'SKILL.md': skill('review') } }));
  const { mcp, report, events } = await serveGateway(
    [
      originAt('good', { kind: 'mcp', url: good.mcp ?? '' }),
      originAt('crashing', { kind: 'stdio', command: [process.execPath, program] }, { ttlMs: 100 }),
    ],
    { firstListingMs: 200 },
  );
  const times = async (): Promise<number[]> => (await readFile(starts, 'utf8')).trim().split('\n').map(Number);
  const read = { uri: 'skill://good/review/SKILL.md' };
  await modern(mcp, 'skills/list');
  await eventually(async () => {
    expect((await modern(mcp, 'resources/read', read)).result).toBeDefined();
    expect((await times()).length).toBeGreaterThanOrEqual(3);
  }, 100);
  const [first = 0, second = 0, third = 0] = await times();
  // A pause is never too short, even on a busy machine.
  expect(second).toBeGreaterThan(first);
  expect(third - second).toBeGreaterThanOrEqual(limits.gateway.retryMs * 0.9);
  expect(report('crashing')).toMatchObject({ state: 'unreachable', skills: 0 });
  expect(report('good').state).toBe('ok');
  const output = JSON.stringify([report('crashing'), events]);
  expect(report('crashing').reason).toContain('exit code 3');
  expect((report('crashing').reason ?? '').length).toBeLessThanOrEqual(limits.gateway.reasonCharacters + 3);
  expect(output.length).toBeLessThan(20_000);
});

const crashingServer = (starts: string): string => `
import { appendFileSync, writeSync } from 'node:fs';
appendFileSync(${JSON.stringify(starts)}, Date.now() + '\\n');
for (let line = 0; line < 500; line++) writeSync(2, 'noise '.repeat(1000) + '\\n');
process.exit(3);
`;

test('stale content is served if it is cached; the rest is reported as unavailable, and other origins continue', async () => {
  const shop = await serveSkills(
    memorySource({ refunds: { 'SKILL.md': text, 'late.md': 'Late.\n' }, other: { 'SKILL.md': skill('other') } }),
  );
  const good = await serveSkills(memorySource({ review: { 'SKILL.md': skill('review') } }));
  const { mcp, report, url } = await serveGateway([
    originAt('good', { kind: 'mcp', url: good.mcp ?? '' }),
    originAt('shop', { kind: 'mcp', url: shop.mcp ?? '' }, { ttlMs: 100, deadlineMs: 2_000 }),
  ]);
  const read = async (file: string) => modern(mcp, 'resources/read', { uri: `skill://${file}` });
  expect((await read('shop/refunds/SKILL.md')).result).toBeDefined();
  await shop.close();
  await eventually(() => expect(report('shop').state).toBe('stale'));

  expect((await read('shop/refunds/SKILL.md')).result).toMatchObject({ contents: [{ text }] });
  const { error } = await read('shop/refunds/late.md');
  expect(error?.message).toContain('The origin "shop" of this gateway is not answering');
  expect(JSON.stringify(error)).not.toContain(new URL(shop.url ?? '').port);
  expect((await read('good/review/SKILL.md')).result).toBeDefined();

  const { result } = await modern(mcp, 'skills/list');
  const skills = (result?.['skills'] ?? []) as { uri: string; _meta: Record<string, { stale?: string }> }[];
  const stale = skills.map((one) => [one.uri, one._meta['dev.skillwire/origin']?.stale !== undefined]);
  expect(stale).toEqual([
    ['skill://good/review/SKILL.md', false],
    ['skill://shop/other/SKILL.md', true],
    ['skill://shop/refunds/SKILL.md', true],
  ]);
  expect(result?.['ttlMs']).toBeLessThanOrEqual(limits.gateway.longestRetryMs);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toContain('skillwire_origin_state{origin="shop",kind="mcp",state="stale"} 1');
  expect(metrics).toContain('skillwire_origin_state{origin="good",kind="mcp",state="ok"} 1');
});

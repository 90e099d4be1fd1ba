import { expect, test } from 'vitest';
import { memorySource } from '../sources/memory.ts';
import { wellKnownSurface } from '../surfaces/well-known-http/well-known-surface.ts';
import { createCatalog } from './create-catalog.ts';
import { freshCatalog } from './fresh-catalog.ts';

test('every answer waits for the newest decisions, also a repeated one', async () => {
  const source = memorySource();
  source.add('a', { description: 'A' }, 'text', { 'x.md': 'x' });
  const inner = createCatalog({ ...source, isCurrent: () => true });
  let checks = 0;
  let fails = false;
  await using catalog = freshCatalog(inner, async () => {
    checks++;
    if (fails) throw new Error('cannot be found out');
  });
  const surface = wellKnownSurface(catalog);
  const { signal } = new AbortController();
  const get = (target: string) =>
    surface.answer({ method: 'GET', target, header: () => undefined, body: new Uint8Array(0), signal });
  for (const path of ['agent-skills/index.json', 'skills/index.json', 'skills/a/x.md', 'agent-skills/a/x.md'])
    for (let round = 0; round < 3; round++) {
      const before = checks;
      expect(await get(`/.well-known/${path}`)).toMatchObject({ status: 200 });
      expect(checks).toBeGreaterThan(before);
    }
  fails = true;
  await expect(Promise.resolve(get('/.well-known/skills/a/x.md'))).rejects.toThrow('cannot be found out');
  await expect(catalog.snapshot()).rejects.toThrow('cannot be found out');
  await expect(catalog.read('skill://a/x.md', {})).rejects.toThrow('cannot be found out');
});

test('answers are synchronous while decisions are known, and wait for new ones', async () => {
  const source = memorySource();
  source.add('a', { description: 'A' }, 'text');
  let wait: Promise<void> | undefined;
  await using catalog = freshCatalog(createCatalog({ ...source, isCurrent: () => true }), () => wait);
  await catalog.read('skill://a/SKILL.md', {});
  expect(catalog.snapshot()).not.toBeInstanceOf(Promise);
  expect(catalog.read('skill://a/SKILL.md', {})).not.toBeInstanceOf(Promise);
  wait = Promise.resolve();
  const late = [catalog.snapshot(), catalog.read('skill://a/SKILL.md', {})];
  for (const answer of late) expect(answer).toBeInstanceOf(Promise);
  await Promise.all(late);
});

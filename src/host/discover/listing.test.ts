import { describe, expect, test } from 'vitest';
import { skillMd } from '../../../test/scripted-origin.ts';
import { SkillwireError } from '../../errors.ts';
import { memorySource } from '../../sources/memory.ts';
import type { SkillSource, SourcePage, SourceSkill } from '../../sources/skill-source.ts';
import { readListing } from './listing.ts';
import { createOrigins } from './origins.ts';

async function skill(name: string, more: Partial<SourceSkill> = {}): Promise<SourceSkill> {
  const found = await memorySource({ [name]: { 'SKILL.md': skillMd(name) } }).get(`skill://${name}/SKILL.md`, {});
  if (found === undefined) throw new Error(name);
  return { ...found, ...more };
}

function read(list: () => AsyncIterable<SourcePage>, more: Partial<SkillSource> = {}, timeoutMs = 1_000) {
  const source: SkillSource = { name: 'x', list, get: async () => undefined, open: async () => undefined, ...more };
  const origins = createOrigins(timeoutMs);
  const origin = { label: 'docs', local: false, source };
  origins.add(origin);
  return (signal?: AbortSignal) => readListing(origins, origin, { signal });
}

const page = (...skills: SourceSkill[]): SourcePage => ({ skills, findings: [] });

describe('readListing()', () => {
  test('reads all pages, keeps refusals, and uses the shortest TTL', async () => {
    const [a, b, hidden] = [
      await skill('a', { ttlMs: 500 }),
      await skill('b', { ttlMs: 20 }),
      await skill('c', { listed: false }),
    ];
    const listing = await read(async function* () {
      yield { ...page(a), refused: [{ uri: 'skill://x/SKILL.md', faults: ['bad'] }] };
      yield page(b, hidden);
    })();
    expect(listing.skills.map(({ entry }) => entry.uri)).toEqual(['skill://a/SKILL.md', 'skill://b/SKILL.md']);
    expect(listing).toMatchObject({ ttlMs: 20, refused: [{ faults: ['bad'] }] });
    expect(listing.cut).toBeUndefined();
  });

  test('keeps the first of two entries with one URI and reports the second', async () => {
    const a = await skill('a');
    const listing = await read(async function* () {
      yield page(a, a);
    })();
    expect(listing.skills).toHaveLength(1);
    expect(listing.refused).toMatchObject([{ uri: 'skill://a/SKILL.md', name: 'a' }]);
  });

  test('is partial if a later page fails or hangs, and fails if nothing arrived', async () => {
    const a = await skill('a', { ttlMs: 9_999 });
    const failing = async function* () {
      yield page(a);
      throw new SkillwireError('UNREACHABLE', 'cut');
    };
    expect(await read(failing)()).toMatchObject({ cut: { code: 'UNREACHABLE' }, ttlMs: 0, skills: [{}] });
    const hanging = async function* () {
      yield page(a);
      await new Promise(() => undefined);
    };
    expect(await read(hanging, {}, 20)()).toMatchObject({ cut: { code: 'TIMED_OUT' } });
    const refused = Promise.reject<SourcePage>(new SkillwireError('NOT_AUTHORIZED', 'who are you'));
    const empty = async function* (): AsyncGenerator<SourcePage> {
      yield await refused;
    };
    await expect(read(empty)()).rejects.toMatchObject({ code: 'NOT_AUTHORIZED' });
  });

  test('stops when the caller aborts, whatever has arrived', async () => {
    const a = await skill('a');
    const controller = new AbortController();
    const listing = read(async function* () {
      yield page(a);
      controller.abort();
      await new Promise(() => undefined);
    })(controller.signal);
    await expect(listing).rejects.toMatchObject({ code: 'INTERRUPTED' });
  });

  test('checks the health of the origin first, and does not list after a failure', async () => {
    let listed = false;
    const list = async function* (): AsyncGenerator<SourcePage> {
      listed = true;
      yield page();
    };
    const status = () => Promise.reject(new SkillwireError('UNREACHABLE', 'no'));
    await expect(read(list, { status })()).rejects.toMatchObject({ code: 'UNREACHABLE' });
    expect(listed).toBe(false);
    const good = await read(list, { status: async () => ({ skills: true, directoryRead: false }) })();
    expect(good).toMatchObject({ status: { skills: true }, skills: [], ttlMs: 0 });
  });

  test('reports the dialect of the pages', async () => {
    const a = await skill('a');
    const list = async function* (): AsyncGenerator<SourcePage> {
      yield { ...page(a), dialect: 'skilljack' };
      yield page();
    };
    const status = async () => ({ skills: true, directoryRead: false });
    expect((await read(list, { status })()).status).toEqual({
      skills: true,
      directoryRead: false,
      dialect: 'skilljack',
    });
    expect((await read(list)()).status).toBeUndefined();
  });
});

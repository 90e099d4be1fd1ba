import { describe, expect, onTestFinished, test } from 'vitest';
import { type ScriptedOrigin, scriptedOrigin, skillMd } from '../../../test/scripted-origin.ts';
import { limits } from '../../limits.ts';
import type { SkillEntry } from '../../skill/entry.ts';
import { memoryStore } from '../../store/memory-store.ts';
import { createHost } from '../create-host.ts';
import { type CapturedEntry, captureEntry } from '../load/capture.ts';
import { type CachedEntries, cachedEntries } from './cached-entries.ts';
import type { HostOrigin } from './origins.ts';

const hour = 60 * 60_000;
const uriOf = (name: string): string => `skill://${name}/SKILL.md`;
const digest = `sha256:${'0'.repeat(64)}`;

function captured(name = 'a', resources?: 'dynamic'): Promise<CapturedEntry> {
  const uri = uriOf(name);
  const entry: SkillEntry = {
    uri,
    frontmatter: { name, description: 'x' },
    resources: resources ?? [{ uri, digest, size: 1 }],
  };
  return captureEntry({ label: 'docs', local: false }, uri, { entry });
}

function clock(): { readonly entries: CachedEntries; at: number } {
  const time = { at: 0 };
  return Object.assign(time, { entries: cachedEntries(() => time.at) });
}

const docs: HostOrigin = scriptedOrigin('docs');

describe('keptEntries()', () => {
  test('returns an entry for the TTL of its origin, counted from the request', async () => {
    const time = clock();
    const entry = await captured();
    await time.entries.renew(docs, uriOf('a'), async () => {
      time.at += 400;
      return { captured: entry, ttlMs: 1_000 };
    });
    time.at = 999;
    expect(time.entries.find(docs, uriOf('a'))).toBe(entry);
    expect(time.entries.find(docs, uriOf('b'))).toBeUndefined();
    expect(time.entries.find(scriptedOrigin('docs'), uriOf('a'))).toBeUndefined();
    time.at = 1_000;
    expect(time.entries.find(docs, uriOf('a'))).toBeUndefined();
  });

  test('limits the TTL, whatever the origin sends', async () => {
    const time = clock();
    const entry = await captured();
    await time.entries.renew(docs, uriOf('a'), async () => ({ captured: entry, ttlMs: 24 * hour }));
    time.at = limits.host.cachedEntryMs - 1;
    expect(time.entries.find(docs, uriOf('a'))).toBe(entry);
    time.at += 1;
    expect(time.entries.find(docs, uriOf('a'))).toBeUndefined();
  });

  test('caches no entry without TTL, no unverifiable one, and none of a local folder', async () => {
    const { entries } = clock();
    const entry = await captured();
    const local = scriptedOrigin('home', {}, true);
    await entries.renew(docs, uriOf('a'), async () => ({ captured: entry, ttlMs: 0 }));
    expect(entries.find(docs, uriOf('a'))).toBeUndefined();
    const dynamic = await captured('a', 'dynamic');
    await entries.renew(docs, uriOf('a'), async () => ({ captured: dynamic, ttlMs: hour }));
    expect(entries.find(docs, uriOf('a'))).toBeUndefined();
    await entries.renew(local, uriOf('a'), async () => ({ captured: entry, ttlMs: hour }));
    expect(entries.find(local, uriOf('a'))).toBeUndefined();
  });

  test('caches nothing after the origin failed to answer, or after a new listing', async () => {
    const { entries } = clock();
    const entry = await captured();
    const keep = () => entries.renew(docs, uriOf('a'), async () => ({ captured: entry, ttlMs: hour }));
    await keep();
    await expect(entries.renew(docs, uriOf('a'), () => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
    expect(entries.find(docs, uriOf('a'))).toBeUndefined();
    await keep();
    entries.forgetAll(docs);
    expect(entries.find(docs, uriOf('a'))).toBeUndefined();
  });

  test('prefers the latest request, not the latest answer', async () => {
    const time = clock();
    const [older, newer] = [await captured(), await captured()];
    let answer: () => void = () => undefined;
    const slow = time.entries.renew(docs, uriOf('a'), async () => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return { captured: older, ttlMs: hour };
    });
    time.at = 5;
    await time.entries.renew(docs, uriOf('a'), async () => ({ captured: newer, ttlMs: hour }));
    answer();
    expect(await slow).toBe(older);
    expect(time.entries.find(docs, uriOf('a'))).toBe(newer);
    const slower = time.entries.renew(docs, uriOf('a'), async () => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return { captured: older, ttlMs: hour };
    });
    const gone = time.entries.renew(docs, uriOf('a'), () => Promise.reject(new Error('gone')));
    await expect(gone).rejects.toThrow('gone');
    answer();
    await slower;
    expect(time.entries.find(docs, uriOf('a'))).toBeUndefined();
  });

  test('caches a limited number of entries of an origin', async () => {
    const { entries } = clock();
    const entry = await captured();
    for (let count = 0; count <= limits.host.cachedEntries; count++)
      await entries.renew(docs, uriOf(`a${count}`), async () => ({ captured: entry, ttlMs: hour }));
    expect(entries.find(docs, uriOf('a0'))).toBeUndefined();
    expect(entries.find(docs, uriOf('a1'))).toBe(entry);
  });
});

describe('load() within the TTL of an origin', () => {
  const address = { label: 'docs', uri: uriOf('a') };
  const files = { 'SKILL.md': skillMd('a'), 'b.md': 'B\n' };

  async function loadedOnce(): Promise<{
    readonly origin: ScriptedOrigin;
    readonly host: Awaited<ReturnType<typeof createHost>>;
  }> {
    const origin = scriptedOrigin('docs', { a: files });
    origin.ttlMs = hour;
    const host = await createHost({ store: memoryStore(), origins: [origin], decide: async () => ({ allow: true }) });
    onTestFinished(() => host.close());
    await host.load(address);
    return { origin, host };
  }

  test('contacts nobody, and returns the same skill', async () => {
    const { origin, host } = await loadedOnce();
    const first = host.acting.list()[0];
    const again = await host.load(address);
    expect(again.text).toBe(first?.text);
    expect(origin.calls.map(({ method }) => method)).toEqual(['get', 'open']);
  });

  test('contacts the origin if told to, and after a new listing', async () => {
    const { origin, host } = await loadedOnce();
    await host.load(address, { fresh: true });
    expect(origin.count('get')).toBe(2);
    await host.load(address);
    expect(origin.count('get')).toBe(2);
    await host.discover();
    await host.load(address);
    expect(origin.count('get')).toBe(3);
  });

  test('checks approvals and disabled skills as always', async () => {
    const { origin, host } = await loadedOnce();
    await host.setEnabled(address, false);
    await expect(host.load(address)).rejects.toMatchObject({ code: 'SKILL_DISABLED' });
    await host.setEnabled(address, true);
    await host.approvals.revoke(address, 'no longer');
    await host.load(address);
    expect((await host.approvals.list())[0]?.reason).toBe('allowed when asked');
    expect(origin.count('get')).toBe(1);
  });

  test('detects a changed skill at the first file that does not match, and then contacts the origin', async () => {
    const { origin, host } = await loadedOnce();
    const skill = await host.load(address);
    origin.skills.add('a', { 'SKILL.md': skillMd('a'), 'b.md': 'other\n' });
    expect(origin.count('get')).toBe(1);
    await expect(skill.read('b.md')).rejects.toMatchObject({ code: 'NOT_APPROVED', data: { changed: true } });
    expect(origin.count('get')).toBe(2);
    const renewed = await host.load(address);
    expect(new TextDecoder().decode((await renewed.read('b.md')).bytes)).toBe('other\n');
  });
});

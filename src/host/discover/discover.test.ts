import { describe, expect, test } from 'vitest';
import { scriptedOrigin, skillMd } from '../../../test/scripted-origin.ts';
import { limits } from '../../limits.ts';
import { finding } from '../../skill/finding.ts';
import { memoryStore } from '../../store/memory-store.ts';
import { createHost } from '../create-host.ts';

const a = { a: { 'SKILL.md': skillMd('a') } };

describe('discover()', () => {
  test('distinguishes empty origins, refused listings and cut ones', async () => {
    const empty = scriptedOrigin('empty');
    const refused = scriptedOrigin('refused');
    const cut = scriptedOrigin('cut', a);
    const cutFinding = finding('origin-listing-cut', 'page 2 failed');
    const host = await createHost({
      store: memoryStore(),
      origins: [
        empty,
        {
          ...refused,
          source: {
            ...refused.source,
            async *list() {
              yield { skills: [], findings: [], refused: [{ faults: ['no name'] }] };
            },
          },
        },
        {
          ...cut,
          source: {
            ...cut.source,
            async *list(context) {
              for await (const page of cut.source.list(context)) yield { ...page, findings: [cutFinding] };
            },
          },
        },
      ],
    });
    const { origins } = await host.discover();
    expect(origins.map(({ label, state, skills }) => [label, state, skills])).toEqual([
      ['empty', 'empty', 0],
      ['refused', 'all-refused', 0],
      ['cut', 'partial', 1],
    ]);
    expect(origins.map(({ message }) => message)).toEqual([
      expect.stringContaining('unlisted skills may exist'),
      expect.stringContaining('no usable entries'),
      'page 2 failed',
    ]);
  });

  test('contacts a limited number of origins at a time, and keeps their order', async () => {
    let [now, most] = [0, 0];
    const origins = Array.from({ length: 40 }, (_, index) => {
      const origin = scriptedOrigin(`o${index}`, a);
      origin.before = async () => {
        most = Math.max(most, ++now);
        await new Promise((resolve) => setTimeout(resolve, 5));
        now--;
      };
      return origin;
    });
    const host = await createHost({ store: memoryStore(), origins });
    const discovery = await host.discover();
    expect(discovery.skills.map(({ label }) => label)).toEqual(origins.map(({ label }) => label));
    expect(most).toBe(limits.host.parallelOrigins);
  });

  test('contacts only the origins with the given labels', async () => {
    const host = await createHost({
      store: memoryStore(),
      origins: [scriptedOrigin('one', a), scriptedOrigin('two', a)],
    });
    const { skills, origins } = await host.discover({ labels: ['two'] });
    expect(skills.map(({ label }) => label)).toEqual(['two']);
    expect(origins.map(({ label }) => label)).toEqual(['two']);
    await host.close();
  });

  test('shares one listing among callers, and lists again if told to', async () => {
    const docs = scriptedOrigin('docs', a);
    docs.ttlMs = 3_600_000;
    const host = await createHost({ store: memoryStore(), origins: [docs] });
    await Promise.all([host.discover(), host.discover(), host.catalogText()]);
    expect(docs.count('list')).toBe(1);
    await host.discover({ fresh: true });
    expect(docs.calls.at(-1)?.context.fresh).toBe(true);
    expect(docs.count('list')).toBe(2);
  });

  test('omits an origin that was removed during the listing', async () => {
    const docs = scriptedOrigin('docs', a);
    const host = await createHost({ store: memoryStore(), origins: [docs] });
    docs.before = () => host.origins.remove('docs');
    expect(await host.discover()).toEqual({ skills: [], origins: [], collisions: [] });
  });
});

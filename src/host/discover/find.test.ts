import { describe, expect, test } from 'vitest';
import { type ScriptedOrigin, scriptedOrigin, skillMd } from '../../../test/scripted-origin.ts';
import { SkillwireError } from '../../errors.ts';
import { memoryStore } from '../../store/memory-store.ts';
import { createHost } from '../create-host.ts';

const uri = 'skill://a/SKILL.md';
const a = { a: { 'SKILL.md': skillMd('a') } };
const open = (...origins: ScriptedOrigin[]) => createHost({ store: memoryStore(), origins, timeoutMs: 1_000 });

describe('find()', () => {
  test.each(['a', uri, 'skill://a', 'docs:a', `docs:${uri}`, 'x/b', 'docs:x/b', 'skill://x/b'])(
    'finds %s',
    async (reference) => {
      const host = await open(scriptedOrigin('docs', { ...a, 'x/b': { 'SKILL.md': skillMd('b') } }));
      expect((await host.find(reference)).label).toBe('docs');
    },
  );

  test('asks one labeled origin for a URI, without any listing', async () => {
    const [docs, team] = [scriptedOrigin('docs', a), scriptedOrigin('mcp:http://127.0.0.1:1/mcp', a)];
    const host = await open(docs, team);
    expect((await host.find(`mcp:http://127.0.0.1:1/mcp:${uri}`)).label).toBe('mcp:http://127.0.0.1:1/mcp');
    expect([docs.calls.length, team.count('list'), team.count('get')]).toEqual([0, 0, 1]);
  });

  test('lists again before it reports an unknown name', async () => {
    const docs = scriptedOrigin('docs', a);
    docs.ttlMs = 3_600_000;
    const host = await open(docs);
    await host.discover();
    docs.skills.add('late', { 'SKILL.md': skillMd('late') });
    expect((await host.find('late')).name).toBe('late');
    await expect(host.find('never')).rejects.toMatchObject({ code: 'SKILL_NOT_FOUND' });
  });

  test('names the origins that failed, and passes on the error of a single one', async () => {
    const [docs, gone] = [scriptedOrigin('docs', a), scriptedOrigin('gone', a)];
    gone.failure = new SkillwireError('UNREACHABLE', 'no route');
    const host = await open(docs, gone);
    expect((await host.find('a')).label).toBe('docs');
    await expect(host.find('b')).rejects.toThrow(/"gone" \(unreachable\)/);
    await expect(host.find(`gone:${uri}`)).rejects.toMatchObject({ code: 'UNREACHABLE' });
    await expect(host.find('skill://zzz/SKILL.md')).rejects.toMatchObject({
      code: 'SKILL_NOT_FOUND',
      message: expect.stringContaining('no route'),
    });
  });

  test('stops when the caller aborts', async () => {
    const docs = scriptedOrigin('docs', a);
    const controller = new AbortController();
    docs.before = () => controller.abort();
    const host = await open(docs);
    await expect(host.find('a', { signal: controller.signal })).rejects.toMatchObject({ code: 'INTERRUPTED' });
  });
});

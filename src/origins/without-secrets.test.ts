import { describe, expect, test } from 'vitest';
import { SkillwireError } from '../errors.ts';
import { finding } from '../skill/finding.ts';
import { memorySource } from '../sources/memory.ts';
import type { SkillSource, SourceChange } from '../sources/skill-source.ts';
import { createRedaction, withoutSecrets } from './without-secrets.ts';

const secret = 'hunter2-hunter2';
const skill = { 'SKILL.md': '---\nname: a\ndescription: About a.\n---\n' };

describe('createRedaction()', () => {
  const clean = createRedaction([secret, `key=${'k'.repeat(12)}`, 'abc']);

  test.each([
    ['the token "hunter2-hunter2" is wrong', 'the token "***" is wrong'],
    ['twice hunter2-hunter2, hunter2-hunter2', 'twice ***, ***'],
    ['cut off: hunter2-hun...', 'cut off: ***...'],
    ['"...er2-hunter2 is what it wrote', '"...*** is what it wrote'],
    [`only ${'k'.repeat(12)} of a header`, 'only *** of a header'],
    ['hunter2 alone is not cut', 'hunter2 alone is not cut'],
    ['words with abc stay', 'words with abc stay'],
  ])('turns %j into %j', (text, expected) => {
    expect(clean(text)).toBe(expected);
  });
});

describe('withoutSecrets()', () => {
  const failure = () =>
    new SkillwireError('ORIGIN_FAILED', `it said ${secret}`, { cause: new Error(`before: ${secret}`) });

  const talkative: SkillSource = {
    ...memorySource({ a: skill }),
    async *list() {
      yield {
        skills: [],
        findings: [finding('origin-stale', `it wrote ${secret}`)],
        refused: [{ uri: `skill://${secret}/SKILL.md`, name: secret, faults: [`"${secret}" is no name`] }],
      };
      throw failure();
    },
    get: () => Promise.reject(failure()),
    open: () => Promise.reject(failure()),
    readDirectory: () => Promise.reject(failure()),
    status: () => Promise.reject(failure()),
    watch(listener) {
      listener({ upserted: [], removed: [], findings: [finding('origin-stale', secret)] });
      return () => undefined;
    },
  };
  const source = withoutSecrets(talkative, () => [secret]);

  test('asks a source with changing members each time', async () => {
    class Living implements SkillSource {
      #ends = 0;
      #reads = 0;
      get name() {
        return `asked ${++this.#reads} times`;
      }
      get watched() {
        return this.#reads > 1;
      }
      async *list() {
        yield { skills: [], findings: [] };
      }
      get = async () => undefined;
      open = async () => undefined;
      async isCurrent(_uri: string, digest: string) {
        return this.#reads > 1 && digest === 'sha256:a';
      }
      freshUntil(uri?: string) {
        return uri === 'skill://a/SKILL.md' ? this.#reads : undefined;
      }
      async close() {
        this.#ends++;
      }
      get ends() {
        return this.#ends;
      }
    }
    const living = new Living();
    const shown = withoutSecrets(living, () => [secret]);
    expect([shown.name, shown.watched]).toEqual(['asked 1 times', false]);
    expect(await shown.isCurrent?.('skill://a/SKILL.md', 'sha256:a')).toBe(false);
    expect([shown.name, shown.watched]).toEqual(['asked 2 times', true]);
    expect(await shown.isCurrent?.('skill://a/SKILL.md', 'sha256:a')).toBe(true);
    expect([shown.freshUntil?.('skill://a/SKILL.md'), shown.freshUntil?.()]).toEqual([2, undefined]);
    await shown.close?.();
    expect(living.ends).toBe(1);
    expect([shown.watch, shown.status, shown.templates]).toEqual([undefined, undefined, undefined]);
  });

  test('removes them from faults of a listing', async () => {
    const pages: unknown[] = [];
    const listing = (async () => {
      for await (const page of source.list({})) pages.push(page);
    })();
    await expect(listing).rejects.toMatchObject({ code: 'ORIGIN_FAILED', message: 'it said ***' });
    expect(pages).toMatchObject([
      {
        findings: [{ message: 'it wrote ***' }],
        refused: [{ uri: 'skill://***/SKILL.md', name: '***', faults: ['"***" is no name'] }],
      },
    ]);
  });

  test('removes them from errors, causes and changes', async () => {
    const calls = [source.get('x', {}), source.open('x', {}), source.readDirectory?.('x', {}), source.status?.({})];
    for (const call of calls)
      await expect(call).rejects.toMatchObject({ message: 'it said ***', cause: { message: 'before: ***' } });
    const changes: SourceChange[] = [];
    source.watch?.((change) => changes.push(change));
    expect(changes).toMatchObject([{ findings: [{ message: '***' }] }]);
  });

  test('redacts a secret that is new since the last call', async () => {
    const now: string[] = ['another-secret-1234'];
    const shown = withoutSecrets(talkative, () => now);
    const message = async () => (await shown.get('skill://a/SKILL.md', {}).catch((error: Error) => error)) as Error;
    expect((await message()).message).toContain(secret);
    now.push(secret);
    expect((await message()).message).not.toContain(secret);
  });
});

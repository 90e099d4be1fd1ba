import { describe, expect, test } from 'vitest';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { SkillEntry } from '../skill/entry.ts';
import { modernRules, RpcError, type Wire } from '../sources/mcp-server/wire.ts';
import { checkDirectories } from './check-directories.ts';
import { createFailureList } from './failures.ts';

type Params = Readonly<Record<string, unknown>>;

function wireOf(answer: (params: Params) => unknown): { readonly wire: Wire; readonly requests: Params[] } {
  const requests: Params[] = [];
  const wire: Wire = {
    era: 'modern',
    protocolVersion: '2026-07-28',
    capabilities: {},
    rules: modernRules,
    stateless: true,
    async request(_, params) {
      requests.push(params);
      return answer(params);
    },
    onClose() {},
    close: async () => {},
  };
  return { wire, requests };
}

function entryOf(name: string, ...files: readonly string[]): SkillEntry {
  const root = `skill://${name}`;
  const resources = ['SKILL.md', ...files].map((file) => ({ uri: `${root}/${file}`, digest: 'sha256:', size: 1 }));
  return { uri: `${root}/SKILL.md`, frontmatter: { name, description: 'd' }, resources };
}

const file = (uri: string) => ({ uri, name: uri.slice(uri.lastIndexOf('/') + 1), mimeType: 'text/plain' });
const directory = (uri: string) => ({ ...file(uri), mimeType: 'inode/directory' });
const complete = (resources: readonly unknown[], more = {}) => ({ resultType: 'complete', resources, ...more });

const honest: Readonly<Record<string, readonly unknown[]>> = {
  'skill://a': [file('skill://a/SKILL.md'), directory('skill://a/docs')],
  'skill://a/docs': [file('skill://a/docs/x.md')],
};
const entry = entryOf('a', 'docs/x.md');

async function check(answer: (params: Params) => unknown, entries: readonly SkillEntry[] = [entry]) {
  const { wire, requests } = wireOf(answer);
  const failures = createFailureList();
  const why = await checkDirectories(
    entries,
    { wire, deadlineMs: 1_000, signal: new AbortController().signal },
    failures,
  );
  return { why, requests, failed: failures.list.map(({ requirement, uri }) => [requirement, uri]) };
}

describe('checkDirectories()', () => {
  test('reads each directory of the entry, and accepts an empty one besides', async () => {
    const { failed, requests, why } = await check(({ uri }) =>
      complete([...(honest[String(uri)] ?? []), directory(`${uri}/empty`)]),
    );
    expect({ failed, why }).toEqual({ failed: [], why: undefined });
    expect(requests).toEqual([{ uri: 'skill://a' }, { uri: 'skill://a/docs' }]);
  });

  test('joins pages', async () => {
    const { failed } = await check(({ uri, cursor }) => {
      const children = honest[String(uri)] ?? [];
      return cursor === undefined ? complete(children.slice(0, 1), { nextCursor: 'x' }) : complete(children.slice(1));
    });
    expect(failed).toEqual([]);
  });

  test.each([
    ['a file is missing', () => complete([]), 'S-50'],
    [
      'a folder is shown as a file',
      ({ uri }: Params) =>
        complete((honest[String(uri)] ?? []).map((child) => ({ ...Object(child), mimeType: 'text/plain' }))),
      'S-50',
    ],
    [
      'the entry lacks a file',
      ({ uri }: Params) => complete([...(honest[String(uri)] ?? []), file(`${uri}/more.md`)]),
      'S-28',
    ],
    ['the result is of another kind', () => ({ ...complete([]), resultType: 'maybe' }), 'S-48'],
    ['the kind of the result is not told', ({ uri }: Params) => ({ resources: honest[String(uri)] }), 'S-48'],
    ['it is no list', () => complete('none' as never), 'S-50'],
    [
      'the cursor repeats',
      ({ uri, cursor }: Params) =>
        complete(cursor === undefined ? (honest[String(uri)] ?? []) : [], { nextCursor: 'x' }),
      'S-50',
    ],
  ] as const)('reports that %s', async (_, answer, requirement) => {
    const { failed } = await check(answer);
    expect([...new Set(failed.map(([id]) => id))]).toEqual([requirement]);
  });

  test.each([
    [-32601, 'S-2'],
    [-32602, 'S-50'],
    [-32603, 'S-50'],
  ])('reports the answer as error %d', async (code, requirement) => {
    const { failed } = await check(() => {
      throw new RpcError(code, 'no');
    });
    expect(failed).toEqual([
      [requirement, 'skill://a'],
      [requirement, 'skill://a/docs'],
    ]);
  });

  test('stops without an answer, and reports it', async () => {
    const { failed, why, requests } = await check(() => {
      throw new SkillwireError('TIMED_OUT', 'no answer');
    });
    expect({ failed, why, requests: requests.length }).toEqual({
      failed: [],
      why: 'the directory "skill://a" could not be read: no answer',
      requests: 1,
    });
  });

  test('skips the others after many unreadable ones', async () => {
    const entries = Array.from({ length: 50 }, (_, number) => entryOf(`s-${number}`));
    const { why, requests } = await check(() => {
      throw new RpcError(-32603, 'no');
    }, entries);
    expect(requests).toHaveLength(limits.verifier.unusableDirectories);
    expect(why).toMatch(/^directories were not read any more/);
  });

  test('requests nothing for dynamic skills', async () => {
    expect((await check(() => complete([]), [{ ...entry, resources: 'dynamic' }])).requests).toEqual([]);
  });
});

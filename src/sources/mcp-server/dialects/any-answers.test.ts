/** Reading any answer of a server ends: with skills, or with one of our errors. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { f1 } from '../../../../test/dialect-fixtures.ts';
import { soakFactor } from '../../../../test/soak-factor.ts';
import { SkillwireError } from '../../../errors.ts';
import { sha256Digest } from '../../../skill/digest.ts';
import { RpcError } from '../wire.ts';
import { createDialectReader } from './dialect-reader.ts';

const uri = 'skill://git-workflow/SKILL.md';

/** Texts with a meaning in some dialect, and some without. */
const word = fc.constantFrom(
  uri,
  'skill://index.json',
  'skill://index',
  'skill://git-workflow',
  'skill://git-workflow/',
  'skill://a/../b/SKILL.md',
  'skill://x/usage',
  'skill://{a}/{+b}',
  'git-workflow',
  'archive',
  'skill-md',
  'text/markdown',
  'application/gzip',
  f1.digest,
  f1.text,
  '# Error\n',
  '../../etc/passwd',
  '',
);
const keys = [
  'uri',
  'url',
  'name',
  'type',
  'digest',
  'frontmatter',
  'description',
  'archives',
  'files',
  'path',
  'hash',
  'size',
];
const more = [
  'resources',
  'skills',
  'contents',
  'text',
  'blob',
  'mimeType',
  'nextCursor',
  'resourceTemplates',
  'documents',
];
const { value: json } = fc.letrec((tie) => ({
  leaf: fc.oneof(word, fc.constant(null), fc.boolean(), fc.integer()),
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('leaf'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...keys, ...more, 'uriTemplate', 'instructions'), tie('value'), { maxKeys: 5 }),
  ),
}));
const document = json.map((value) => JSON.stringify(value));
const read = fc.oneof(
  json,
  document.map((text) => ({ contents: [{ uri, text }] })),
  fc.constant({ contents: [{ uri, text: f1.text }] }),
);
const result = (key: string): fc.Arbitrary<unknown> =>
  fc.oneof(
    json,
    fc.array(json, { maxLength: 4 }).map((rows) => ({ [key]: rows })),
    fc.constant({ [key]: [{ uri, name: 'git-workflow', mimeType: 'text/markdown' }] }),
  );
const answers = fc.record({
  'resources/read': fc.array(fc.oneof(read, fc.constant(new RpcError(-32602, 'no'))), { minLength: 1, maxLength: 6 }),
  'resources/list': fc.array(result('resources'), { minLength: 1, maxLength: 2 }),
  'resources/templates/list': fc.array(result('resourceTemplates'), { minLength: 1, maxLength: 1 }),
  'skills/list': fc.array(result('skills'), { minLength: 1, maxLength: 2 }),
  'skills/get': fc.array(json, { minLength: 1, maxLength: 2 }),
  'tools/call': fc.array(json, { minLength: 1, maxLength: 2 }),
});

describe('any answers', () => {
  test('terminate without breaking the rules of entries', async () => {
    await fc.assert(
      fc.asyncProperty(answers, fc.constantFrom({ resources: {} }, { resources: {}, skills: {}, tools: {} }), run),
      { numRuns: 200 * soakFactor },
    );
  });
});

async function run(scripted: Readonly<Record<string, readonly unknown[]>>, capabilities: object): Promise<void> {
  const counts = new Map<string, number>();
  const reader = createDialectReader({
    async ask(method) {
      const list = scripted[method] ?? [];
      const count = counts.get(method) ?? 0;
      counts.set(method, count + 1);
      const answer = list[count % list.length];
      if (answer instanceof RpcError || answer === undefined) throw new RpcError(-32601, 'no');
      return answer;
    },
    server: async () => ({ capabilities, instructions: `Read ${uri} first.` }),
    recognize: {},
    digest: sha256Digest,
    onRemark: () => undefined,
  });
  const seen: string[] = [];
  try {
    await reader.list(
      ({ page }) => {
        for (const { entry } of page.skills) {
          expect(typeof entry.frontmatter.name).toBe('string');
          expect(entry.uri).toMatch(/\/SKILL\.md$/);
          expect(entry.uri).not.toContain('..');
          seen.push(entry.uri);
        }
      },
      AbortSignal.timeout(20_000),
      [],
      () => [],
    );
    for (const one of [...seen, uri]) {
      await reader.get(one, { fresh: true }, []);
      await reader.open(one.replace('SKILL.md', 'references/GUIDE.md'), {}, []);
    }
  } catch (error) {
    if (!(error instanceof SkillwireError || error instanceof RpcError)) throw error;
  }
  expect(new Set(seen).size).toBe(seen.length);
}

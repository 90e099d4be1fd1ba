import { describe, expect, test } from 'vitest';
import type { FileFacts } from './file-facts.ts';
import { createServingPolicy, denialText, type ServingFacts, type ServingPolicy } from './serving-policy.ts';

const digest = `sha256:${'a'.repeat(64)}`;
const facts: ServingFacts = {
  origin: 'docs',
  paths: ['docs/pdf-tools'],
  dynamic: false,
  files: [
    { path: 'SKILL.md', digest, size: 400, text: { head: { license: 'Apache-2.0' } } },
    { path: 'scripts/run.sh', digest: `sha256:${'c'.repeat(64)}`, size: 600 },
  ],
  bytes: 1_000,
  setDigest: `sha256:${'d'.repeat(64)}`,
  runs: false,
  license: 'Apache-2.0',
  dialect: 'well-known 0.1',
};
const effect = (policy: ServingPolicy, more: Partial<ServingFacts> = {}): string => {
  const verdict = createServingPolicy(policy).decide({ ...facts, ...more });
  return verdict.effect === 'deny' ? verdict.rule : verdict.effect;
};

describe('createServingPolicy()', () => {
  test('serves everything by default, and requires approval in approved-only mode', () => {
    expect(effect({})).toBe('serve');
    expect(effect({ mode: 'open' })).toBe('serve');
    expect(effect({ mode: 'approved-only' })).toBe('approval');
  });

  test.each([
    ['digest', { digest }, { digest: `sha256:${'b'.repeat(64)}` }],
    ['origin', { origin: 'docs' }, { origin: 'doc' }],
    ['pattern', { match: 'docs/pdf-*' }, { match: 'other/pdf-*' }],
    ['pattern in any case', { match: 'PDF-Tools' }, { match: 'pdf' }],
    ['pattern of a folder', { match: 'docs/' }, { match: '/pdf-tools' }],
  ] as const)('refuses by %s, in every mode', (_, denial, other) => {
    for (const mode of ['open', 'approved-only'] as const) {
      expect(effect({ mode, deny: [other, denial] })).toBe('deny');
      expect(effect({ mode, deny: [other] })).not.toBe('deny');
    }
  });

  test('returns the reason of a denial, or describes the denied thing', () => {
    const verdict = (deny: ServingPolicy['deny'] & object) => createServingPolicy({ deny }).decide(facts);
    expect(verdict([{ origin: 'docs', reason: 'INC-7' }])).toMatchObject({ reason: 'INC-7' });
    expect(verdict([{ origin: 'docs' }])).toMatchObject({ reason: 'the policy denies the origin "docs"' });
    expect([denialText({ digest }), denialText({ match: 'a' })]).toEqual([`the digest ${digest}`, 'what matches "a"']);
  });

  test('refuses by rules about the kind of skill', () => {
    expect(effect({ scripts: false })).toBe('scripts');
    const [main] = facts.files;
    const plain = { files: main === undefined ? [] : [main] };
    expect(effect({ scripts: false }, plain)).toBe('serve');
    expect(effect({ scripts: false }, { ...plain, runs: true })).toBe('scripts');
    expect(effect({ maxBytes: 999 })).toBe('maxBytes');
    expect(effect({ maxBytes: 1_000 })).toBe('serve');
    expect(effect({ dialects: ['skills-extension'] })).toBe('dialects');
    expect(effect({ dialects: ['well-known 0.1'] })).toBe('serve');
    expect(effect({ licenses: ['MIT'] })).toBe('licenses');
    expect(effect({ licenses: ['MIT', 'apache-2.0 '] })).toBe('serve');
  });

  test('a rule on licenses refuses skills without one; a rule on forms ignores skills without one', () => {
    const { license: _, dialect: __, ...bare } = facts;
    expect(createServingPolicy({ licenses: ['MIT'] }).decide(bare)).toMatchObject({
      effect: 'deny',
      rule: 'licenses',
    });
    expect(createServingPolicy({ dialects: ['x'] }).decide(bare)).toEqual({ effect: 'serve' });
  });

  test('prefers rules to approvals', () => {
    expect(effect({ mode: 'approved-only', scripts: false })).toBe('scripts');
  });

  test.each([
    [{}, 'serve'],
    [{ dynamic: false }, 'dynamic'],
    [{ mode: 'approved-only' }, 'dynamic'],
    [{ mode: 'approved-only', dynamic: true }, 'serve'],
  ] as const)('decides about unverifiable skills: %j is %s', (policy, expected) => {
    expect(effect(policy, { dynamic: true, files: [] })).toBe(expected);
  });

  test('checks every path, and the digest of the set', () => {
    const paths = ['docs/outer', 'docs/old-name', 'docs/outer/inner'];
    for (const match of paths) expect(effect({ deny: [{ match: `/${match}` }] }, { paths })).toBe('deny');
    expect(effect({ deny: [{ digest: facts.setDigest ?? '' }] })).toBe('deny');
    const contentDigest = `sha256:${'e'.repeat(64)}`;
    expect(effect({ deny: [{ digest: contentDigest }] }, { contentDigest })).toBe('deny');
    expect(effect({ deny: [{ digest: contentDigest }] })).toBe('serve');
  });

  test.each([
    ['a script by its text', { path: 'notes', text: { runs: 'it begins with "#!"' } }],
    ['a script by its name', { path: 'bin/tool' }],
    ['an executable file', { path: 'tool', executable: true }],
    ['a text that cannot be read', { path: 'notes.md', text: 'unreadable' }],
  ] as const)('recognizes a script: %s', (_, file) => {
    expect(effect({ scripts: false }, { files: [file] })).toBe('scripts');
    expect(createServingPolicy({ scripts: false }).deniesFile(file)).toMatchObject({ rule: 'scripts' });
    expect(createServingPolicy({}).deniesFile(file)).toBeUndefined();
  });

  test('reads the license from SKILL.md, not from the entry', () => {
    const files = [{ path: 'SKILL.md', text: { head: { license: 'Evil-1.0' } } }];
    expect(effect({ licenses: ['Apache-2.0'] }, { files })).toBe('licenses');
  });

  test.each([
    [{ scripts: false }, { digest, size: 1 }, 'scripts'],
    [{ licenses: ['MIT'] }, { digest, size: 1, text: 'unreadable' }, 'licenses'],
    [{ licenses: ['MIT'] }, { digest, size: 1, text: {} }, 'licenses'],
    [{ maxBytes: 5 }, { digest, text: { head: {} } }, 'maxBytes'],
    [{ deny: [{ digest }] }, { size: 1, text: { head: {} } }, 'deny'],
    [{ deny: [{ digest }], maxBytes: 5, scripts: false }, { digest, size: 1, text: { head: {} } }, undefined],
    [{ deny: [{ match: 'x' }], dynamic: false, dialects: ['x'], mode: 'approved-only' }, {}, undefined],
  ] as const)('knows whether SKILL.md has to be read: %j with %j', (policy, main, rule) => {
    const rules = createServingPolicy(policy);
    expect(rules.unread({ files: [{ path: 'SKILL.md', ...main }] })?.rule).toBe(rule);
    expect(rules.unread({ files: [] }) === undefined).toBe(!rules.judgesContent);
  });

  test('also reads nested skills, and treats an invalid one as plain text', () => {
    const main = { path: 'SKILL.md', digest, size: 1, text: { head: { license: 'MIT' } } };
    const inner = (text?: FileFacts['text']) => [main, { path: 'inner/SKILL.md', digest, size: 1, text }];
    const rules = createServingPolicy({ scripts: false, licenses: ['MIT'] });
    expect(rules.unread({ files: inner() })).toBeDefined();
    expect(rules.unread({ files: inner({}) })).toBeUndefined();
    const decided = (text: FileFacts['text']) => rules.decide({ ...facts, license: 'MIT', files: inner(text) });
    expect(decided({})).toEqual({ effect: 'serve' });
    expect(decided({ head: { license: 'Evil-1.0' } })).toMatchObject({ rule: 'licenses' });
    expect(decided({ runs: 'it runs something' })).toMatchObject({ rule: 'scripts' });
  });

  test('refuses a single file by digest and size', () => {
    const rules = createServingPolicy({ deny: [{ digest, reason: 'INC-7' }], maxBytes: 10 });
    expect(rules.deniesFile({ path: 'a.txt', digest, size: 1 })).toMatchObject({ rule: 'deny', reason: 'INC-7' });
    expect(rules.deniesFile({ path: 'a.txt', size: 11 })).toMatchObject({ rule: 'maxBytes' });
    expect(rules.deniesFile({ path: 'a.txt', size: 10 })).toBeUndefined();
  });

  test('denies folders inside a skill, and paths that no pattern can match', () => {
    const rules = createServingPolicy({ deny: [{ match: 'docs/outer/inner' }] });
    expect(['docs/outer/inner/deep', 'docs/outer', '../x'].map(rules.deniesPath)).toEqual([true, false, true]);
    expect(createServingPolicy({}).deniesPath('../x')).toBe(false);
  });
});

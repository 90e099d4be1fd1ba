import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { SkillwireError } from '../errors.ts';
import { memorySource } from '../sources/memory.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import { compareOrigins, type ParityReport } from './parity.ts';
import { type OriginDigests, readServed } from './served-digests.ts';

const digest = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const skill = (name: string, body = ''): { 'SKILL.md': string } => ({
  'SKILL.md': `---\nname: ${name}\ndescription: About ${name}.\n---\n${body}`,
});

function read(source: SkillSource): Promise<OriginDigests> {
  return readServed(source, { digest, signal: new AbortController().signal, onSkill() {} });
}

async function compared(...sources: readonly SkillSource[]): Promise<ParityReport> {
  const origins = [];
  for (const [index, source] of sources.entries()) origins.push({ label: `o${index + 1}`, ...(await read(source)) });
  return compareOrigins(origins, digest);
}

const states = ({ skills }: ParityReport): readonly (readonly string[])[] =>
  skills.map(({ name, state, origins }) => [name, state, ...origins.map((cell) => cell.state)]);

describe('compareOrigins()', () => {
  test('finds the same files equal, in any order', async () => {
    const files = { ...skill('a'), 'x/y.txt': 'y' };
    const report = await compared(memorySource({ a: files, b: skill('b') }), memorySource({ b: skill('b'), a: files }));
    expect(states(report)).toEqual([
      ['a', 'same', 'same', 'same'],
      ['b', 'same', 'same', 'same'],
    ]);
    expect(report.skills.flatMap(({ differences }) => differences)).toEqual([]);
  });

  test('names each different file, with its digest at each origin', async () => {
    const report = await compared(
      memorySource({ a: { ...skill('a'), 'x.txt': '1', 'only.txt': '' } }),
      memorySource({ a: { ...skill('a'), 'x.txt': '2' } }),
    );
    expect(states(report)).toEqual([['a', 'differs', 'same', 'differs']]);
    const [one, two, none] = ['1', '2', ''].map((text) => digest(Buffer.from(text)));
    expect(report.skills[0]?.differences).toEqual([
      { path: 'only.txt', digests: { o1: none, o2: null } },
      { path: 'x.txt', digests: { o1: one, o2: two } },
    ]);
  });

  test('reports skills that an origin lacks', async () => {
    const report = await compared(memorySource({ a: skill('a') }), memorySource({ a: skill('a'), b: skill('b') }));
    expect(states(report)).toEqual([
      ['a', 'same', 'same', 'same'],
      ['b', 'missing', 'missing', 'same'],
    ]);
    expect(report.origins).toEqual([
      { label: 'o1', skills: 1 },
      { label: 'o2', skills: 2 },
    ]);
  });

  test('knows the flat names that publishers give to skills with paths', async () => {
    const tree = memorySource({
      'acme/billing/refunds': skill('refunds', '1'),
      'acme/support/refunds': skill('refunds', '2'),
    });
    // The paths of a site: the first skill is under its name, the other under its joined path and then its name.
    const flat = memorySource({
      refunds: skill('refunds', '1'),
      'acme-support-refunds/refunds': skill('refunds', '2'),
    });
    const expected = [
      ['refunds', 'same', 'same', 'same'],
      ['refunds', 'same', 'same', 'same'],
    ];
    expect(states(await compared(tree, flat))).toEqual(expected);
    expect(states(await compared(flat, tree))).toEqual(expected);
  });

  test('compares served content, not promises, and reports where they differ', async () => {
    const honest = memorySource({ a: skill('a') });
    const liar: SkillSource = { ...honest, open: async () => ({ bytes: Buffer.from('other') }) };
    const report = await compared(honest, liar);
    expect(states(report)).toEqual([['a', 'failed', 'same', 'failed']]);
    expect(report.skills[0]?.origins[1]?.message).toContain(digest(Buffer.from('other')));
  });

  test('distinguishes refused, missing and unreadable content', async () => {
    const base = memorySource({ a: skill('a') });
    const refusing = (code: 'VERIFICATION_FAILED' | 'UNREACHABLE'): SkillSource => ({
      ...base,
      async *list() {
        const refused = [{ uri: 'skill://a/SKILL.md', name: 'a', faults: ['no'], code }];
        yield { skills: [], findings: [], refused };
      },
    });
    const gone: SkillSource = { ...base, open: async () => undefined };
    const broken: SkillSource = {
      ...base,
      open: async () => {
        throw new SkillwireError('UNREACHABLE', 'broken');
      },
    };
    const report = await compared(base, refusing('VERIFICATION_FAILED'), refusing('UNREACHABLE'), gone, broken);
    expect(states(report)).toEqual([['a', 'failed', 'same', 'failed', 'unread', 'failed', 'unread']]);
  });

  test('reads every file without a digest', async () => {
    const base = memorySource({ a: { ...skill('a'), 'x.txt': 'x' } });
    const listed: SkillSource = {
      ...base,
      async *list(context) {
        for await (const page of base.list(context))
          yield {
            ...page,
            skills: page.skills.map(({ entry, ...rest }) => ({
              ...rest,
              entry: { ...entry, resources: 'dynamic' as const },
              partial: { reason: 'no-digest' as const, files: [{ uri: entry.uri }, { uri: 'skill://a/x.txt' }] },
            })),
          };
      },
    };
    expect(states(await compared(base, listed))).toEqual([['a', 'same', 'same', 'same']]);
  });
});

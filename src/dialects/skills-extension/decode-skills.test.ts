import { describe, expect, test } from 'vitest';
import { limits } from '../../limits.ts';
import { decodeGetResult, decodeListPage } from './decode-skills.ts';

const modern = { cacheFields: true, resultType: true };
const legacy = { cacheFields: false, resultType: false };
const uri = 'skill://refunds/SKILL.md';
const entry = {
  uri,
  frontmatter: { name: 'refunds', description: 'x' },
  resources: [{ uri, digest: `sha256:${'0'.repeat(64)}`, size: 1 }],
};
const fields = { resultType: 'complete', ttlMs: 5, cacheScope: 'public' } as const;
const ids = (remarks: readonly { readonly requirement: string }[]): string[] => remarks.map((one) => one.requirement);

describe('decodeListPage()', () => {
  test('reads a valid page', () => {
    expect(decodeListPage({ ...fields, skills: [entry], nextCursor: 'x' }, modern)).toEqual({
      skills: [{ entry }],
      refused: [],
      nextCursor: 'x',
      ttlMs: 5,
      cacheScope: 'public',
      remarks: [],
    });
  });

  test('keeps good entries beside bad ones', () => {
    const page = decodeListPage({ ...fields, skills: [{ ...entry, resources: null }, entry, 7] }, modern);
    expect(page.skills).toEqual([{ entry }]);
    expect(page.refused.map((one) => one.uri)).toEqual([uri, undefined]);
  });

  test('reads an empty cursor as a cursor and an absent one as the end', () => {
    expect(decodeListPage({ ...fields, skills: [], nextCursor: '' }, modern).nextCursor).toBe('');
    expect('nextCursor' in decodeListPage({ ...fields, skills: [] }, modern)).toBe(false);
  });

  test('reports missing fields only if they are required', () => {
    const bare = decodeListPage({ skills: [] }, modern);
    expect(bare).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
    expect(ids(bare.remarks)).toEqual(['S-38', 'S-39', 'S-39']);
    expect(ids(decodeListPage({ skills: [] }, legacy).remarks)).toEqual([]);
    expect(ids(decodeListPage({ skills: [] }, { cacheFields: true, resultType: false }).remarks)).toEqual([
      'S-39',
      'S-39',
    ]);
  });

  test('ignores invalid cache fields', () => {
    const page = decodeListPage({ skills: [], resultType: 'complete', ttlMs: -1, cacheScope: 'all' }, modern);
    expect(page).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
    expect(ids(page.remarks)).toEqual(['S-39', 'S-39']);
    expect(decodeListPage({ ...fields, skills: [], ttlMs: 1e15 }, modern).ttlMs).toBe(limits.origin.ttlMs);
  });

  test.each<[what: string, result: unknown]>([
    ['no object', null],
    ['no list', { ...fields }],
    ['a list of another kind', { ...fields, skills: {} }],
    ['a question instead of an answer', { resultType: 'input_required', skills: [] }],
  ])('refuses a page with %s', (_what, result) => {
    expect(() => decodeListPage(result, modern)).toThrow(expect.objectContaining({ code: 'BAD_ANSWER' }));
  });

  test.each<[what: string, nextCursor: unknown, fault: string]>([
    ['is no text', 5, 'its nextCursor is not text'],
    ['has no end', 'x'.repeat(limits.origin.cursorCharacters + 1), 'its nextCursor has'],
  ])('keeps the skills of a page whose cursor %s, and reports it', (_what, nextCursor, fault) => {
    const page = decodeListPage({ ...fields, skills: [entry], nextCursor }, modern);
    expect(page.skills).toHaveLength(1);
    expect(page.nextCursor).toBeUndefined();
    expect(page.cursorFault).toContain(fault);
  });
});

describe('decodeGetResult()', () => {
  test('reads a valid answer', () => {
    expect(decodeGetResult({ ...fields, skill: entry }, uri, modern)).toEqual({
      skill: { entry },
      ttlMs: 5,
      cacheScope: 'public',
      remarks: [],
    });
  });

  test('reports missing cache fields and a cursor', () => {
    const answer = decodeGetResult({ resultType: 'complete', skill: entry, nextCursor: 'x' }, uri, modern);
    expect(answer).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
    expect(ids(answer.remarks)).toEqual(['S-46', 'S-46', 'S-46']);
    expect(ids(decodeGetResult({ skill: entry }, uri, modern).remarks)).toContain('S-42');
  });

  test('refuses the entry of another skill, even in another spelling', () => {
    expect(() => decodeGetResult({ ...fields, skill: entry }, 'skill://other/SKILL.md', modern)).toThrow(/came back/);
    expect(() => decodeGetResult({ ...fields, skill: entry }, 'skill://%72efunds/SKILL.md', modern)).toThrow(
      /came back/,
    );
  });

  test('refuses an unusable entry with the reason', () => {
    const broken = { ...entry, resources: 'none' };
    expect(() => decodeGetResult({ ...fields, skill: broken }, uri, modern)).toThrow(/neither a list nor "dynamic"/);
    expect(() => decodeGetResult({ ...fields }, uri, modern)).toThrow(expect.objectContaining({ code: 'BAD_ANSWER' }));
  });
});

import { describe, expect, test } from 'vitest';
import { limits } from '../../limits.ts';
import { createProfile } from './profile.ts';

describe('a profile', () => {
  test('without rules allows everything', () => {
    expect(createProfile('all', {}).allows('any/path')).toBe(true);
  });

  test('allows the origins that it names, by whole segments', () => {
    const { allows } = createProfile('docs', { origins: ['docs', 'team'] });
    expect(['docs/a', 'team/x/y'].every(allows)).toBe(true);
    expect(['docs2/a', 'doc/a', 'x/docs/a', 'Docs/a', ''].some(allows)).toBe(false);
  });

  test('asks where an origin publishes its skills', () => {
    const { allows } = createProfile('docs', { origins: ['docs'] }, (label) => `company/${label}`);
    expect(allows('company/docs/a')).toBe(true);
    expect(allows('docs/a')).toBe(false);
  });

  test('allows paths that one pattern includes and none excludes', () => {
    const { allows } = createProfile('some', { include: ['docs/', 'ops/run-*'], exclude: ['*-draft', 'docs/old/'] });
    expect(['docs/a', 'docs/a/b', 'ops/run-book'].every(allows)).toBe(true);
    expect(['ops/secret', 'docs/x-draft', 'docs/old/a', 'docs/old', 'other'].some(allows)).toBe(false);
  });

  test('includes by exact case and excludes in any case, so that sloppy rules show less', () => {
    expect(createProfile('a', { include: ['Docs/'] }).allows('docs/a')).toBe(false);
    expect(createProfile('b', { exclude: ['SECRET'] }).allows('ops/secret')).toBe(false);
  });

  test('knows which paths it excludes, so that another path of a skill does not show it', () => {
    const { excludes } = createProfile('some', { include: ['docs/'], exclude: ['*-draft'] });
    expect(['docs/x-draft', 'ops/X-Draft', '../docs/a', ''].map((path) => excludes?.(path))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(['docs/a', 'ops/a'].map((path) => excludes?.(path))).toEqual([false, false]);
    expect(createProfile('all', { include: ['docs/'] }).excludes).toBeUndefined();
  });

  test('includes nothing if its list is empty', () => {
    expect(createProfile('none', { include: [] }).allows('docs/a')).toBe(false);
  });

  test.each(['../docs/a', '/docs/a', './docs/a', ''])('does not allow the path %j', (path) => {
    expect(createProfile('docs', { include: ['docs/'] }).allows(path)).toBe(false);
  });

  test('returns the same answers after any number of paths', () => {
    const { allows } = createProfile('docs', { include: ['docs/'], exclude: ['secret'] });
    for (let index = 0; index < limits.access.rememberedPaths + 10; index++) allows(`docs/${index}`);
    expect(allows('docs/a')).toBe(true);
    expect(allows('docs/secret')).toBe(false);
  });
});

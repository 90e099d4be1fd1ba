import { describe, expect, test } from 'vitest';
import { createFailureList, failureKey, mergeEras } from './failures.ts';

const lie = { requirement: 'S-34', message: 'another digest', uri: 'skill://a/SKILL.md' };

describe('createFailureList()', () => {
  test('counts failures that it no longer stores', () => {
    const failures = createFailureList({ most: 2 });
    for (let index = 0; index < 5; index++) failures.add({ ...lie, message: `lie ${index}` });
    expect(failures.list).toHaveLength(2);
    expect(failures.unreported).toBe(3);
    expect(failures.counts.get('S-34')).toBe(5);
  });

  test('fails only for mandatory rules', () => {
    const failures = createFailureList();
    failures.add({ requirement: 'S-26', message: 'two of one name' });
    expect(failures.failed).toBe(false);
    failures.add({ requirement: 'X-99', message: 'a rule that is not in the table obliges' });
    expect(failures.failed).toBe(true);
  });

  test('lists a failure of all answers once, and counts each', () => {
    const failures = createFailureList();
    for (let index = 0; index < 3; index++) failures.addShared([{ requirement: 'S-46', message: 'no ttlMs' }]);
    expect(failures.list).toEqual([{ requirement: 'S-46', message: 'no ttlMs' }]);
    expect(failures.counts.get('S-46')).toBe(3);
  });

  test('gives remarks the URI of their subject', () => {
    const failures = createFailureList();
    const shared = { requirement: 'S-9', message: 'unusual' };
    failures.addRemarks([shared, { ...shared, uri: 'skill://a/b.md' }], 'skill://a/SKILL.md');
    expect(failures.list.map(({ uri }) => uri)).toEqual(['skill://a/SKILL.md', 'skill://a/b.md']);
  });

  test('does not add known failures', () => {
    const failures = createFailureList({
      known: new Set([failureKey(lie), failureKey({ requirement: 'S-46', message: 'x' })]),
    });
    failures.add(lie);
    failures.addShared([{ requirement: 'S-46', message: 'x' }]);
    failures.addShared([{ requirement: 'S-46', message: 'x' }]);
    failures.add({ ...lie, uri: 'skill://b/SKILL.md' });
    expect(failures.list.map(({ uri }) => uri)).toEqual(['skill://b/SKILL.md']);
    expect([...failures.counts]).toEqual([['S-34', 1]]);
  });
});

describe('mergeEras()', () => {
  test('lists a failure of all eras once without an era, and names the era of others', () => {
    const modern = createFailureList();
    const legacy = createFailureList();
    for (const list of [modern, legacy]) list.add({ requirement: 'S-3', message: 'no resources' });
    legacy.add(lie);
    const { list, counts } = mergeEras(
      new Map([
        ['modern', modern],
        ['legacy', legacy],
      ]),
    );
    expect(list).toEqual([
      { requirement: 'S-3', message: 'no resources' },
      { ...lie, era: 'legacy' },
    ]);
    expect([...counts]).toEqual([
      ['S-3', 1],
      ['S-34', 1],
    ]);
  });

  test('names no era if there is only one, and counts failures that were not stored', () => {
    const modern = createFailureList({ most: 1 });
    for (let index = 0; index < 4; index++) modern.add({ ...lie, message: `lie ${index}` });
    const { list, counts } = mergeEras(new Map([['modern', modern]]));
    expect(list).toEqual([{ ...lie, message: 'lie 0' }]);
    expect(counts.get('S-34')).toBe(4);
  });
});

import { expect, test } from 'vitest';
import { lockedPlaceText, readLockedPlace, sameLockedPlace } from './install-lock.ts';

test.each([
  ['docs', { kind: 'label', label: 'docs' }],
  ['./skills', { kind: 'folder', path: './skills' }],
  ['./skills.zip', { kind: 'archive', path: './skills.zip' }],
])('the text %s of the first version is read as a place', (text, place) => {
  expect(readLockedPlace(text)).toEqual(place);
});

test.each(['', 'a\0b', 'stdio:', {}, null, 7, { kind: 'label', label: 'a=b' }])('%j is no place', (value) => {
  expect(readLockedPlace(value)).toEqual({ fault: expect.stringMatching(/./) });
});

test('places are the same where kind and address are', () => {
  const folder = { kind: 'folder', path: './a' } as const;
  const label = { kind: 'label', label: './a' } as const;
  expect(sameLockedPlace(folder, { ...folder })).toBe(true);
  expect(sameLockedPlace(folder, { kind: 'folder', path: './b' })).toBe(false);
  expect(sameLockedPlace(label, { ...label })).toBe(true);
  expect(sameLockedPlace(label, { kind: 'label', label: 'other' })).toBe(false);
  expect(lockedPlaceText(label)).toBe('./a');
  expect(sameLockedPlace(label, folder)).toBe(false);
  expect(sameLockedPlace(folder, label)).toBe(false);
});

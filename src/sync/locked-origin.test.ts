import { expect, test } from 'vitest';
import { lockedLocationText, readLockedLocation, sameLockedLocation } from './install-lock.ts';

test.each([
  ['docs', { kind: 'label', label: 'docs' }],
  ['./skills', { kind: 'folder', path: './skills' }],
  ['./skills.zip', { kind: 'archive', path: './skills.zip' }],
])('the text %s of the first version is read as a location', (text, place) => {
  expect(readLockedLocation(text)).toEqual(place);
});

test.each(['', 'a\0b', 'stdio:', {}, null, 7, { kind: 'label', label: 'a=b' }])('%j is not a location', (value) => {
  expect(readLockedLocation(value)).toEqual({ fault: expect.stringMatching(/./) });
});

test('locations are equal if kind and address are', () => {
  const folder = { kind: 'folder', path: './a' } as const;
  const label = { kind: 'label', label: './a' } as const;
  expect(sameLockedLocation(folder, { ...folder })).toBe(true);
  expect(sameLockedLocation(folder, { kind: 'folder', path: './b' })).toBe(false);
  expect(sameLockedLocation(label, { ...label })).toBe(true);
  expect(sameLockedLocation(label, { kind: 'label', label: 'other' })).toBe(false);
  expect(lockedLocationText(label)).toBe('./a');
  expect(sameLockedLocation(label, folder)).toBe(false);
  expect(sameLockedLocation(folder, label)).toBe(false);
});

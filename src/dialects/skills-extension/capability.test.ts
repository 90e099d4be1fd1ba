import { describe, expect, test } from 'vitest';
import { decodeCapabilities, decodeCapability, skillsExtensionId } from './capability.ts';

describe('decodeCapability()', () => {
  test.each<[value: unknown, declared: boolean, directoryRead: boolean, remarks: number]>([
    [undefined, false, false, 0],
    [{}, true, false, 0],
    [{ directoryRead: true }, true, true, 0],
    [{ directoryRead: false, other: 1 }, true, false, 0],
    [{ directoryRead: 'yes' }, true, false, 1],
    [{ config: { directoryRead: true } }, true, false, 1],
    [true, false, false, 1],
    ['yes', false, false, 1],
    [[], false, false, 1],
    [null, false, false, 1],
  ])('reads %j', (value, declared, directoryRead, remarks) => {
    const found = decodeCapability(value);
    expect(found).toMatchObject({ declared, directoryRead });
    expect(found.remarks.map(({ requirement }) => requirement)).toEqual(Array(remarks).fill('S-4'));
  });
});

describe('decodeCapabilities()', () => {
  const ids = (capabilities: unknown): string[] =>
    decodeCapabilities(capabilities).remarks.map((one) => one.requirement);

  test('looks under extensions', () => {
    const extensions = { [skillsExtensionId]: { directoryRead: true } };
    expect(decodeCapabilities({ resources: {}, extensions })).toEqual({
      declared: true,
      directoryRead: true,
      remarks: [],
    });
    expect(decodeCapabilities({ resources: {} })).toEqual({ declared: false, directoryRead: false, remarks: [] });
    expect(decodeCapabilities(undefined).declared).toBe(false);
    expect(decodeCapabilities({ extensions: [] }).declared).toBe(false);
  });

  test('reports a declaration without resources, and one in the wrong place', () => {
    expect(ids({ extensions: { [skillsExtensionId]: {} } })).toEqual(['S-3']);
    const misplaced = { resources: {}, experimental: { [skillsExtensionId]: {} } };
    expect(decodeCapabilities(misplaced).declared).toBe(false);
    expect(ids(misplaced)).toEqual(['S-4']);
  });
});

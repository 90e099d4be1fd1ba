import { delimiter } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startedBy, startedByVariable } from './started-by.ts';

describe('startedBy()', () => {
  const label = 'tool';

  test('lists the configurations that led to a program', () => {
    expect(startedBy({}, { label, file: undefined })).toBeUndefined();
    expect(startedBy({}, { label, file: '/a/skillwire.json' })).toBe('/a/skillwire.json');
    const env = { [startedByVariable]: '/a/skillwire.json' };
    expect(startedBy(env, { label, file: '/b/skillwire.json' })).toBe(
      ['/a/skillwire.json', '/b/skillwire.json'].join(delimiter),
    );
    expect(startedBy(env, { label, file: undefined })).toBe('/a/skillwire.json');
  });

  test('refuses a program of a configuration that led to this process', () => {
    const env = { [startedByVariable]: ['/a/skillwire.json', '/b/skillwire.json'].join(delimiter) };
    expect(() => startedBy(env, { label, file: '/a/skillwire.json' })).toThrow(
      /The origin "tool" of "\/a\/skillwire\.json" would start itself.*--config FILE/,
    );
  });
});

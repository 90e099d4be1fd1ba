import { describe, expect, test } from 'vitest';
import {
  anything,
  callback,
  checkArgument,
  checkOptions,
  count,
  either,
  flag,
  listOf,
  type OptionChecks,
  oneOf,
  required,
  signal,
  text,
  texts,
  type ValueCheck,
  withMembers,
} from './checked-options.ts';

interface Options {
  readonly folder: string;
  readonly watch?: boolean;
  readonly edits?: 'keep' | 'save';
}

const checks: OptionChecks<Options> = { folder: required(text), watch: flag, edits: oneOf('keep', 'save') };

function faultOf(options: unknown): unknown {
  try {
    checkOptions('openThing()', options as Options, checks);
  } catch (error) {
    const { code, message, data } = error as { code: string; message: string; data: object };
    return [code, message, data];
  }
  return undefined;
}

describe('checkOptions()', () => {
  test.each([
    [{ folder: './skills' }],
    [{ folder: '', watch: false, edits: 'save' }],
    [{ folder: 'x', watch: undefined, unknown: undefined }],
  ])('accepts %j', (options) => {
    expect(faultOf(options)).toBeUndefined();
  });

  test.each([
    [{ folder: 'x', wach: true }, 'openThing() has no option "wach". Did you mean "watch"?', 'wach'],
    [{ folder: 'x', q: 1 }, 'openThing() has no option "q". Its options are folder, watch, edits.', 'q'],
    [
      { folder: 'x', 'a\u202eb': 1 },
      'openThing() has no option "a\\u{202e}b". Its options are folder, watch, edits.',
      'a\u202eb',
    ],
    [
      { folder: 'x', toString: 1 },
      'openThing() has no option "toString". Its options are folder, watch, edits.',
      'toString',
    ],
    [{}, 'The option "folder" of openThing() must be text.', 'folder'],
    [{ folder: undefined }, 'The option "folder" of openThing() must be text.', 'folder'],
    [{ folder: 'x', watch: 'yes' }, 'The option "watch" of openThing() must be true or false.', 'watch'],
    [{ folder: 'x', watch: null }, 'The option "watch" of openThing() must be true or false.', 'watch'],
    [{ folder: 'x', edits: 'drop' }, 'The option "edits" of openThing() must be "keep" or "save".', 'edits'],
  ])('refuses %j', (options, message, option) => {
    expect(faultOf(options)).toEqual(['USAGE', message, { call: 'openThing()', option }]);
  });

  test.each([[null], ['./skills'], [['./skills']], [7], [() => undefined]])('refuses %j as options', (options) => {
    const message = 'The options of openThing() must be an object.';
    expect(faultOf(options)).toEqual(['USAGE', message, { call: 'openThing()', option: undefined }]);
  });
});

describe('a check', () => {
  const aborted = AbortSignal.abort();
  test.each<[string, ValueCheck<unknown>, readonly unknown[], readonly unknown[]]>([
    ['text', text, ['', 'x'], [1, null, ['x'], new String('x')]],
    ['flag', flag, [true, false], [0, 'true', null]],
    ['count', count, [0, 1.5, Number.POSITIVE_INFINITY], [-1, Number.NaN, '1', 1n]],
    ['texts', texts, [[], ['a', '']], ['a', ['a', 1], { 0: 'a', length: 1 }]],
    ['callback', callback(), [() => 1, async () => 1], ['x', {}, null]],
    ['signal', signal, [aborted], [true, {}, new AbortController()]],
    ['oneOf', oneOf('a', 'b'), ['a', 'b'], ['c', '', ['a']]],
    ['listOf', listOf(flag, 'flags'), [[], [true]], [[1], true]],
    ['either', either(flag, text), [true, 'x'], [1, null]],
    ['withMembers', withMembers('a thing', 'a', 'b'), [{ a: 1, b: undefined }], [{ a: 1 }, [], null, 'ab']],
    ['anything', anything(), [1, null, 'x'], []],
  ])('%s', (_, { accepts }, good, bad) => {
    expect(good.map(accepts)).toEqual(good.map(() => true));
    expect(bad.map(accepts)).toEqual(bad.map(() => false));
  });

  test('says what is wanted', () => {
    expect(oneOf('a').wanted).toBe('"a"');
    expect(oneOf('a', 'b', 'c').wanted).toBe('"a", "b" or "c"');
    expect(either(flag, text).wanted).toBe('true or false, or text');
  });
});

test('checkArgument() names the argument', () => {
  expect(() => checkArgument('openThing()', 'folders', 'x', text)).not.toThrow();
  expect(() => checkArgument('openThing()', 'folders', 7, texts)).toThrow(
    expect.objectContaining({ code: 'USAGE', message: 'The folders of openThing() must be a list of texts.' }),
  );
});

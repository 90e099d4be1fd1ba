import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { joinCommand, splitCommand } from './command-words.ts';

describe('splitCommand()', () => {
  test.each<[string, readonly string[]]>([
    ['npx my-server', ['npx', 'my-server']],
    ['  node \t server.js  ', ['node', 'server.js']],
    ['node "my server.js" --name=\'a b\'', ['node', 'my server.js', '--name=a b']],
    ['node my\\ server.js', ['node', 'my server.js']],
    ['a"b c"d', ['ab cd']],
    ["x '' y", ['x', '', 'y']],
    ['C:\\tools\\server.exe --x', ['C:\\tools\\server.exe', '--x']],
    ['\\\\host\\share\\server.exe', ['\\\\host\\share\\server.exe']],
    ['say "a \\"b\\" \\\\ c\\d"', ['say', 'a "b" \\ c\\d']],
    ["say 'a \\ \" b'", ['say', 'a \\ " b']],
    ['echo $HOME *.md `id` a;b', ['echo', '$HOME', '*.md', '`id`', 'a;b']],
    ["grep '|' x", ['grep', '|', 'x']],
  ])('reads %j', (command, words) => {
    expect(splitCommand(command)).toEqual(words);
  });

  test.each([
    ['', 'names no program'],
    ['   ', 'names no program'],
    ["'' x", 'names no program'],
    ['node "x', 'the quote " is not closed'],
    ["node 'x", "the quote ' is not closed"],
    ['a | b', 'no shell runs it, so "|"'],
    ['a && b', 'Put a command that needs a shell into a script'],
    ['a > b', 'no shell'],
    ['a\nb', 'control character'],
    ['a\0b', 'control character'],
  ])('refuses %j', (command, said) => {
    expect(() => splitCommand(command)).toThrow(said);
  });

  test('returns the words that joinCommand() wrote', () => {
    const word = fc.string({ unit: fc.constantFrom(...'ab "\'\\$;|-='), maxLength: 8 });
    fc.assert(
      fc.property(fc.tuple(word, fc.array(word)), ([first, rest]) => {
        const words = [`p${first}`, ...rest];
        expect(splitCommand(joinCommand(words))).toEqual(words);
      }),
    );
  });
});

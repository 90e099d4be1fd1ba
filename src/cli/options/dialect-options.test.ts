import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { SkillwireError } from '../../errors.ts';
import { addDialectOptions, type DialectFlags, dialectFlags } from './dialect-options.ts';

function parse(...argv: readonly string[]): DialectFlags {
  const command = addDialectOptions(new Command())
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  return command.parse(argv, { from: 'user' }).opts<DialectFlags>();
}

const all = [
  '--dialects fastmcp,skilljack',
  '--fallback tools,prompts',
  '--resources all-files',
  '--list-aliases',
  '--archive-entries',
  '--index-templates',
  '--experimental-capability',
  '--frontmatter-meta',
  '--usage ours=on-call',
  '--scheme github',
];

describe('dialectFlags()', () => {
  test('writes all options, so that a client starts the same server', () => {
    const argv = all.join(' ').split(' ');
    const flags = parse(...argv);
    expect(dialectFlags(flags)).toEqual(argv);
    expect(parse(...dialectFlags(flags))).toEqual(flags);
  });

  test.each([...all, '--dialects all', '--dialects none', '--fallback none', '--usage ours=a=b'])(
    'writes only %s',
    (text) => {
      const argv = text.split(' ');
      expect(dialectFlags(parse(...argv))).toEqual(argv);
    },
  );

  test('writes nothing without options', () => {
    expect(parse()).toEqual({});
    expect(dialectFlags({})).toEqual([]);
    const off = {
      listAliases: false,
      archiveEntries: false,
      indexTemplates: false,
      experimentalCapability: false,
      frontmatterMeta: false,
    };
    expect(dialectFlags(off)).toEqual([]);
  });
});

describe('addDialectOptions()', () => {
  test('reads a list with spaces and repeated words', () => {
    expect(parse('--dialects', ' fastmcp , skilljack,fastmcp').dialects).toEqual(['fastmcp', 'skilljack']);
    expect(parse('--scheme', 'github://').scheme).toBe('github');
  });

  test.each([
    [['--dialects', 'fastmcp,nope'], '--dialects does not know "nope". Use all or none, or a list of'],
    [['--fallback', 'nope'], '--fallback does not know "nope". Use none, or a list of tools, prompts'],
    [['--usage', 'ours'], '--usage "ours" is not LABEL=SKILL'],
    [['--usage', 'Ours=on-call'], '--usage "Ours=on-call" is not LABEL=SKILL'],
    [['--scheme', 'https'], '--scheme "https" cannot be used'],
    [['--scheme', '1st'], '--scheme "1st" cannot be used'],
    [['--scheme', 'x'.repeat(65)], 'cannot be used'],
  ])('refuses %j', (argv, message) => {
    expect(() => parse(...argv)).toThrow(SkillwireError);
    expect(() => parse(...argv)).toThrow(message);
  });
});

import { describe, expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { entryFaults } from './entry-faults.ts';

const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;
const file = (uri: string, size = 1): object => ({ uri, digest, size });
const own = file('skill://acme/refunds/SKILL.md');
const good = {
  uri: 'skill://acme/refunds/SKILL.md',
  frontmatter: { name: 'refunds', description: 'Handles refunds.', license: 'MIT' },
  resources: [own, file('skill://acme/refunds/templates/a%20b.md')],
};
const many = (count: number): object[] => [
  own,
  ...Array.from({ length: count - 1 }, (_, index) => file(`skill://acme/refunds/${index}`)),
];

describe('entryFaults()', () => {
  test.each([
    ['a list of files', good],
    ['"dynamic"', { ...good, resources: 'dynamic' }],
    ['unknown fields', { ...good, _meta: { a: 1 }, tag: 'x' }],
    ['a skill at the top', { ...good, uri: 'skill://refunds/SKILL.md', resources: [file('skill://refunds/SKILL.md')] }],
    ['the most files', { ...good, resources: many(limits.skill.files) }],
    ['the most bytes', { ...good, resources: [file(good.uri, limits.skill.bytes)] }],
    ['a nested skill', { ...good, resources: [own, file('skill://acme/refunds/inner/SKILL.md')] }],
  ])('finds none in an entry with %s', (_what, entry) => {
    expect(entryFaults(entry)).toEqual([]);
  });

  test.each<[what: string, entry: unknown, faults: string[]]>([
    ['null', null, ['the entry is not an object']],
    ['a list', [], ['the entry is not an object']],
    [
      'an empty object',
      {},
      ['uri is not text', 'frontmatter is not an object', 'resources is neither a list nor "dynamic"'],
    ],
    ['no uri', { ...good, uri: 1 }, ['uri is not text']],
    [
      'a uri of another scheme',
      { ...good, uri: 'https://refunds/SKILL.md' },
      ['uri "https://refunds/SKILL.md" is not a skill URI'],
    ],
    [
      'a uri that is not canonical',
      { ...good, uri: 'SKILL://acme/refunds/SKILL.md' },
      ['uri "SKILL://acme/refunds/SKILL.md" is not canonical; use "skill://acme/refunds/SKILL.md"'],
    ],
    [
      'the uri of a folder',
      { ...good, uri: 'skill://acme/refunds' },
      ['uri "skill://acme/refunds" does not end with "/SKILL.md"'],
    ],
    [
      'a uri without folder',
      { ...good, uri: 'skill://SKILL.md' },
      ['uri "skill://SKILL.md" does not end with "/SKILL.md"'],
    ],
    [
      'a folder that is not the name',
      { ...good, frontmatter: { name: 'other', description: 'x' } },
      ['uri ends with the folder "refunds", but frontmatter.name is "other"'],
    ],
    [
      'an invalid name',
      { ...good, frontmatter: { name: 'Refunds', description: 'x' } },
      ['frontmatter.name "Refunds" contains upper-case letters'],
    ],
    ['no name', { ...good, frontmatter: { description: 'x' } }, ['frontmatter.name is not text']],
    ['no description', { ...good, frontmatter: { name: 'refunds' } }, ['frontmatter.description is not text']],
    [
      'a blank description',
      { ...good, frontmatter: { name: 'refunds', description: ' ' } },
      ['frontmatter.description is blank'],
    ],
    [
      'a long description',
      { ...good, frontmatter: { name: 'refunds', description: 'x'.repeat(1_025) } },
      ['frontmatter.description has more than 1024 characters'],
    ],
    ['frontmatter that is a list', { ...good, frontmatter: [] }, ['frontmatter is not an object']],
    ['resources in another case', { ...good, resources: 'Dynamic' }, ['resources is neither a list nor "dynamic"']],
    ['null as resources', { ...good, resources: null }, ['resources is neither a list nor "dynamic"']],
    ['no files', { ...good, resources: [] }, ['resources does not list the SKILL.md of the skill']],
    ['a file that is text', { ...good, resources: [own, 'x'] }, ['resources[1] is not an object']],
    [
      'a file without anything',
      { ...good, resources: [own, {}] },
      [
        'resources[1].uri is not text',
        'resources[1].digest is not "sha256:" and 64 lower-case hexadecimal digits',
        'resources[1].size undefined is not a whole number of bytes',
      ],
    ],
    [
      'a digest in upper case',
      { ...good, resources: [{ ...own, digest: digest.toUpperCase() }] },
      [`resources[0].digest "${digest.toUpperCase()}" is not "sha256:" and 64 lower-case hexadecimal digits`],
    ],
    [
      'a negative size',
      { ...good, resources: [{ ...own, size: -1 }] },
      ['resources[0].size -1 is not a whole number of bytes'],
    ],
    [
      'a fraction of a byte',
      { ...good, resources: [{ ...own, size: 1.5 }] },
      ['resources[0].size 1.5 is not a whole number of bytes'],
    ],
    [
      'a size in text',
      { ...good, resources: [{ ...own, size: '1' }] },
      ['resources[0].size 1 is not a whole number of bytes'],
    ],
    [
      'a file of another skill',
      { ...good, resources: [own, file('skill://acme/refunds-2/x')] },
      ['resources[1].uri "skill://acme/refunds-2/x" is outside the folder of the skill'],
    ],
    [
      'the folder itself as a file',
      { ...good, resources: [own, file('skill://acme/refunds')] },
      ['resources[1].uri "skill://acme/refunds" is outside the folder of the skill'],
    ],
    [
      'a file that climbs out',
      { ...good, resources: [own, file('skill://acme/refunds/../x')] },
      ['resources[1].uri "skill://acme/refunds/../x" is not a skill URI'],
    ],
    [
      'a file in another spelling',
      { ...good, resources: [own, file('skill://acme/refunds/a b')] },
      ['resources[1].uri "skill://acme/refunds/a b" is not canonical; use "skill://acme/refunds/a%20b"'],
    ],
    [
      'a file twice',
      { ...good, resources: [own, own] },
      ['resources[1].uri "skill://acme/refunds/SKILL.md" is listed twice'],
    ],
    [
      'files that differ in case',
      { ...good, resources: [own, file('skill://acme/refunds/A.md'), file('skill://acme/refunds/a.md')] },
      [
        'resources[2].uri "skill://acme/refunds/a.md" differs from "skill://acme/refunds/A.md" only by case or Unicode form',
      ],
    ],
    [
      'a file below a file',
      { ...good, resources: [own, file('skill://acme/refunds/a'), file('skill://acme/refunds/A/b')] },
      ['resources[2].uri "skill://acme/refunds/A/b" is below "skill://acme/refunds/a", which is a file'],
    ],
    [
      'a file where a folder is',
      { ...good, resources: [own, file('skill://acme/refunds/a/b'), file('skill://acme/refunds/a')] },
      ['resources[2].uri "skill://acme/refunds/a" is a file, but "skill://acme/refunds/a/b" is below it'],
    ],
    ['too many files', { ...good, resources: many(513) }, ['resources lists 513 files; at most 512 are allowed']],
    [
      'too many bytes',
      { ...good, resources: [own, file('skill://acme/refunds/x', limits.skill.bytes)] },
      ['resources have 16777217 bytes in total; at most 16777216 are allowed'],
    ],
  ])('names the fault of %s', (_what, entry, faults) => {
    expect(entryFaults(entry)).toEqual(faults);
  });
});

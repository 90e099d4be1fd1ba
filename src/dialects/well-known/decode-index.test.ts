import { describe, expect, test } from 'vitest';
import { limits } from '../../limits.ts';
import { type DecodedIndex, decodeIndex } from './decode-index.ts';

const url = 'https://e.com/docs/.well-known/agent-skills/index.json';
const url01 = 'https://e.com/.well-known/skills/index.json';
const schema = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json';
const digest = `sha256:${'ab'.repeat(32)}`;
const good = { name: 'code-review', type: 'skill-md', description: 'Reviews.', url: 'code-review/SKILL.md', digest };

const bytes = (value: unknown): Uint8Array =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));
const v02 = (...skills: unknown[]): DecodedIndex => decodeIndex(bytes({ $schema: schema, skills }), url);
const v01 = (...skills: unknown[]): DecodedIndex => decodeIndex(bytes({ skills }), url01);
const early = (...skills: unknown[]): DecodedIndex => decodeIndex(bytes({ version: '0.2.0', skills }), url01);

function faultsOf(index: DecodedIndex): string[] {
  if (index.version === 'unknown') throw new Error(`unknown: ${index.schema}`);
  expect(index.entries).toEqual([]);
  return index.refused.flatMap(({ faults }) => faults.map(({ requirement, message }) => `${requirement} ${message}`));
}

describe('decodeIndex() reads v0.2.0', () => {
  test('and resolves addresses against that of the index', () => {
    const reading = v02(
      good,
      { ...good, name: 'b', url: '/x.md' },
      { ...good, name: 'c', type: 'archive', url: 'https://cdn.example/c.tar.gz#top' },
    );
    expect(reading).toEqual({
      version: '0.2.0',
      entries: [
        { ...good, url: 'https://e.com/docs/.well-known/agent-skills/code-review/SKILL.md' },
        { ...good, name: 'b', url: 'https://e.com/x.md' },
        { ...good, name: 'c', type: 'archive', url: 'https://cdn.example/c.tar.gz' },
      ],
      refused: [],
      warnings: [],
    });
  });

  test('without unknown fields, and after a byte-order mark', () => {
    const text = `\ufeff${JSON.stringify({ $schema: schema, more: 1, skills: [{ ...good, files: 7, tags: [] }] })}`;
    const reading = decodeIndex(bytes(text), url);
    expect(reading).toMatchObject({ version: '0.2.0', refused: [] });
    expect(reading.version === '0.2.0' && Object.keys(reading.entries[0] ?? {})).toEqual([
      'name',
      'description',
      'type',
      'url',
      'digest',
    ]);
  });

  test('and keeps good entries beside bad ones', () => {
    const reading = v02({ ...good, digest: 'sha256:00' }, good, null, good);
    expect(reading).toMatchObject({
      entries: [{ name: 'code-review' }],
      refused: [
        { index: 0, name: 'code-review' },
        { index: 2, faults: [{ message: 'the entry is not an object' }] },
        { index: 3, faults: [{ message: 'an earlier entry already has the name "code-review"' }] },
      ],
    });
  });

  test.each([
    [{ name: 'Code' }, 'W-6 name "Code" contains upper-case letters'],
    [{ name: undefined }, 'W-6 name is not text'],
    [{ description: ' ' }, 'W-6 description is blank'],
    [{ description: undefined }, 'W-6 description is not text'],
    [{ description: 'd'.repeat(1025) }, 'W-6 description has more than 1024 characters'],
    [{ type: 'zip' }, 'W-7 type "zip" is neither "skill-md" nor "archive"'],
    [{ type: undefined }, 'W-7 type is neither "skill-md" nor "archive"'],
    [{ url: 'file:///etc/passwd' }, 'W-8 url "file:///etc/passwd" is not the URL of an artifact'],
    [{ url: 'javascript:1' }, 'W-8 url "javascript:1" is not the URL of an artifact'],
    [{ url: 'https://me:pw@e.com/a.md' }, 'W-8 url "https://me:pw@e.com/a.md" is not the URL of an artifact'],
    [{ url: '' }, 'W-8 url "" is not the URL of an artifact'],
    [{ url: 7 }, 'W-8 url is not the URL of an artifact'],
    [{ digest: `sha256:${'AB'.repeat(32)}` }, 'W-9 digest '],
    [{ digest: undefined }, 'W-9 digest is not "sha256:" and 64 lower-case hexadecimal digits'],
  ])('but refuses %j', (change, fault) => {
    const [found, ...more] = faultsOf(v02({ ...good, ...change }));
    expect(found).toContain(fault);
    expect(more).toEqual([]);
  });

  test('and counts characters beyond the basic plane once in a description of 1,024', () => {
    expect(v02({ ...good, description: '\u{1f600}'.repeat(1024) })).toMatchObject({ refused: [] });
  });
});

describe('decodeIndex() reads v0.1', () => {
  test('with the address of each file, encoded', () => {
    expect(v01({ name: 'a', description: 'd', files: ['SKILL.md', 'scripts/50% off.sh'], version: '3' })).toEqual({
      version: '0.1',
      entries: [
        {
          name: 'a',
          description: 'd',
          files: [
            { path: 'SKILL.md', url: 'https://e.com/.well-known/skills/a/SKILL.md' },
            { path: 'scripts/50% off.sh', url: 'https://e.com/.well-known/skills/a/scripts/50%25%20off.sh' },
          ],
        },
      ],
      refused: [],
      warnings: [],
    });
  });

  test('without skills, and with an entry without files', () => {
    expect(v01()).toMatchObject({ version: '0.1', entries: [] });
    const reading = v01({ name: 'a', description: 'd' }, { name: 'b', description: 'd', files: ['SKILL.md'] });
    expect(reading).toMatchObject({ entries: [{ name: 'b' }], refused: [{ name: 'a' }] });
  });

  test('with a warning at the address of v0.2.0', () => {
    const reading = decodeIndex(bytes({ skills: [{ name: 'a', description: 'd', files: ['SKILL.md'] }] }), url);
    expect(reading).toMatchObject({ version: '0.1', entries: [{ name: 'a' }] });
    expect(reading.version === '0.1' && reading.warnings).toEqual(['the index has no "$schema"; it is read as v0.1']);
  });

  test('with a warning if the version is unknown', () => {
    expect(decodeIndex(bytes({ version: 1, skills: [] }), url01)).toMatchObject({
      version: '0.1',
      warnings: ['the index has the unknown version 1'],
    });
    expect(decodeIndex(bytes({ version: '0.1.0', skills: [] }), url01)).toMatchObject({ version: '0.1', warnings: [] });
  });

  test.each([
    [['SKILL.md', '../x'], 'wk01:files-paths files[1] "../x" has a segment ".."'],
    [['SKILL.md', './x'], 'wk01:files-paths files[1] "./x" has a segment "."'],
    [['SKILL.md', '/x'], 'wk01:files-paths files[1] "/x" starts with a slash'],
    [['SKILL.md', 'a//x'], 'wk01:files-paths files[1] "a//x" has an empty segment'],
    [['SKILL.md', ''], 'wk01:files-paths files[1] "" is empty'],
    [['SKILL.md', 'a\\x'], 'wk01:files-paths files[1] "a\\x" contains the character \\'],
    [['SKILL.md', 'a?x'], 'wk01:files-paths files[1] "a?x" contains the character ?'],
    [['SKILL.md', 'a#x'], 'wk01:files-paths files[1] "a#x" contains the character #'],
    [['SKILL.md', 'a[x'], 'wk01:files-paths files[1] "a[x" contains the character ['],
    [['SKILL.md', 'größe.md'], 'wk01:files-paths files[1] "größe.md" contains characters that are not printable ASCII'],
    [['SKILL.md', 'a\nb'], 'wk01:files-paths files[1] "a\\nb" contains characters that are not printable ASCII'],
    [['SKILL.md', 'x'.repeat(1025)], 'has 1025 characters'],
    [['SKILL.md', 'skill.md'], 'wk01:files-paths files[1] "skill.md" cannot coexist with "SKILL.md" on every disk'],
    [['SKILL.md', 'a', 'a'], 'wk01:files-paths files[2] "a" is listed twice'],
    [['SKILL.md', 'a/b', 'A'], 'wk01:files-paths files lists "A" as a file, and "a/b" below it'],
    [['readme.md'], 'wk01:files-skill-md files does not list SKILL.md'],
    [[], 'wk01:files-not-empty files is empty'],
    [Array.from({ length: 513 }, (_, index) => `f${index}`), 'files lists 513 files; at most 512 are allowed'],
    [['SKILL.md', 7], 'wk01:files files is not a list of strings'],
    ['SKILL.md', 'wk01:files files is not a list of strings'],
  ])('but refuses the files %j', (files, fault) => {
    expect(faultsOf(v01({ name: 'a', description: 'd', files })).join('\n')).toContain(fault);
  });

  test('and refuses names and descriptions by the rules of v0.2.0', () => {
    expect(faultsOf(v01({ name: 'a--b', files: ['SKILL.md'] }))).toEqual([
      'wk01:name name "a--b" contains two hyphens in a row',
      'wk01:description description is not text',
    ]);
  });
});

describe('decodeIndex() reads the early drafts of v0.2', () => {
  test('with digests of files, of the skill and of a package, or without', () => {
    const files = [{ path: 'SKILL.md', digest }, 'a.md', { path: 'b.md' }];
    const entry = { name: 'a', description: 'd', digest, files, package: { url: 'a.zip', digest } };
    expect(early(entry)).toMatchObject({
      version: 'early-0.2',
      entries: [
        {
          digest,
          files: [
            { path: 'SKILL.md', digest, url: 'https://e.com/.well-known/skills/a/SKILL.md' },
            { path: 'a.md', url: 'https://e.com/.well-known/skills/a/a.md' },
            { path: 'b.md', url: 'https://e.com/.well-known/skills/a/b.md' },
          ],
          package: { url: 'https://e.com/.well-known/skills/a.zip', digest },
        },
      ],
      refused: [],
    });
    expect(early({ name: 'a', description: 'd', files: ['SKILL.md'] })).toMatchObject({ entries: [{ name: 'a' }] });
  });

  test.each([
    [{ files: [{ path: 'SKILL.md', digest: 'md5:0' }] }, 'W-9 files[0].digest "md5:0"'],
    [{ files: [{ digest }] }, 'wk01:files files[0] has no path'],
    [{ files: ['SKILL.md', { path: '../x' }] }, 'wk01:files-paths files[1] "../x" has a segment ".."'],
    [{ files: 7 }, 'wk01:files files is not a list'],
    [{ digest: 'x' }, 'W-9 digest "x"'],
    [{ package: { url: 'ftp://x/y', digest } }, 'W-8 package has no usable url'],
    [{ package: { url: 'a.zip' } }, 'W-9 package.digest'],
    [{ name: '-' }, 'wk01:name name "-" starts with a hyphen'],
  ])('but refuses %j', (change, fault) => {
    const entry = { name: 'a', description: 'd', files: ['SKILL.md'], ...change };
    expect(faultsOf(early(entry)).join('\n')).toContain(fault);
  });
});

describe('decodeIndex() does not process', () => {
  test.each([
    [{ $schema: 'https://schemas.agentskills.io/discovery/0.3.0/schema.json', skills: [good] }, /0\.3\.0/],
    [{ $schema: 2, skills: [good] }, /^2$/],
    [{ version: '1.0.0', skills: [] }, /^version 1\.0\.0$/],
    [{ skills: [good] }, /no "\$schema"/],
  ])('%j', (document, why) => {
    const reading = decodeIndex(bytes(document), url);
    expect(reading.version).toBe('unknown');
    expect(reading.version === 'unknown' && reading.schema).toMatch(why);
  });

  test.each([
    ['<!doctype html><title>Sign in</title>', /is not JSON/],
    ['', /is not JSON/],
    ['[]', /is not a JSON object/],
    ['{}', /has no list "skills"/],
    [{ $schema: schema, skills: {} }, /has no list "skills"/],
  ])('%j, and gives the reason', (document, why) => {
    expect(() => decodeIndex(bytes(document), url)).toThrow(
      expect.objectContaining({ code: 'BAD_ANSWER', message: expect.stringMatching(why) }),
    );
  });

  test('bytes that are not UTF-8, and bytes or entries beyond its limits', () => {
    expect(() => decodeIndex(new Uint8Array([0x22, 0xff, 0x22]), url)).toThrow(/is not JSON/);
    expect(() => decodeIndex(new Uint8Array(limits.wellKnown.indexBytes + 1), url)).toThrow(
      /at most 67108864 are allowed/,
    );
    const many = `{"skills":[${'0,'.repeat(limits.wellKnown.entries)}0]}`;
    expect(() => decodeIndex(bytes(many), url)).toThrow(/lists 100001 skills/);
  });
});

import { describe, expect, test } from 'vitest';
import { SkillwireError } from '../errors.ts';
import type { OriginSpec } from './kinds.ts';
import { parseOrigin, parseReadableOrigin, parseServedOrigin } from './parse-origin.ts';

const read = (text: string, existing: readonly string[] = []): OriginSpec =>
  parseReadableOrigin(text, { exists: (path) => existing.includes(path), labels: ['docs'] });

function refusal(text: string, by: (text: string) => unknown = read): string {
  try {
    by(text);
  } catch (error) {
    if (error instanceof SkillwireError) return error.message;
    throw error;
  }
  throw new Error(`"${text}" was accepted`);
}

const github = 'https://github.com/o/r.git';

describe('short forms', () => {
  test.each([
    ['o/r', { repository: github }],
    ['o/r.git', { repository: github }],
    ['o/r@pdf', { repository: github, skill: 'pdf' }],
    ['o/r@v1.2.0', { repository: github, skill: 'v1.2.0' }],
    ['o/r#v1.0', { repository: github, ref: 'v1.0' }],
    ['o/r#feature/x', { repository: github, ref: 'feature/x' }],
    ['o/r#v1.0@pdf', { repository: github, ref: 'v1.0', skill: 'pdf' }],
    ['o/r@pdf#v1.0', { repository: github, ref: 'v1.0', skill: 'pdf' }],
    ['o/r#tools@1.0.0', { repository: github, ref: 'tools@1.0.0' }],
    ['o/r/skills/pdf', { repository: github, path: 'skills/pdf' }],
    ['o/r/skills/pdf@x', { repository: github, path: 'skills/pdf@x' }],
    ['o/r/skills/pdf#main', { repository: github, path: 'skills/pdf', ref: 'main' }],
    ['github:o/r', { repository: github }],
    ['GitHub:o/r@pdf', { repository: github, skill: 'pdf' }],
    ['gitlab:g/s/r', { repository: 'https://gitlab.com/g/s/r.git' }],
    ['gitlab:g/s/r@pdf#v1', { repository: 'https://gitlab.com/g/s/r.git', skill: 'pdf', ref: 'v1' }],
    ['github.com/o/r', { repository: github }],
    ['www.github.com/o/r/tree/main', { repository: github, ref: 'main' }],
    ['gitlab.com/g/s/r', { repository: 'https://gitlab.com/g/s/r.git' }],
    ['https://github.com/o/r', { repository: github }],
    ['http://github.com/o/r', { repository: github }],
    ['HTTPS://GitHub.com/o/r.git/', { repository: github }],
    ['https://github.com/o/r?tab=readme-ov-file#readme', { repository: github }],
    ['https://github.com/o/r#v2', { repository: github, ref: 'v2' }],
    ['https://github.com/o/r/tree/main', { repository: github, ref: 'main' }],
    ['https://github.com/o/r/tree/feature/x/skills/pdf', { repository: github, tree: 'feature/x/skills/pdf' }],
    ['https://github.com/o/r/tree/main/a%20b', { repository: github, tree: 'main/a b' }],
    ['https://github.com/o/r/blob/main/skills/pdf/SKILL.md', { repository: github, tree: 'main/skills/pdf' }],
    ['https://github.com/o/r/blob/main/SKILL.md', { repository: github, ref: 'main' }],
    ['https://gitlab.com/g/s/r', { repository: 'https://gitlab.com/g/s/r.git' }],
    [
      'https://gitlab.com/g/s/r/-/tree/main/skills',
      { repository: 'https://gitlab.com/g/s/r.git', tree: 'main/skills' },
    ],
    ['https://git.example.com/g/r/-/tree/main', { repository: 'https://git.example.com/g/r.git', ref: 'main' }],
    ['https://git.example.com/g/r.git#v1', { repository: 'https://git.example.com/g/r.git', ref: 'v1' }],
    ['git@github.com:o/r.git', { repository: 'git@github.com:o/r.git' }],
    ['git@github.com:o/r.git#v1', { repository: 'git@github.com:o/r.git', ref: 'v1' }],
    ['ssh://git@example.com/o/r.git', { repository: 'ssh://git@example.com/o/r.git' }],
  ])('reads %j', (text, spec) => {
    expect(read(text)).toEqual({ ...spec, short: text });
    expect(read(`team=${text}`)).toEqual({ ...spec, short: text, label: 'team' });
    const served = (): object => parseServedOrigin(text, { exists: () => false, labels: [] });
    if ('skill' in spec) expect(served).toThrow('names one skill');
    else expect(served()).toEqual({ ...spec, short: text });
  });

  test.each([
    ['https://evil.example/github.com/o/r', { site: 'https://evil.example/github.com/o/r' }],
    ['https://git.example.com/g/r', { site: 'https://git.example.com/g/r' }],
    ['https://github.com', { site: 'https://github.com' }],
    ['https://github.com.evil.example/o/r', { site: 'https://github.com.evil.example/o/r' }],
    ['docs', { configured: 'docs' }],
    ['./o/r', { folder: './o/r' }],
    ['~/o/r', { folder: '~/o/r' }],
  ])('reads %j as another kind of origin', (text, spec) => {
    expect(read(text)).toEqual(spec);
  });

  test('prefers an existing folder to a repository', () => {
    expect(read('o/r', ['o/r'])).toEqual({ folder: 'o/r' });
    expect(read('github.com/o/r', ['github.com/o/r'])).toEqual({ folder: 'github.com/o/r' });
  });

  test.each([
    ['example.com/skills', 'https://example.com/skills for a site, or ./example.com/skills for a folder'],
    ['github.com', 'not a folder or a known origin'],
    ['o/r/../x', 'no folder inside'],
    ['o/r/skills//pdf', 'no folder inside'],
    ['o/..', 'not a folder or a known origin'],
    ['o/r/', 'no folder inside'],
    ['o/r#', 'not a branch'],
    ['o/r#--evil', 'not a branch'],
    ['o/r@', 'no skill'],
    ['o/r@a#v@b', 'or two'],
    ['-o/r', 'not a folder or a known origin'],
    ['gitlab:r', 'names no project'],
    ['https://github.com/o/r/releases/download/v1/s.zip', '"releases" is not a folder'],
    ['https://github.com/o/r/blob/main/README.md', '"blob" is not a folder'],
    ['https://github.com/o/r/tree', '"tree" is not a folder'],
    ['https://github.com/o/r/tree/main/a%2F..%2F..%2Fx', 'no folder inside'],
    ['https://github.com/o/r/tree/%', 'encodes nothing'],
    ['https://github.com/-o/r', 'not a repository of GitHub'],
    ['https://git.example.com/r.git?x=1', 'query'],
    ['http://git.example.com/r.git', '--insecure-http'],
    ['git@github.com:o/r.git#a..b', 'not a branch'],
  ])('refuses %j', (text, words) => {
    expect(refusal(text)).toContain(words);
  });

  test.each(['https://ada:s3cret@github.com/o/r', 'https://ada:s3cret@example.com/r.git', 'ssh://ada:s3cret@h/r.git'])(
    'refuses a password, and does not repeat it',
    (text) => {
      expect(refusal(text)).toContain('password');
      expect(refusal(text)).not.toMatch(/s3cret|ada/);
    },
  );

  test('are not folders to check', () => {
    const check = (text: string) => parseOrigin(text, { exists: () => false, labels: [] });
    expect(refusal('o/r', check)).toContain('not a folder or a known origin');
    expect(refusal('https://github.com/o/r', check)).toContain('cannot be checked');
  });
});

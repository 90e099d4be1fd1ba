import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/requirements/verifies.ts';
import { limits } from '../../limits.ts';
import { expandUriTemplate, matchUriTemplate, parseUriTemplate, type UriTemplate } from './uri-template.ts';

function parsed(text: string): UriTemplate {
  const reading = parseUriTemplate(text);
  if (!reading.ok) throw new Error(reading.fault);
  return reading.template;
}

describe('parseUriTemplate()', () => {
  test.each<[text: string, variables: readonly string[]]>([
    ['skill://docs/{product}/SKILL.md', ['product']],
    ['skill://{owner}/{repo}/{skill_name}/{+file_path}', ['owner', 'repo', 'skill_name', 'file_path']],
    ['skill://{name}/{path*}', ['name', 'path']],
    ['skill://{skillName}/', ['skillName']],
    ['github://{owner}/{repo}/skills{/name}/SKILL.md', ['owner', 'repo', 'name']],
    ['skill://{a,b}/v{major}.{minor}/x{.ext}', ['a', 'b', 'major', 'minor', 'ext']],
    ['skill://{skill-name}/SKILL.md', ['skill-name']],
  ])('reads %s', (text, variables) => {
    expect(parsed(text)).toMatchObject({ text, variables });
  });

  test.each<[text: string, fault: string]>([
    ['docs/{product}', 'does not start with a scheme'],
    ['skill://', 'has no path'],
    ['skill://a//{b}', 'has an empty segment'],
    ['skill://{a', 'has an unclosed brace'],
    ['skill://a}', 'closing brace'],
    ['skill://{a}?x={b}', 'a query'],
    ['skill://{a}{?q}', 'cannot lead to a skill'],
    ['skill://{#a}', 'cannot lead to a skill'],
    ['skill://{}', 'cannot be read'],
    ['skill://{a:3}', 'cannot be read'],
    ['skill://{a}{b}', 'two adjacent variables'],
    ['skill://{a}/{a}', 'uses a variable twice'],
    ['skill://{+a}/{+b}', 'two variables that span segments'],
    ['skill://x-{+a}', 'next to other text'],
    ['skill://{+a}.zip', 'next to other text'],
    ['skill://%ff/{a}', 'is not a path segment'],
    ['skill://%2f/{a}', 'is not a path segment'],
    [`skill://${'a'.repeat(limits.dialects.templateCharacters)}`, 'characters'],
    [`skill://${Array.from({ length: 17 }, (_, at) => `{v${at}}`).join('/')}`, 'has 17 variables'],
  ])('refuses %s', (text, fault) => {
    expect(parseUriTemplate(text)).toEqual({ ok: false, fault: expect.stringContaining(fault) });
  });
});

describe('expandUriTemplate()', () => {
  test.each<[text: string, values: Record<string, string>, uri: string]>([
    ['skill://docs/{product}/SKILL.md', { product: 'a b' }, 'skill://docs/a%20b/SKILL.md'],
    ['skill://{a}/{+file}', { a: 'x', file: 'y/ü.md' }, 'skill://x/y/%C3%BC.md'],
    ['skill://{name}/', { name: 'x' }, 'skill://x/'],
    ['SKILL://{name}{/rest*}', { name: 'x', rest: 'a/b' }, 'skill://x/a/b'],
  ])('expands %s', (text, values, uri) => {
    expect(expandUriTemplate(parsed(text), values)).toBe(uri);
    expect(matchUriTemplate(parsed(text), uri)).toEqual(values);
  });

  test.each<[text: string, values: Record<string, string>, message: string]>([
    ['skill://{a}/SKILL.md', {}, 'the variable "a" has no value'],
    ['skill://{a}/SKILL.md', { a: '' }, 'is empty'],
    ['skill://{a}/SKILL.md', { a: 'b/c' }, 'contains a slash'],
    ['skill://{a}/SKILL.md', { a: '..' }, 'means another folder'],
    ['skill://.{a}/SKILL.md', { a: '.' }, 'means another folder'],
    ['skill://{+a}', { a: 'x/../y' }, 'has a segment that'],
    ['skill://{+a}', { a: '/x' }, 'starts with a slash'],
    ['skill://{a}', { a: 'x', b: 'y' }, 'no variable "b"'],
    ['skill://{toString}', {}, 'has no value'],
    ['file://{a}', { a: 'x' }, 'cannot name a skill'],
  ])('refuses %s with %j', (text, values, message) => {
    expect(() => expandUriTemplate(parsed(text), values)).toThrow(
      expect.objectContaining({ code: 'USAGE', message: expect.stringContaining(message) }),
    );
  });
});

describe('matchUriTemplate()', () => {
  verifies(['template:match'], 'finds the variables of a file in a repository', () => {
    const template = parsed('skill://{owner}/{repo}/{skill_name}/{+file_path}');
    expect(matchUriTemplate(template, 'skill://anthropics/skills/pptx/SKILL.md')).toEqual({
      owner: 'anthropics',
      repo: 'skills',
      skill_name: 'pptx',
      file_path: 'SKILL.md',
    });
    expect(matchUriTemplate(template, 'skill://a/b/c/d/e.md')).toMatchObject({ file_path: 'd/e.md' });
    expect(matchUriTemplate(template, 'skill://a/b/c')).toBeUndefined();
  });

  test.each<[text: string, uri: string, values: Record<string, string> | undefined]>([
    ['skill://{+path}/SKILL.md', 'skill://a/b/SKILL.md', { path: 'a/b' }],
    ['skill://{+path}/SKILL.md', 'skill://SKILL.md', undefined],
    ['skill://docs/{product}/SKILL.md', 'skill://doc/x/SKILL.md', undefined],
    ['skill://docs/{product}/SKILL.md', 'skill://docs/x/y/SKILL.md', undefined],
    ['skill://docs/{product}/SKILL.md', 'github://docs/x/SKILL.md', undefined],
    ['skill://docs/{product}/SKILL.md', 'skill://docs/../SKILL.md', undefined],
    ['skill://docs/{product}/SKILL.md', 'skill://docs/x%2Fy/SKILL.md', undefined],
    ['skill://{name}', 'skill://x/', undefined],
    ['skill://{name}', 'skill://x/y', undefined],
    ['skill://{a}-v{b}.md', 'skill://x-v1-v2.md', { a: 'x', b: '1-v2' }],
    ['skill://{a}a{b}a', 'skill://xaya', { a: 'x', b: 'y' }],
    ['skill://{a}aa', 'skill://aa', undefined],
    ['skill://{a}x{.ext}', 'skill://ax.x.md', { a: 'a', ext: 'x.md' }],
    ['skill://a{b}', 'skill://a', undefined],
    ['skill://{__proto__}', 'skill://x', JSON.parse('{"__proto__":"x"}')],
  ])('matches %s with %s', (text, uri, values) => {
    expect(matchUriTemplate(parsed(text), uri)).toEqual(values);
  });

  test('terminates for hostile templates and URIs', () => {
    const template = parsed(`skill://${Array.from({ length: 16 }, (_, at) => `{v${at}}`).join('a')}b`);
    expect(matchUriTemplate(template, `skill://${'a'.repeat(limits.uri.characters - 20)}`)).toBeUndefined();
  });
});

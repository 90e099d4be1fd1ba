import { describe, expect, test } from 'vitest';
import { decodeUtf8, fileMediaType, mediaTypeFromBytes, mediaTypeOf } from './media-type.ts';

const textExtensions =
  'toml rs go py rb ts mts cts tsx jsx sh bash zsh ps1 bat java kt swift c h cpp cs php pl lua r sql ini cfg conf properties ' +
  'gradle tf proto graphql vue svelte lock diff patch log tex rst adoc csv tsv yaml yml jsonl ndjson ipynb mdx ejs hbs j2 tmpl ' +
  'md txt json js mjs cjs html css xml scss';
const textNames =
  'Dockerfile Dockerfile.dev Makefile LICENSE LICENSE-MIT.txt README Gemfile Jenkinsfile .editorconfig .gitignore .env.example .env';
const textTypes = new Set(['application/json', 'application/yaml', 'application/toml', 'application/sql']);

function isTextType(type: string | undefined): boolean {
  return type !== undefined && (type.startsWith('text/') || textTypes.has(type));
}

describe('mediaTypeOf()', () => {
  test.each([
    ['SKILL.md', 'text/markdown'],
    ['references/GUIDE.MD', 'text/markdown'],
    ['a.ts', 'text/x-typescript'],
    ['a.d.mts', 'text/x-typescript'],
    ['a.rs', 'text/x-rust'],
    ['scripts/run.py', 'text/x-python'],
    ['a.yaml', 'application/yaml'],
    ['a.json', 'application/json'],
    ['package-lock.json', 'application/json'],
    ['Cargo.lock', 'text/plain'],
    ['a.toml', 'application/toml'],
    ['a.csv', 'text/csv'],
    ['a.png', 'image/png'],
    ['a.svg', 'image/svg+xml'],
    ['a.pdf', 'application/pdf'],
    ['a.zip', 'application/zip'],
    ['a.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    ['a.xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
    ['a.pptx', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
    ['a.yml', 'application/yaml'],
    ['a.jl', 'text/x-julia'],
    ['a.dot', 'text/plain'],
    ['docker/Dockerfile', 'text/x-dockerfile'],
    ['README.de', 'text/plain'],
  ])('knows %s', (path, type) => {
    expect(mediaTypeOf(path)).toBe(type);
  });

  test.each(textExtensions.split(' '))('returns a text type for .%s', (extension) => {
    expect(mediaTypeOf(`x/file.${extension}`)).toSatisfy(isTextType);
  });

  test.each(textNames.split(' '))('returns a text type for %s', (name) => {
    expect(mediaTypeOf(`x/${name}`)).toSatisfy(isTextType);
  });

  test.each([
    '',
    'x',
    'x.',
    'a.unknownextension',
    '.unknown',
    'md',
    'x.md/y',
    'a.constructor',
    'a.__proto__',
    'a.toString',
  ])('does not guess for "%s"', (path) => {
    expect(mediaTypeOf(path)).toBeUndefined();
  });
});

describe('types of files', () => {
  const text = new TextEncoder().encode('caf\u00e9');
  const binary = Uint8Array.of(0xff, 0xfe, 0);

  test('fileMediaType() prefers the known type, then the name', () => {
    expect(fileMediaType('a.md', 'text/x-other')).toBe('text/x-other');
    expect(fileMediaType('a.md')).toBe('text/markdown');
    expect(fileMediaType('a.zzz')).toBe('application/octet-stream');
  });

  test('mediaTypeFromBytes() reads the bytes only if the name is not enough', () => {
    expect(mediaTypeFromBytes('a.md', binary)).toBe('text/markdown');
    expect(mediaTypeFromBytes('a.zzz', text)).toBe('text/plain');
    expect(mediaTypeFromBytes('a.zzz', binary)).toBe('application/octet-stream');
  });
});

describe('decodeUtf8()', () => {
  test('keeps a byte-order mark and line ends', () => {
    expect(decodeUtf8(new TextEncoder().encode('\ufeffa\r\nb'))).toBe('\ufeffa\r\nb');
  });

  test('refuses bytes that are not UTF-8 instead of replacing them', () => {
    expect(decodeUtf8(Uint8Array.of(0x61, 0xff))).toBeUndefined();
    expect(decodeUtf8(Uint8Array.of(0xed, 0xa0, 0x80))).toBeUndefined();
  });
});

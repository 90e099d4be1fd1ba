/** Decoders read or refuse any entry of an answer without an error, and nothing that they read leads elsewhere. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { f1, f3, gitWorkflowEntry, refundsEntry } from '../../test/dialect-fixtures.ts';
import { isDigest } from '../skill/digest.ts';
import { tryParseResourceUri } from '../skill/resource-uri.ts';
import { decodeAvailableSkills } from './available-skills.ts';
import type { DialectFile, DialectSkill } from './dialect-skill.ts';
import { decodeManifest, encodeManifest } from './fastmcp/manifest.ts';
import { mentionedUris } from './mentioned-uris.ts';
import { decodeUsageRows } from './nimblebrain/usage-resource.ts';
import { relativePathFault } from './relative-path.ts';
import { decodeResourcePage, type ListedResource } from './resource-list/decode-resources-list.ts';
import { scanSkillFiles } from './resource-list/scan-skills.ts';
import { decodeTemplatePage } from './resource-templates/skill-templates.ts';
import { expandUriTemplate, matchUriTemplate, parseUriTemplate } from './resource-templates/uri-template.ts';
import { decodeNamedPage, decodeNamedSkill } from './sep-2076/decode-named.ts';
import { encodeNamedRow, encodeNamedSkill } from './sep-2076/sep-2076.ts';
import { indexEntryOf } from './skill-index/build-index.ts';
import { decodeSkillIndex } from './skill-index/decode-index.ts';
import { decodeCollection, encodeCollection } from './skilljack/collection.ts';
import { decodePromptAnswer, encodePromptAnswer } from './skilljack/skill-prompts.ts';
import { decodeFolderAnswer, decodeToolAnswer } from './skilljack/skill-tools.ts';
import { decodeSkilljackRows } from './skilljack/skilljack-resources.ts';
import { decodeDocuments, encodeDocuments } from './skills-over-mcp/groves-documents.ts';
import { decodeGrovesIndex, encodeGrovesIndex } from './skills-over-mcp/groves-index.ts';

interface Readable {
  readonly skills?: readonly DialectSkill[];
  readonly files?: readonly { readonly path: string }[];
}

interface Decoder {
  readonly decode: (value: unknown) => Readable;
  /** The answers that it reads without complaint. */
  readonly good: readonly unknown[];
}

const digest = `sha256:${'a'.repeat(64)}`;
const archives = [{ format: 'zip' as const, digest }];
const rows = (value: unknown): readonly ListedResource[] => decodeResourcePage({ resources: [value] }).resources;
const nothing: Readable = {};

const decoders: Readonly<Record<string, Decoder>> = {
  index: {
    decode: (value) => decodeSkillIndex({ skills: [value] }),
    good: [
      indexEntryOf({ entry: gitWorkflowEntry, archives }),
      { frontmatter: refundsEntry.frontmatter, url: refundsEntry.uri, digest },
      { name: 'x', type: 'skill-md', description: 'd', url: 'skill://x/SKILL.md', digest },
      { name: 'x', type: 'archive', description: 'd', url: 'skill://x.zip', digest },
      { type: 'mcp-resource-template', description: 'd', url: 'skill://{a}/SKILL.md' },
    ],
  },
  manifest: {
    decode: (value) => ({ files: decodeManifest({ files: [value] }, gitWorkflowEntry.uri).files }),
    good: encodeManifest(gitWorkflowEntry).files,
  },
  groves: {
    decode: (value) => decodeGrovesIndex([value]),
    good: encodeGrovesIndex([{ name: 'a', description: 'A', documentCount: 1 }]),
  },
  documents: {
    decode: (value) => ({ files: decodeDocuments({ documents: [value] }, 'x').files }),
    good: encodeDocuments([{ path: 'templates/a b.md', mediaType: 'text/markdown', size: 5 }], 'x').documents,
  },
  named: { decode: (value) => decodeNamedPage({ skills: [value] }), good: [encodeNamedRow(refundsEntry)] },
  namedSkill: {
    decode: (value) => ({ files: decodeNamedSkill({ instructions: '', files: [value] }, 'git-workflow').files }),
    good: [...(encodeNamedSkill(gitWorkflowEntry, f1.bytes).files ?? []), { name: 'x.md', uri: 'docs://y' }],
  },
  collection: {
    decode: (value) => ({ files: decodeCollection({ contents: [value] }, 'git-workflow', 1000).files }),
    good: encodeCollection('git-workflow', [
      { path: 'a', bytes: f1.bytes },
      { path: 'b', bytes: f3.bytes },
    ]).contents,
  },
  prompt: {
    decode: (value) => {
      decodePromptAnswer({ messages: [value, { content: { type: 'text', text: 'x' } }] });
      return nothing;
    },
    good: encodePromptAnswer('a', 'text').messages,
  },
  tool: {
    decode: (value) => {
      const reading = decodeToolAnswer({ content: [value] });
      return { files: reading.ok ? decodeFolderAnswer(reading.texts) : [] };
    },
    good: ['a/b', '../x', '/y'].map((path) => ({ type: 'text', text: `--- ${path} ---\nc` })),
  },
  list: { decode: (value) => scanSkillFiles(rows(value)), good: [{ uri: gitWorkflowEntry.uri, name: 'x' }] },
  names: {
    decode: (value) => decodeSkilljackRows(rows(value)),
    good: [{ uri: 'skill://a', mimeType: 'text/markdown' }],
  },
  usage: {
    decode: (value) => decodeUsageRows(rows(value)),
    good: [{ uri: 'skill://a/usage', mimeType: 'text/plain' }],
  },
  templates: {
    decode: (value) => {
      decodeTemplatePage({ resourceTemplates: [value] });
      return nothing;
    },
    good: [{ uriTemplate: 'skill://{a}/{+b}', name: 'x' }],
  },
};

const unusualText = fc.oneof(
  fc.string(),
  fc.constantFrom(
    '..',
    '../x',
    'a/../b',
    '%2e%2e',
    'skill://',
    'skill://a/%2e%2e/SKILL.md',
    'file:///x',
    '__proto__',
    '\0',
    '\ud800',
  ),
  fc.constantFrom(
    'skill://b/SKILL.md',
    'x://y/z/SKILL.md',
    'sha256:0',
    digest,
    'SKILL.md',
    'dynamic',
    'skill://{x',
    'skill://.zip',
    'skill:///.zip',
    'skill://a.tar.gz',
    'skill://{+x}',
  ),
);
const unusualValue = fc.oneof(
  { weight: 4, arbitrary: unusualText },
  fc.jsonValue(),
  fc.constantFrom<unknown>(undefined, null, -1, 1.5, [], {}, { name: 'a' }),
);

/** A good entry with some fields, at any depth, replaced by unusual values. */
function bent(good: readonly unknown[]): fc.Arbitrary<unknown> {
  const bends = fc.array(fc.tuple(fc.nat(), unusualValue), { maxLength: 3 });
  return fc.tuple(fc.constantFrom(...good), bends).map(([entry, changes]) => {
    let value = JSON.parse(JSON.stringify(entry)) as unknown;
    for (const [at, by] of changes) value = replaceAt(value, at, by);
    return value;
  });
}

function replaceAt(value: unknown, at: number, by: unknown): unknown {
  if (typeof value !== 'object' || value === null) return by;
  const keys = Object.keys(value);
  if (keys.length === 0) return by;
  const key = keys[at % keys.length] ?? '';
  const inner = (value as Record<string, unknown>)[key];
  const deep = Math.floor(at / keys.length);
  const changed = deep % 2 === 1 ? replaceAt(inner, Math.floor(deep / 2), by) : by;
  return Array.isArray(value)
    ? value.map((item, index) => (String(index) === key ? changed : item))
    : { ...value, [key]: changed };
}

function checkSkill(skill: DialectSkill): void {
  expect(tryParseResourceUri(skill.uri)).toBeDefined();
  expect(skill.retrievals.length).toBeGreaterThan(0);
  for (const way of skill.retrievals) {
    if (way.kind === 'get-by-name') continue;
    expect(tryParseResourceUri(way.uri)).toBeDefined();
    if (way.digest !== undefined) expect(isDigest(way.digest)).toBe(true);
  }
  if (Array.isArray(skill.files)) for (const file of skill.files as readonly DialectFile[]) checkPath(file.path);
  if (skill.verified === 'full') expect(JSON.stringify(skill)).toContain('sha256:');
}

function checkPath(path: string): void {
  expect(relativePathFault(path)).toBeUndefined();
}

describe.each(Object.entries(decoders))('the decoder of %s', (_name, { decode, good }) => {
  test('reads valid answers', () => {
    for (const value of good) expect(() => decode(value)).not.toThrow();
  });

  test('reads or refuses any answer without an error, and never accepts a path that leads elsewhere', () => {
    fc.assert(
      fc.property(fc.oneof({ weight: 4, arbitrary: bent(good) }, fc.jsonValue()), (value) => {
        const reading = decode(value);
        for (const skill of reading.skills ?? []) checkSkill(skill);
        for (const { path } of reading.files ?? []) checkPath(path);
      }),
      { numRuns: 300 },
    );
  });
});

test('decoders of text accept any input', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        unusualText,
        fc.string({ unit: fc.constantFrom('<', '>', '/', 'skill', 'name', '://', ' ', 'a', '&amp;') }),
      ),
      (text) => {
        decodeAvailableSkills(text);
        for (const { uri } of mentionedUris(text)) expect(tryParseResourceUri(uri)).toBeDefined();
      },
    ),
  );
});

test('a template matches its expansion, with the same values', () => {
  const templates = [
    'skill://{a}/SKILL.md',
    'skill://x-{a}.{b}/y',
    'skill://{a}/{+b}',
    'x://{+b}/{a}/SKILL.md',
    'skill://{a}{/b*}',
  ];
  fc.assert(
    fc.property(
      fc.constantFrom(...templates),
      fc.string({ unit: 'grapheme' }),
      fc.array(fc.string(), { minLength: 1 }),
      (text, a, parts) => {
        const reading = parseUriTemplate(text);
        if (!reading.ok) throw new Error(reading.fault);
        const { template } = reading;
        const values = Object.fromEntries(
          template.variables.map((name) => [name, (name === 'a' ? a : parts.join('/')).normalize('NFC')]),
        );
        let uri: string;
        try {
          uri = expandUriTemplate(template, values);
        } catch (error) {
          expect(error).toMatchObject({ code: 'USAGE' });
          return;
        }
        const found = matchUriTemplate(template, uri);
        expect(found).toBeDefined();
        expect(expandUriTemplate(template, found ?? {})).toBe(uri);
        if (!text.includes('.{b}')) expect(found).toEqual(values);
      },
    ),
  );
});

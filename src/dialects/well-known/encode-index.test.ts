import { expect, test } from 'vitest';
import { sha256Digest } from '../../skill/digest.ts';
import { earlySkillDigest } from './decode-entries.ts';
import { decodeIndex } from './decode-index.ts';
import { encodeIndexV01, encodeIndexV02 } from './encode-index.ts';

const digest = `sha256:${'ab'.repeat(32)}`;
const entry = { name: 'a', type: 'skill-md', description: 'd', url: 'a/SKILL.md', digest } as const;
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

test('encodeIndexV02() writes one entry per line, with the schema first', () => {
  const b = { ...entry, name: 'b', type: 'archive', url: 'b.tar.gz', files: ['SKILL.md', 'x'] } as const;
  expect(text(encodeIndexV02([entry, b]))).toBe(
    '{"$schema":"https://schemas.agentskills.io/discovery/0.2.0/schema.json",\n"skills":[\n' +
      `{"name":"a","type":"skill-md","description":"d","url":"a/SKILL.md","digest":"${digest}"},\n` +
      `{"name":"b","type":"archive","description":"d","url":"b.tar.gz","digest":"${digest}","files":["SKILL.md","x"]}\n]}\n`,
  );
});

test('encodeIndexV01() writes files in order with SKILL.md first, and no schema', () => {
  expect(text(encodeIndexV01([{ name: 'a', description: 'd', files: ['z', 'LICENSE', 'SKILL.md'] }]))).toBe(
    '{"skills":[\n{"name":"a","description":"d","files":["SKILL.md","LICENSE","z"]}\n]}\n',
  );
});

test('the encoded index is read back', () => {
  const v02 = decodeIndex(encodeIndexV02([entry]), 'https://e.com/.well-known/agent-skills/index.json');
  expect(v02).toMatchObject({
    entries: [{ ...entry, url: 'https://e.com/.well-known/agent-skills/a/SKILL.md' }],
    refused: [],
  });
  const v01 = decodeIndex(encodeIndexV01([]), 'https://e.com/.well-known/skills/index.json');
  expect(v01).toEqual({ version: '0.1', entries: [], refused: [], warnings: [] });
});

test('the gateways of a skill are read back, and anything else in that field is ignored', () => {
  const indexUrl = 'https://e.com/.well-known/agent-skills/index.json';
  const via = ['gateway-0001', 'gateway-0002'];
  const encoded = encodeIndexV02([{ ...entry, via }]);
  expect(text(encoded)).toContain('"_meta":{"dev.skillwire/via":["gateway-0001","gateway-0002"]}');
  expect(decodeIndex(encoded, indexUrl)).toMatchObject({ entries: [{ via }] });
  for (const invalid of ['[]', '"gateway-0001"', '[7]', '["<b>"]', JSON.stringify(Array(7).fill('gateway-0001'))]) {
    const other = text(encoded).replace(JSON.stringify(via), invalid);
    const read = decodeIndex(new TextEncoder().encode(other), indexUrl);
    const [first] = 'entries' in read ? read.entries : [];
    expect(first, invalid).toMatchObject({ name: 'a', digest });
    expect(first, invalid).not.toHaveProperty('via');
  }
});

test.each([
  [{ ...entry, name: 'A' }, 'name "A" contains upper-case letters'],
  [{ ...entry, description: '' }, 'description is blank'],
  [{ ...entry, url: '' }, 'url "" is not a URL'],
  [{ ...entry, url: 'https://[' }, 'url "https://[" is not a URL'],
  [{ ...entry, digest: 'sha256:0' }, 'digest "sha256:0" is not a SHA-256 digest'],
])('encodeIndexV02() refuses %j', (bad, fault) => {
  expect(() => encodeIndexV02([bad])).toThrow(expect.objectContaining({ code: 'INVALID_SKILL' }));
  expect(() => encodeIndexV02([bad])).toThrow(fault);
});

test.each([
  [{ name: 'a', description: 'd', files: [] }, 'files is empty'],
  [{ name: 'a', description: 'd', files: ['SKILL.md', 'größe.md'] }, 'not printable ASCII'],
  [{ name: 'a b', description: 'd', files: ['SKILL.md'] }, 'characters other than'],
])('encodeIndexV01() refuses %j', (bad, fault) => {
  expect(() => encodeIndexV01([bad])).toThrow(expect.objectContaining({ code: 'INVALID_SKILL' }));
  expect(() => encodeIndexV01([bad])).toThrow(fault);
});

test("earlySkillDigest() returns the digest of the draft's example, in any order", async () => {
  const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);
  const skill = { path: 'SKILL.md', digest: await sha256Digest(bytes('# Hello\n')) };
  const run = { path: 'scripts/run.sh', digest: await sha256Digest(bytes('#!/bin/sh\n')) };
  const expected = 'sha256:34f7a8c484e9991f3e71a309f31332d6335efc01f544105c4185a7c4ab12eb1e';
  expect(await earlySkillDigest([run, skill])).toBe(expected);
  expect(await earlySkillDigest([skill, run])).toBe(expected);
});

import { describe, expect, test } from 'vitest';
import { dynamicEntry, f1, gitWorkflowEntry, refundsEntry } from '../../../test/dialect-fixtures.ts';
import { verifies } from '../../../test/requirements/verifies.ts';
import { dialectSkillOf, withoutLost } from '../dialect-skill.ts';
import { decodeNamedPage, decodeNamedSkill } from './decode-named.ts';
import {
  decodeGetRequest,
  decodeSep2076Capability,
  encodeNamedRow,
  encodeNamedSkill,
  sep2076Losses,
  skillsListChangedMethod,
} from './sep-2076.ts';

describe('decodeGetRequest()', () => {
  verifies(['C-11', 'sep2076:get'], 'distinguishes the two kinds of skills/get by their parameters', () => {
    const { uri } = gitWorkflowEntry;
    expect(decodeGetRequest({ uri }, true)).toEqual({ dialect: 'skills-extension', uri });
    expect(decodeGetRequest({ uri, name: 'git-workflow' }, true)).toEqual({ dialect: 'skills-extension', uri });
    expect(decodeGetRequest({ name: 'git-workflow', arguments: {} }, true)).toEqual({
      dialect: 'sep-2076',
      name: 'git-workflow',
    });
    for (const params of [{}, null, { name: 5 }, { name: '' }, { uri: 5, name: 'x' }])
      expect(decodeGetRequest(params, true)).toMatchObject({ dialect: 'invalid' });
    expect(decodeGetRequest({ name: 'git-workflow' }, false)).toMatchObject({ dialect: 'invalid' });
  });
});

describe('capabilities', () => {
  test.each<[capabilities: unknown, declared: boolean, listChanged: boolean]>([
    [{ skills: {} }, true, false],
    [{ skills: { listChanged: true } }, true, true],
    [{ skills: true }, false, false],
    [{}, false, false],
    [null, false, false],
  ])('reads %j', (capabilities, declared, listChanged) => {
    expect(decodeSep2076Capability(capabilities)).toEqual({ declared, listChanged });
  });

  test('the notification has the name of the draft', () => {
    expect(skillsListChangedMethod).toBe('notifications/skills/list_changed');
  });
});

describe('skills/list by name', () => {
  verifies(['survey:sep2076-list', 'sep2076:list'], 'has the known fields of the frontmatter', () => {
    const entry = {
      ...gitWorkflowEntry,
      frontmatter: { ...gitWorkflowEntry.frontmatter, title: 'Git', tags: ['git', 7, 'workflow'], version: '1.0.0' },
    };
    expect(encodeNamedRow(entry)).toEqual({
      name: 'git-workflow',
      title: 'Git',
      description: 'Follow team Git conventions for branching and commits.',
      version: '1.0.0',
      tags: ['git', 'workflow'],
    });
    expect(encodeNamedRow(refundsEntry, 'refunds-acme')).toEqual({
      name: 'refunds-acme',
      description: 'Pay back & <explain>.',
      version: '2.1.0',
    });
    expect(() => encodeNamedRow(entry, 'a/b')).toThrow(expect.objectContaining({ code: 'INVALID_SKILL' }));
  });

  verifies(['sep2076:list'], 'is read back except for its losses', () => {
    const entries = [gitWorkflowEntry, refundsEntry, dynamicEntry];
    const page = decodeNamedPage({ skills: entries.map((entry) => encodeNamedRow(entry)), nextCursor: 'n' });
    expect(page).toMatchObject({ refused: [], remarks: [], nextCursor: 'n' });
    expect(page.skills).toEqual(
      entries.map((entry) => {
        const { name } = entry.frontmatter;
        const remaining = withoutLost(dialectSkillOf(entry), sep2076Losses);
        return { ...remaining, uri: `skill://${name}/SKILL.md`, retrievals: [{ kind: 'get-by-name', name }] };
      }),
    );
  });

  verifies(['sep2076:list'], 'keeps good entries beside bad ones', () => {
    const page = decodeNamedPage({
      skills: [
        { name: 'a', arguments: [{ name: 'topic', required: true }, { name: 'x' }, 7] },
        { name: 'a', description: 'again' },
        { name: 'b/c' },
        { uri: 'skill://d/SKILL.md' },
        null,
        { name: 'E', description: 'd', arguments: 'x' },
      ],
    });
    expect(page.skills.map(({ name }) => name)).toEqual(['a', 'E']);
    expect(page.refused).toHaveLength(4);
    expect(page.required).toEqual(new Map([['a', ['topic']]]));
    expect(page.remarks.map(({ requirement }) => requirement)).toEqual(['sep2076:list', 'S-11']);
  });

  test.each<unknown>([null, {}, { skills: 1 }])('refuses %j', (result) => {
    expect(() => decodeNamedPage(result)).toThrow(expect.objectContaining({ code: 'BAD_ANSWER' }));
  });
});

describe('skills/get by name', () => {
  verifies(['sep2076:get'], 'returns the body without frontmatter, and the files', () => {
    const answer = encodeNamedSkill(gitWorkflowEntry, f1.bytes);
    expect(answer).toEqual({
      description: gitWorkflowEntry.frontmatter.description,
      instructions: '\n# Git Workflow\n',
      files: [
        {
          name: 'references/GUIDE.md',
          uri: 'skill://git-workflow/references/GUIDE.md',
          mimeType: 'text/markdown',
        },
      ],
    });
    expect(decodeNamedSkill(answer, 'git-workflow')).toEqual({
      description: gitWorkflowEntry.frontmatter.description,
      instructions: '\n# Git Workflow\n',
      files: [
        {
          path: 'references/GUIDE.md',
          uri: 'skill://git-workflow/references/GUIDE.md',
          mimeType: 'text/markdown',
        },
      ],
      refused: [],
    });
    expect(encodeNamedSkill(dynamicEntry, f1.bytes)).not.toHaveProperty('files');
  });

  test('refuses a SKILL.md without frontmatter or that is not text', () => {
    for (const bytes of [Uint8Array.of(35), Uint8Array.of(...f1.bytes, 0xff)])
      expect(() => encodeNamedSkill(gitWorkflowEntry, bytes)).toThrow(
        expect.objectContaining({ code: 'INVALID_SKILL' }),
      );
  });

  verifies(['sep2076:get'], 'keeps the usable parts of an answer', () => {
    const reading = decodeNamedSkill(
      {
        instructions: '',
        dependencies: { tools: ['x'] },
        files: [
          { uri: 'skill://acme/a/refs/x.md', name: 'X' },
          { uri: 'docs://y', name: 'y.md' },
          { uri: 'docs://z', name: '../z' },
          { uri: 'skill://a/../b', name: 'b' },
          { name: 'c' },
          { uri: 'docs://Y', name: 'Y.md' },
          { uri: 'file:///srv/a/refs/f%20g.md', name: 'F' },
          { uri: 'note:17', name: 'note.md' },
          { uri: 'file:///srv/a/%2e%2e/h.md', name: 'h.md' },
        ],
      },
      'a',
    );
    expect(reading).toMatchObject({ instructions: '', dependencies: { tools: ['x'] } });
    expect(reading.files.map(({ path }) => path)).toEqual(['refs/x.md', 'y.md', 'refs/f g.md', 'note.md']);
    expect(reading.refused).toHaveLength(5);
    expect(decodeNamedSkill({ instructions: 'x', dependencies: [], files: {} }, 'a')).toEqual({
      instructions: 'x',
      files: [],
      refused: [],
    });
  });

  test.each<unknown>([null, {}, { instructions: 5 }])('refuses %j', (result) => {
    expect(() => decodeNamedSkill(result, 'a')).toThrow(expect.objectContaining({ code: 'BAD_ANSWER' }));
  });
});

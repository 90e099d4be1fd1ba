/** How far skills of older dialects are verified, with which requests, and what is refused. */
import { describe, expect, test } from 'vitest';
import { f1, f2 } from '../../../../test/dialect-fixtures.ts';
import { fastmcp } from '../../../../test/peers/servers/fastmcp.ts';
import { formA0, formB, formC } from '../../../../test/peers/servers/index-drafts.ts';
import { sep2076 } from '../../../../test/peers/servers/named-and-templates.ts';
import { listed, reads } from '../../../../test/peers/servers/reading-source.ts';
import { Fault, listing, markdown, reading, type StandIn, skillMd } from '../../../../test/peers/servers/stand-in.ts';
import { skilljack, skillsOverMcp, surveyPaths } from '../../../../test/peers/servers/survey-servers.ts';
import { verifies } from '../../../../test/requirements/verifies.ts';
import type { Remark } from '../../../dialects/skills-extension/remark.ts';
import { sha256Digest } from '../../../skill/digest.ts';

const uri = 'skill://git-workflow/SKILL.md';
const guide = 'skill://git-workflow/references/GUIDE.md';
const textOf = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes);

describe('FastMCP', () => {
  verifies(['fastmcp:manifest', 'C-19'], 'promises digests and sizes of every file by its manifest', async () => {
    const { source } = await reads(fastmcp());
    const { skills, dialect, findings } = await listed(source);
    expect(dialect).toBe('fastmcp');
    expect(findings).toContainEqual(expect.objectContaining({ rule: 'origin-older-dialect', level: 'note' }));
    const [{ entry } = { entry: undefined }] = skills;
    expect(entry?.resources).toHaveLength(3);
    expect(entry?.resources).toContainEqual({ uri: guide, digest: f2.digest, size: f2.size });
    expect(await source.open(guide, {})).toEqual({ bytes: f2.bytes, digest: f2.digest });
  });

  verifies(['fastmcp:line-ends'], 'changes line ends, which are restored and reported', async () => {
    const remarks: Remark[] = [];
    const { source } = await reads(fastmcp(), { onRemark: (one) => remarks.push(one) });
    const { skills, refused } = await listed(source);
    expect(refused).toEqual([]);
    const notes = skills.find(({ entry }) => entry.frontmatter.name === 'windows-notes')?.entry;
    if (notes === undefined || notes.resources === 'dynamic') throw new Error('not listed');
    for (const { uri: file, digest } of notes.resources) {
      const opened = await source.open(file, {});
      expect(opened?.digest).toBe(digest);
      expect(textOf(opened?.bytes)).toContain('\r\n');
    }
    const lineEndRemarks = remarks.filter(({ requirement }) => requirement === 'fastmcp:line-ends');
    expect(new Set(lineEndRemarks.map((one) => one.uri))).toEqual(new Set(notes.resources.map((file) => file.uri)));
  });

  verifies(['fastmcp:line-ends'], 'with bytes other than promised is refused', async () => {
    const { source } = await reads(fastmcp('windows-notes/more.txt'));
    const { skills } = await listed(source);
    const notes = skills.find(({ entry }) => entry.frontmatter.name === 'windows-notes')?.entry;
    const promised =
      notes?.resources === 'dynamic' ? undefined : notes?.resources.find((file) => /more/.test(file.uri));
    expect((await source.open(promised?.uri ?? '', {}))?.digest).not.toBe(promised?.digest);
    const { source: other } = await reads(fastmcp('windows-notes/SKILL.md'));
    expect((await listed(other)).refused).toMatchObject([{ name: 'windows-notes', code: 'VERIFICATION_FAILED' }]);
  });

  test('without frontmatter gets generated frontmatter, and no promise', async () => {
    const { source } = await reads(fastmcp());
    const { skills } = await listed(source);
    const bare = skills.find(({ entry }) => entry.frontmatter.name === 'bare');
    expect(bare?.entry).toMatchObject({ resources: 'dynamic', frontmatter: { description: 'Skill: bare' } });
    expect(bare?.partial?.files).toEqual([{ uri: 'skill://bare/SKILL.md' }]);
    expect(textOf((await source.open('skill://bare/SKILL.md', {}))?.bytes)).toMatch(
      /^---\nname: "bare"\n[\s\S]*# Bare\n/,
    );
  });

  verifies(['fastmcp:manifest-rows'], 'with a row that leads out of its folder is verified less', async () => {
    const files = [
      { path: 'SKILL.md', size: f1.size, hash: f1.digest },
      { path: '../other/SKILL.md', size: 1, hash: f1.digest },
    ];
    const { source } = await reads(listing1({ 'skill://git-workflow/_manifest': { files }, [uri]: f1.text }));
    const { skills, findings } = await listed(source);
    expect(skills[0]?.entry.resources).toBe('dynamic');
    expect(skills[0]?.partial).toEqual({
      reason: 'no-digest',
      files: [{ uri, digest: f1.digest, size: f1.size }],
      more: true,
    });
    expect(findings.map(({ message }) => message).join()).toContain('"../other/SKILL.md"');
    expect(await source.open('skill://git-workflow/../other/SKILL.md', {})).toBeUndefined();
  });

  test('needs two documents per skill and listing, and one for a single skill', async () => {
    const { source, server } = await reads(fastmcp());
    await listed(source);
    await listed(source);
    const reading1 = server.requests.filter((one) => one.includes('skill://git-workflow/'));
    expect(reading1.map((one) => one.slice('resources/read skill://git-workflow/'.length))).toEqual([
      '_manifest',
      '_manifest',
      'SKILL.md',
    ]);
    const before = server.requests.length;
    expect(await source.get(uri, { fresh: true })).toMatchObject({ entry: { uri }, listed: true });
    expect(server.requests.slice(before)).toEqual([
      'resources/read skill://git-workflow/_manifest',
      'resources/read skill://git-workflow/SKILL.md',
    ]);
  });
});

describe('skill://index.json', () => {
  verifies(['index:a-digest'], 'has its digests compared with the bytes', async () => {
    const { source } = await reads(indexed([{ ...formAEntry, digest: f2.digest }]));
    expect(await listed(source)).toMatchObject({
      skills: [],
      refused: [{ name: 'git-workflow', code: 'VERIFICATION_FAILED' }],
    });
  });

  verifies(['index:b-frontmatter'], 'with frontmatter is listed without reading skills', async () => {
    const { source, server } = await reads(formB());
    const { skills } = await listed(source);
    expect(skills.map(({ partial }) => partial)).toEqual([
      { reason: 'no-digest', files: [{ uri, digest: f1.digest }], more: true },
      undefined,
    ]);
    expect(server.requests).toEqual([
      'initialize',
      'skills/list',
      'resources/read skill://index.json',
      // Nothing else lists the files beside a SKILL.md.
      'resources/list',
      'resources/read skill://pdf-processing.tar.gz',
    ]);
  });

  test('of form C without sizes still promises digests', async () => {
    const { source } = await reads(formC());
    const { skills } = await listed(source);
    expect(skills[0]).toMatchObject({ entry: { resources: 'dynamic' }, partial: { reason: 'no-size' } });
    expect(skills[0]?.partial?.files).toHaveLength(3);
    expect(skills[1]?.partial).toBeUndefined();
  });

  test('that changes is read again for a current entry', async () => {
    const entry = { ...formAEntry, digest: f1.digest };
    const texts: Record<string, string | object> = { 'skill://index.json': { skills: [entry] }, [uri]: f1.text };
    const { source, server } = await reads(plain(texts));
    await listed(source);
    const next = f1.text.replace('# Git', '# New Git');
    texts[uri] = next;
    texts['skill://index.json'] = {
      skills: [{ ...entry, digest: await sha256Digest(new TextEncoder().encode(next)) }],
    };
    const got = await source.get(uri, { fresh: true });
    expect(got?.partial?.files[0]?.digest).not.toBe(f1.digest);
    expect(server.requests.filter((one) => one.endsWith('index.json'))).toHaveLength(2);
  });

  verifies(['index:no-proof'], 'that never arrives does not stop the search for dialects', async () => {
    const standIn = listing1({ [uri]: f1.text });
    const silent: StandIn = {
      ...standIn,
      methods: {
        ...standIn.methods,
        'resources/read': (params) =>
          params['uri'] === 'skill://index.json' ? new Promise(() => {}) : standIn.methods['resources/read']?.(params),
      },
    };
    const { source } = await reads(silent, { timeoutMs: 300 });
    expect(await listed(source)).toMatchObject({ dialect: 'resource-list', skills: [{ entry: { uri } }] });
  });
});

describe('other dialects', () => {
  verifies(['C-24', 'som:index'], 'errors sent as content are not skills', async () => {
    const { source } = await reads(skillsOverMcp());
    const { skills, refused } = await listed(source);
    expect(skills.map(({ entry }) => entry.uri)).toEqual([uri]);
    expect(refused).toMatchObject([{ name: 'gone', faults: [expect.stringContaining('error sent as content')] }]);
    expect(await source.get('skill://nope/SKILL.md', {})).toBeUndefined();
  });

  verifies(['som:documents'], 'documents of skills-over-mcp are its files, with their sizes', async () => {
    const { source } = await reads(skillsOverMcp());
    const partial = { reason: 'no-digest', files: [{ uri }, { uri: guide, size: f2.size }] };
    expect((await listed(source)).skills[0]?.partial).toEqual(partial);
    expect((await source.get(uri, {}))?.partial).toEqual(partial);
    expect(textOf((await source.open(guide, {}))?.bytes)).toBe(f2.text);
  });

  verifies(
    ['skilljack:collection', 'skilljack:tools'],
    'files of skilljack-mcp are read by collection, else by tool',
    async () => {
      const { source, server } = await reads(skilljack());
      const { skills } = await listed(source);
      expect(skills[0]?.partial?.files.map((file) => file.uri)).toEqual([uri, guide, 'skill://git-workflow/large.txt']);
      expect(textOf((await source.open(guide, {}))?.bytes)).toBe(f2.text);
      await source.open(guide, {});
      expect(server.requests.filter((one) => one === 'resources/read skill://git-workflow/')).toHaveLength(1);
      expect(server.requests.filter((one) => one === 'tools/call skill-resource')).toHaveLength(1);
      expect((await source.open('skill://git-workflow/large.txt', {}))?.bytes).toHaveLength(1_100_000);
      expect(await source.open('skill://git-workflow/nope.txt', {})).toBeUndefined();
      await expect(source.open(guide, { maxBytes: 5 })).rejects.toMatchObject({ reason: 'limit' });
    },
  );

  verifies(['sep2076:list', 'sep2076:get'], 'SEP-2076 is listed with the files of each skill', async () => {
    const { source } = await reads(sep2076());
    const { skills, refused } = await listed(source);
    expect(skills.map(({ entry }) => entry.uri)).toEqual([uri]);
    expect(refused).toMatchObject([{ name: 'report', faults: [expect.stringContaining('values for "month"')] }]);
    expect(skills[0]?.partial?.files).toEqual([{ uri }, { uri: guide }]);
    expect((await source.get(uri, {}))?.partial?.files).toEqual([{ uri }, { uri: guide }]);
    expect(textOf((await source.open(uri, {}))?.bytes)).toMatch(
      /^---\nname: "git-workflow"\n[\s\S]*\n# Git Workflow\n$/,
    );
    expect(textOf((await source.open(guide, {}))?.bytes)).toBe(f2.text);
  });

  verifies(
    ['survey:path-is-locator', 'C-18', 'list:scoped'],
    'a path that differs from the name is kept and reported',
    async () => {
      const { source } = await reads(surveyPaths());
      const { skills, findings } = await listed(source);
      expect(skills[0]?.entry).toMatchObject({
        uri: 'skill://acme/billing/refunds/SKILL.md',
        frontmatter: { name: 'refund-handling' },
      });
      expect(findings.map(({ message }) => message)).toContainEqual(
        expect.stringContaining('the skill at "acme/billing/refunds" is named "refund-handling"'),
      );
    },
  );

  test('a nested skill has its own files, apart from the outer one', async () => {
    const outer = 'skill://outer/SKILL.md';
    const inner = 'skill://outer/inner/SKILL.md';
    const rows = [markdown(outer, 'outer'), markdown(inner, 'inner')];
    const { source } = await reads(plain({ [outer]: skillMd('outer'), [inner]: skillMd('inner') }, rows));
    expect((await listed(source)).skills).toHaveLength(2);
    expect(textOf((await source.open(inner, {}))?.bytes)).toContain('name: inner');
  });

  test('names that Agent Skills forbids are read and reported; ambiguous YAML is not', async () => {
    const rows = [markdown('skill://My_Skill/SKILL.md', ''), markdown('skill://broken/SKILL.md', '')];
    const texts = {
      'skill://My_Skill/SKILL.md': skillMd('My_Skill'),
      'skill://broken/SKILL.md': '---\nname: broken\ndescription: a: b: c\n---\n',
    };
    const { source } = await reads(plain(texts, rows));
    const { skills, refused, findings } = await listed(source);
    expect(skills.map(({ entry }) => entry.frontmatter.name)).toEqual(['My_Skill']);
    expect(refused).toMatchObject([{ name: 'broken', code: 'BAD_ANSWER' }]);
    expect(findings.some(({ message }) => message.includes('breaks the rules of Agent Skills'))).toBe(true);
  });
});

describe('the chosen dialect', () => {
  test('is used alone, with its level of verification', async () => {
    const { source } = await reads(fastmcp(), { dialect: 'resource-list' });
    const { skills, dialect } = await listed(source);
    expect(dialect).toBe('resource-list');
    expect(skills.every(({ entry }) => entry.resources === 'dynamic')).toBe(true);
    const { source: none } = await reads(fastmcp(), { dialect: 'skilljack' });
    await expect(listed(none)).rejects.toMatchObject({ code: 'NO_SKILLS_EXTENSION' });
  });

  test('is the next one if a dialect is forbidden', async () => {
    const { source } = await reads(fastmcp(), { forbidDialects: ['fastmcp'] });
    expect((await listed(source)).dialect).toBe('resource-list');
    const { source: none } = await reads(formA0(), { forbidDialects: ['skill-index', 'resource-list'] });
    await expect(listed(none)).rejects.toMatchObject({ code: 'NO_SKILLS_EXTENSION' });
    await expect(none.get(uri, {})).rejects.toMatchObject({ code: 'NO_SKILLS_EXTENSION' });
  });

  test('finds unlisted skills by their URI', async () => {
    const { source } = await reads(plain({ 'skill://index.json': { skills: [] }, [uri]: f1.text }));
    expect(await listed(source)).toMatchObject({ dialect: 'skill-index', skills: [] });
    expect(await source.get(uri, {})).toMatchObject({ entry: { uri, resources: 'dynamic' }, listed: false });
    expect(textOf((await source.open(uri, {}))?.bytes)).toBe(f1.text);
    expect(await source.get('skill://x/SKILL.md', {})).toBeUndefined();
  });

  verifies(['discovery:no-downgrade'], 'never changes to less verification after a failed listing', async () => {
    const standIn = await formB();
    const failing: StandIn = {
      ...standIn,
      methods: {
        ...standIn.methods,
        'skills/list': () => {
          throw new Fault(-32603, 'busy');
        },
      },
    };
    const { source, server } = await reads(failing);
    await expect(listed(source)).rejects.toMatchObject({ code: 'ORIGIN_FAILED' });
    expect(server.requests).toEqual(['initialize', 'skills/list']);
  });

  test('is chosen again when a server starts to support the extension', async () => {
    const methods: Record<string, StandIn['methods'][string]> = { ...(await formB()).methods };
    const { source } = await reads({ ...(await formB()), methods });
    expect((await listed(source)).dialect).toBe('skill-index');
    methods['skills/list'] = () => ({ skills: [] });
    expect((await listed(source, { fresh: true })).dialect).toBe('skills-extension');
    expect(await source.status({})).toMatchObject({ dialect: 'skills-extension' });
  });
});

const formAEntry = { name: 'git-workflow', description: 'd', type: 'skill-md', url: uri };

function plain(texts: Readonly<Record<string, string | object>>, rows: readonly object[] = []): StandIn {
  return {
    name: 'plain',
    from: 'this test',
    capabilities: { resources: {} },
    methods: { 'resources/list': listing(...rows), 'resources/read': reading(texts) },
  };
}

const listing1 = (texts: Readonly<Record<string, string | object>>): StandIn => plain(texts, [markdown(uri, '')]);

const indexed = (skills: readonly object[]): StandIn => plain({ 'skill://index.json': { skills }, [uri]: f1.text });

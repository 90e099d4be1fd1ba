import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import type { LockedLocation } from '../origins/kinds.ts';
import { sameJson } from '../skill/json.ts';
import { readSignerIdentity, type SignerIdentity } from '../skill/signer-identity.ts';
import { wantedSkill } from '../testing/sync-workloads.ts';
import { type InstallLock, lockText, parseLock, unknownAfter } from './install-lock.ts';

const alpha = wantedSkill('alpha', { 'z.txt': 'z', 'a/b.txt': 'b' }, { executable: ['z.txt'], scripts: true }).locked;
const lock: InstallLock = { scope: 'project', skills: { beta: alpha, alpha } };

describe('lockText()', () => {
  test('sorts the keys at every level and ends with a newline', () => {
    const text = lockText(lock);
    expect(text.endsWith('}\n')).toBe(true);
    const { skills } = JSON.parse(text);
    expect(Object.keys(skills)).toEqual(['alpha', 'beta']);
    expect(Object.keys(skills.alpha)).toEqual([...Object.keys(skills.alpha)].sort());
    expect(Object.keys(skills.alpha.files)).toEqual(['SKILL.md', 'a/b.txt', 'z.txt']);
  });

  test('keeps the label and the commit of a skill', () => {
    const revision = '0'.repeat(40);
    const named = { scope: 'project' as const, skills: { alpha: { ...alpha, label: 'docs', revision } } };
    expect(parseLock(lockText(named), 'x').skills['alpha']).toMatchObject({ label: 'docs', revision });
  });

  test('is read back unchanged', () => {
    expect(parseLock(lockText(lock), 'x')).toEqual(JSON.parse(JSON.stringify(lock)));
    expect(lockText(parseLock(lockText(lock), 'x'))).toBe(lockText(lock));
    expect(sameJson(parseLock(lockText(lock), 'x').skills['alpha'], alpha)).toBe(true);
  });
});

describe('parseLock()', () => {
  const changed = (change: (skill: Record<string, unknown>) => void): string => {
    const value = JSON.parse(lockText({ scope: 'project', skills: { alpha } }));
    change(value.skills.alpha);
    return JSON.stringify(value);
  };

  const faults: readonly (readonly [text: string, said: string])[] = [
    ['', 'not JSON'],
    ['[]', 'not an object'],
    ['{"scope":"project","skills":{}}', 'version none'],
    ['{"lockVersion":9,"scope":"project","skills":{}}', 'version 9'],
    ['{"lockVersion":1,"scope":"team","skills":{}}', '"scope"'],
    ['{"lockVersion":1,"scope":"project","skills":[]}', '"skills"'],
    ['{"lockVersion":1,"scope":"project","skills":{"..":{}}}', 'begins with a dot'],
    ['{"lockVersion":1,"scope":"project","skills":{".git":{}}}', 'begins with a dot'],
    ['{"lockVersion":1,"scope":"project","skills":{"nul":{}}}', 'device'],
    ['{\n<<<<<<< ours\n}', 'merge conflict'],
    [changed((skill) => delete skill['origin']), '"origin"'],
    [changed((skill) => (skill['uri'] = '')), '"uri"'],
    [changed((skill) => (skill['uri'] = 1)), '"uri"'],
    [changed((skill) => (skill['setDigest'] = 'sha256:1')), '"setDigest"'],
    [changed((skill) => (skill['mode'] = 'hard')), '"mode"'],
    [changed((skill) => (skill['agents'] = [1])), '"agents"'],
    [changed((skill) => (skill['scripts'] = 'yes')), '"scripts"'],
    [changed((skill) => (skill['approval'] = {})), '"approval"'],
    [changed((skill) => (skill['label'] = 1)), '"label"'],
    [changed((skill) => (skill['label'] = 'stdio:sh -c "touch /tmp/x"; #')), '"label"'],
    [changed((skill) => (skill['label'] = 'docs=stdio:sh')), '"label"'],
    [changed((skill) => (skill['label'] = '')), '"label"'],
    [changed((skill) => (skill['revision'] = '--upload-pack=id')), '"revision"'],
    [changed((skill) => (skill['revision'] = 7)), '"revision"'],
    [changed((skill) => (skill['origin'] = '')), '"origin"'],
    [changed((skill) => (skill['origin'] = 'a\0b')), '"origin"'],
    [changed((skill) => (skill['origin'] = 'stdio:')), '"origin"'],
    [changed((skill) => (skill['origin'] = 'git:ext::sh')), '"origin"'],
    [changed((skill) => (skill['origin'] = { kind: 'shell', command: ['sh'] })), '"origin"'],
    [changed((skill) => (skill['origin'] = { kind: 'site', url: 'stdio:sh' })), '"origin"'],
    [changed((skill) => (skill['origin'] = { kind: 'label', label: 'a=b' })), '"origin"'],
    [changed((skill) => (skill['origin'] = { kind: 'label' })), '"origin"'],
    [changed((skill) => (skill['files'] = {})), 'lack "SKILL.md"'],
    [
      changed((skill) => (skill['files'] = { ...alpha.files, 'a.txt': { ...alpha.files['SKILL.md'], size: -1 } })),
      'no digest and size',
    ],
    [
      changed((skill) => (skill['files'] = { ...alpha.files, 'a.txt': { ...alpha.files['SKILL.md'], size: 1.5 } })),
      'no digest and size',
    ],
    [
      changed((skill) => (skill['files'] = { ...alpha.files, 'a.txt': { ...alpha.files['SKILL.md'], executable: 1 } })),
      'no digest and size',
    ],
    [
      changed((skill) => (skill['files'] = { ...alpha.files, 'a.txt': { digest: 'x', size: 1 } })),
      'no digest and size',
    ],
    [changed((skill) => (skill['files'] = { ...alpha.files, '../up.txt': alpha.files['SKILL.md'] })), 'another folder'],
    [changed((skill) => (skill['files'] = { ...alpha.files, '/abs.txt': alpha.files['SKILL.md'] })), 'is empty'],
    [
      changed((skill) => (skill['files'] = { ...alpha.files, '.git/config': alpha.files['SKILL.md'] })),
      'version control',
    ],
    [changed((skill) => (skill['files'] = { ...alpha.files, 'skill.md': alpha.files['SKILL.md'] })), 'on some systems'],
    [
      changed((skill) => (skill['files'] = { ...alpha.files, 'a/b.txt/c': alpha.files['SKILL.md'] })),
      'both a file and a folder',
    ],
  ];
  test.each(faults.map(([text, said], row) => ({ text, said, row })))('refuses row $row: $said', ({ text, said }) => {
    expect(() => parseLock(text, 'skillwire.lock')).toThrow(
      expect.objectContaining({ code: 'LOCK_INVALID', message: expect.stringContaining(said) }),
    );
  });
});

describe('keys of a later version', () => {
  const later = (): Record<string, unknown> => {
    const value = JSON.parse(lockText({ scope: 'project', skills: { alpha } }));
    Object.assign(value, { generator: { name: 'later' } });
    const signer = { kind: 'key', key: `sha256:${'1'.repeat(64)}` };
    Object.assign(value.skills.alpha, { signer, content: `sha256:${'2'.repeat(64)}`, tags: ['t'] });
    return value;
  };

  test('are written back', () => {
    const text = JSON.stringify(later());
    expect(JSON.parse(lockText(parseLock(text, 'x')))).toEqual(later());
  });

  test('stay with the row; signer and content are typed', () => {
    const before = parseLock(JSON.stringify(later()), 'x').skills['alpha'];
    expect(before).toMatchObject({ signer: { kind: 'key' }, content: `sha256:${'2'.repeat(64)}` });
    expect(unknownAfter(before)).toEqual({ unknown: { tags: ['t'] } });
    expect(unknownAfter(undefined)).toEqual({});
  });

  test.each([
    ['content', 'x'],
    ['content', { x: 1 }],
    ['signer', { kind: 'key' }],
    ['signer', { kind: 'key', key: 'x' }],
    ['signer', { kind: 'key', key: `sha256:${'1'.repeat(64)}`, more: 1 }],
    ['signer', { kind: 'certificate', root: `sha256:${'1'.repeat(64)}`, subject: '' }],
    ['signer', { kind: 'keyless', issuer: 'i' }],
    ['signer', { kind: 'keyless', issuer: 'i', identity: 'j', runner: '' }],
    ['signer', { kind: 'keyless', issuer: 'i', identity: 'j', repository: 1 }],
    ['signer', { kind: 'keyless', issuer: 'i', identity: 'j', runner: 'r', host: 'x' }],
    ['signer', { kind: 'other' }],
    ['signer', null],
  ])('refuse %s %j', (key, value) => {
    const lock = later();
    Object.assign((lock.skills as Record<string, object>)['alpha'] ?? {}, { [key]: value });
    expect(() => parseLock(JSON.stringify(lock), 'x')).toThrow(`"${key}" is not a`);
  });
});

describe('the first version of the file', () => {
  const rows: readonly (readonly [string, LockedLocation])[] = [
    ['./skills', { kind: 'folder', path: './skills' }],
    ['.', { kind: 'folder', path: '.' }],
    ['/srv/skills', { kind: 'folder', path: '/srv/skills' }],
    ['./skills.zip', { kind: 'archive', path: './skills.zip' }],
    ['https://example.com', { kind: 'site', url: 'https://example.com' }],
    ['http://example.com', { kind: 'site', url: 'http://example.com' }],
    ['mcp:https://example.com/mcp', { kind: 'mcp', url: 'https://example.com/mcp' }],
    ['stdio:node "my server.js"', { kind: 'stdio', command: ['node', 'my server.js'] }],
    ['mdp:ws://127.0.0.1:4711', { kind: 'mdp', hub: 'ws://127.0.0.1:4711' }],
    ['mdp:stdio:hub', { kind: 'mdp-stdio', hubCommand: ['hub'] }],
    ['git:https://example.com/a.git#v1', { kind: 'git', repository: 'https://example.com/a.git', ref: 'v1' }],
    ['agent:claude-code', { kind: 'agent', agent: 'claude-code' }],
    ['docs', { kind: 'label', label: 'docs' }],
  ];
  test.each(rows)('%s', (origin, place) => {
    const value = { lockVersion: 1, scope: 'project', skills: { alpha: { ...alpha, origin } } };
    const read = parseLock(JSON.stringify(value), 'x');
    expect(read.skills['alpha']?.origin).toEqual(place);
    const written = JSON.parse(lockText(read));
    expect(written).toMatchObject({ lockVersion: 2, skills: { alpha: { origin: place } } });
    expect(parseLock(lockText(read), 'x')).toEqual(read);
  });
});

test('the published schema accepts written files and refuses unreadable ones', () => {
  const schema = JSON.parse(readFileSync(new URL('../../schema/skillwire-lock.json', import.meta.url), 'utf8'));
  const valid = new Ajv2020({ strict: false }).compile(schema);
  expect(valid(JSON.parse(lockText(lock))), JSON.stringify(valid.errors)).toBe(true);
  const written = JSON.parse(lockText(lock)).skills.alpha;
  const withRow = (row: object): unknown => ({
    lockVersion: 2,
    scope: 'project',
    skills: { a: { ...written, ...row } },
  });
  const places: readonly LockedLocation[] = [
    { kind: 'folder', path: './skills', nested: false },
    { kind: 'archive', path: './skills.zip' },
    { kind: 'site', url: 'https://example.com' },
    { kind: 'mcp', url: 'https://example.com/mcp' },
    { kind: 'stdio', command: ['node'] },
    { kind: 'mdp', hub: 'ws://127.0.0.1:4711' },
    { kind: 'mdp-stdio', hubCommand: ['hub'] },
    { kind: 'git', repository: 'https://example.com/a.git', ref: 'v1' },
    { kind: 'agent', agent: 'codex' },
    { kind: 'label', label: 'docs' },
  ];
  for (const origin of places) expect(valid(withRow({ origin })), JSON.stringify(valid.errors)).toBe(true);
  const [one, two] = [`sha256:${'1'.repeat(64)}`, `sha256:${'2'.repeat(64)}`];
  const job = { kind: 'keyless', issuer: 'https://i.example', identity: 'https://ci.example/a@main' };
  const signers: readonly SignerIdentity[] = [
    { kind: 'key', key: one },
    { kind: 'certificate', root: two, subject: 'O=Acme' },
    job as SignerIdentity,
    { ...job, runner: 'github-hosted', repository: 'https://github.com/acme/skills' } as SignerIdentity,
  ];
  for (const signer of signers) {
    expect(readSignerIdentity(JSON.parse(JSON.stringify(signer)))).toEqual(signer);
    expect(valid(withRow({ signer, content: one, later: 1 })), JSON.stringify(valid.errors)).toBe(true);
  }
  for (const row of [
    { files: {} },
    { origin: 'stdio:sh' },
    { origin: { kind: 'shell' } },
    { origin: { kind: 'site', command: ['sh'] } },
    { label: 'a=b' },
    { content: {} },
    { signer: {} },
    { signer: { kind: 'key', key: 'x' } },
    { signer: { ...job, runner: '' } },
    { signer: { ...job, host: 'x' } },
    { revision: '--x' },
  ])
    expect(valid(withRow(row)), JSON.stringify(row)).toBe(false);
  expect(valid({ lockVersion: 1, scope: 'project', skills: {} })).toBe(false);
});

import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CatalogChange } from '../../catalog/catalog.ts';
import type { SkillRecord, Snapshot } from '../../catalog/snapshot.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import { createColors } from './color.ts';
import { changeText, readyText } from './serve-text.ts';

const cwd = resolve('/work');
const file = resolve(cwd, 'skills/a/SKILL.md');
const problem = (message: string, line = 1) => finding('name-invalid', message, { file, line });

function snapshot(skills: number, findings: readonly Finding[] = [], listed = skills): Snapshot {
  const records = new Array<SkillRecord>(skills);
  return {
    generation: 0,
    skills: records,
    listed: records.slice(0, listed),
    listing: 'all',
    findings,
    skill: () => undefined,
    aliased: () => undefined,
    file: () => undefined,
    directory: () => undefined,
  };
}

const options = {
  handle: { url: 'http://127.0.0.1:4711', mcp: 'http://127.0.0.1:4711/mcp' },
  roots: [{ path: 'skills' }],
  configuration: undefined,
  validate: ['./skills'],
  answeredHosts: undefined,
  stdioServer: undefined,
  cwd,
  colors: createColors(false),
  version: '1.2.3',
};

describe('readyText()', () => {
  test('gives the number of skills, the addresses and what to paste', () => {
    expect(readyText(snapshot(1), options)).toBe(`skillwire 1.2.3 serves 1 skill from skills

No findings.

page  http://127.0.0.1:4711/
MCP   http://127.0.0.1:4711/mcp
site  http://127.0.0.1:4711  (.well-known/agent-skills and .well-known/skills)

Add it to Claude Code, or paste the JSON into most other clients:

claude mcp add --transport http skills http://127.0.0.1:4711/mcp

{
  "mcpServers": {
    "skills": {
      "type": "http",
      "url": "http://127.0.0.1:4711/mcp"
    }
  }
}
`);
  });

  test('names the configuration and the skills that are not listed', () => {
    const text = readyText(snapshot(3, [], 1), { ...options, configuration: resolve(cwd, 'skillwire.json') });
    expect(text).toContain('serves 3 skills (2 not listed) from skills\nconfiguration: skillwire.json\n');
  });

  test('shows the first problems with their remedies, the counts and the next command', () => {
    const many = [...Array(7).keys()].map((index) => problem(`problem ${index}`, index + 1));
    const warning = finding('file-secret', 'a key', { file });
    const validate = ['my skills', './b', 'c=./b'];
    const text = readyText(snapshot(1, [warning, ...many]), { ...options, validate }).replaceAll('\\', '/');
    expect(text).toContain('skills/a/SKILL.md:5  problem  problem 4  [name-invalid]\n    choose a name');
    expect(text).not.toContain('problem 5');
    expect(text).not.toContain('a key');
    expect(text).toContain(
      "and 2 more problems\n7 problems, 1 warning, 0 notes; run `skillwire validate 'my skills' ./b c=./b` for details\n",
    );
  });

  test('names just the command where the configuration is served', () => {
    expect(readyText(snapshot(1, [problem('x')]), { ...options, validate: [] })).toContain(
      'run `skillwire validate` for details',
    );
  });

  test('names the hosts that are answered where it is reached from elsewhere', () => {
    expect(readyText(snapshot(1), { ...options, answeredHosts: ['any IP address', 'localhost'] })).toContain(
      'skills)\nAllowed host names: any IP address, localhost (add others with --allowed-host)\n',
    );
  });

  test('says how to come by a token, and what a host with one is told', () => {
    const text = readyText(snapshot(1), { ...options, tokens: true });
    expect(text).toContain('Clients need a token: `skillwire token add NAME --profile PROFILE`');
    expect(text).toMatch(/--header 'Authorization: Bearer \$\{SKILLS_TOKEN\}'/);
    expect(text).toMatch(/"Authorization": "Bearer \$\{SKILLS_TOKEN\}"/);
  });

  test('says where live runtimes connect, over HTTP and over stdio', () => {
    const mdp = { url: 'ws://127.0.0.1:4711' };
    const line = 'MDP   ws://127.0.0.1:4711  (live skills; see `skillwire runtimes`)\n';
    expect(readyText(snapshot(1), { ...options, handle: { ...options.handle, mdp } })).toContain(
      `.well-known/skills)\n${line}`,
    );
    expect(readyText(snapshot(1), { ...options, handle: { mdp } })).toContain(`stdin and stdout.\n${line}`);
  });

  test('says over stdio that it speaks there', () => {
    expect(readyText(snapshot(2), { ...options, handle: {} })).toBe(
      'skillwire 1.2.3 serves 2 skills from skills\n\nNo findings.\n\nSpeaking MCP over stdin and stdout.\n',
    );
  });

  test('shows a person over stdio what to paste into a host', () => {
    const stdioServer = { name: 'skills', command: 'npx', args: ['skillwire', 'serve', '--stdio', '/a b'] };
    const text = readyText(snapshot(2), { ...options, handle: {}, stdioServer });
    expect(text).toContain("claude mcp add skills -- npx skillwire serve --stdio '/a b'\n");
    expect(JSON.parse(text.slice(text.indexOf('{')))).toEqual({
      mcpServers: { skills: { command: 'npx', args: stdioServer.args } },
    });
  });
});

describe('changeText()', () => {
  function change(parts: Partial<CatalogChange>): string {
    const none = { added: [], removed: [], changed: [], files: [] };
    return changeText({ snapshot: snapshot(0), previous: snapshot(0), ...none, ...parts }, cwd).replaceAll('\\', '/');
  }

  test('is one line with what changed and the new problem', () => {
    const parts = { changed: ['a', 'b', 'c'], snapshot: snapshot(3, [problem('the name is "A"', 3)]) };
    expect(change(parts)).toBe(
      '3 skills changed, 1 new problem: skills/a/SKILL.md:3  the name is "A"; choose a name such as "pdf-tools"\n',
    );
  });

  test('tells added, removed and solved', () => {
    expect(change({ added: ['a'], removed: ['b', 'c'], previous: snapshot(0, [problem('x')]) })).toBe(
      '1 skill added, 2 skills removed, 1 problem fixed\n',
    );
  });

  test('does not call a problem new because its line moved, nor speak of warnings', () => {
    const previous = snapshot(0, [problem('x', 1)]);
    expect(change({ previous, snapshot: snapshot(0, [problem('x', 9), finding('file-secret', 'k')]) })).toBe('');
  });
});

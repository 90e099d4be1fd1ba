import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CatalogChange } from '../../catalog/catalog.ts';
import type { SkillRecord, Snapshot } from '../../catalog/snapshot.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import { createColors } from './color.ts';
import { changeText, readyText, serverWarnings, waitingText } from './serve-text.ts';

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
  test('shows the number of skills, the addresses and what to paste', () => {
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

  test('shows the first problems with remedies, the counts and the next command', () => {
    const many = [...Array(7).keys()].map((index) => problem(`problem ${index}`, index + 1));
    const warning = finding('file-secret', 'a key', { file });
    const validate = ['my skills', './b', 'c=./b'];
    const text = readyText(snapshot(1, [warning, ...many]), { ...options, validate }).replaceAll('\\', '/');
    expect(text).toContain('skills/a/SKILL.md:5  problem  problem 4  [name-invalid]\n    choose a name');
    expect(text).not.toContain('problem 5');
    expect(text).not.toContain('a key');
    expect(text).toContain(
      "and 2 more problems\n7 problems, 1 warning, 0 notes; 1 skill not served; run `skillwire validate 'my skills' ./b c=./b` for details\n",
    );
  });

  test('prints only the command if the configuration is served', () => {
    expect(readyText(snapshot(1, [problem('x')]), { ...options, validate: [] })).toContain(
      'run `skillwire validate` for details',
    );
  });

  test('names the allowed hosts if others can connect', () => {
    expect(readyText(snapshot(1), { ...options, answeredHosts: ['any IP address', 'localhost'] })).toContain(
      'skills)\nAllowed host names: any IP address, localhost (add others with --allowed-host)\n',
    );
  });

  test('explains how to get a token, and how a client sends it', () => {
    const text = readyText(snapshot(1), { ...options, tokens: true });
    expect(text).toContain('Clients need a token: `skillwire token add NAME --profile PROFILE`');
    expect(text).toMatch(/--header 'Authorization: Bearer \$\{SKILLWIRE_TOKEN\}'/);
    expect(text).toMatch(/"Authorization": "Bearer \$\{SKILLWIRE_TOKEN\}"/);
  });

  test('shows where live runtimes connect, over HTTP and over stdio', () => {
    const mdp = { url: 'ws://127.0.0.1:4711' };
    const line = 'MDP   ws://127.0.0.1:4711  (live skills; see `skillwire runtimes`)\n';
    expect(readyText(snapshot(1), { ...options, handle: { ...options.handle, mdp } })).toContain(
      `.well-known/skills)\n${line}`,
    );
    expect(readyText(snapshot(1), { ...options, handle: { mdp } })).toContain(`stdin and stdout.\n${line}`);
  });

  test('announces stdio as its transport', () => {
    expect(readyText(snapshot(2), { ...options, handle: {} })).toBe(
      'skillwire 1.2.3 serves 2 skills from skills\n\nNo findings.\n\nSpeaking MCP over stdin and stdout.\n',
    );
  });

  test('shows a person over stdio what to paste into a client', () => {
    const stdioServer = { name: 'skills', command: 'npx', args: ['skillwire', 'serve', '--stdio', '/a b'] };
    const text = readyText(snapshot(2), { ...options, handle: {}, stdioServer });
    expect(text).toContain("claude mcp add skills -- npx skillwire serve --stdio '/a b'\n");
    expect(JSON.parse(text.slice(text.indexOf('{')))).toEqual({
      mcpServers: { skills: { command: 'npx', args: stdioServer.args } },
    });
  });
});

test('serverWarnings() returns the warnings about the server, each once', () => {
  const limit = finding('watch-limit', 'folders cannot be watched (ENOSPC), so they are polled');
  const before = snapshot(0, [problem('x')]);
  const after = snapshot(0, [problem('y'), limit, finding('file-secret', 'k')]);
  expect(serverWarnings(after, before, cwd)).toEqual([
    'warning: folders cannot be watched (ENOSPC), so they are polled; raise the system limit (on Linux fs.inotify.max_user_watches), or serve fewer folders',
  ]);
  expect(serverWarnings(after, undefined, cwd)).toHaveLength(1);
  expect(serverWarnings(after, after, cwd)).toEqual([]);
});

describe('changeText()', () => {
  function change(parts: Partial<CatalogChange>): string {
    const none = { added: [], removed: [], changed: [], files: [] };
    return changeText({ snapshot: snapshot(0), previous: snapshot(0), ...none, ...parts }, cwd).replaceAll('\\', '/');
  }

  test('is one line with the changes and the new problem', () => {
    const parts = { changed: ['a', 'b', 'c'], snapshot: snapshot(3, [problem('the name is "A"', 3)]) };
    expect(change(parts)).toBe(
      '3 skills changed, 1 new problem: skills/a/SKILL.md:3  the name is "A"; choose a name such as "pdf-tools"\n',
    );
  });

  test('lists added, removed and solved problems', () => {
    expect(change({ added: ['a'], removed: ['b', 'c'], previous: snapshot(0, [problem('x')]) })).toBe(
      '1 skill added, 2 skills removed, 1 problem fixed\n',
    );
  });

  test('does not report a moved problem as new, or any warning', () => {
    const previous = snapshot(0, [problem('x', 1)]);
    expect(change({ previous, snapshot: snapshot(0, [problem('x', 9), finding('file-secret', 'k')]) })).toBe('');
  });
});

describe('waitingText()', () => {
  const unserved = { waiting: 15, denied: 0, disabled: 0, absent: 15 };

  test('shows how many skills are served and waiting, and the next command', () => {
    expect(waitingText(0, unserved, undefined, 'http://127.0.0.1:4711/#/review')).toBe(
      'Serving 0 of 15 skills. 15 are waiting: run `skillwire review`, or open http://127.0.0.1:4711/#/review',
    );
    expect(waitingText(14, { ...unserved, waiting: 1, absent: 0 }, 'skillwire review --state x')).toBe(
      'Serving 14 of 14 skills. 1 is waiting: run `skillwire review --state x`',
    );
  });

  test('is empty if nothing is waiting', () => {
    expect(waitingText(3, undefined)).toBeUndefined();
    expect(waitingText(3, { waiting: 0, denied: 2, disabled: 0, absent: 2 })).toBeUndefined();
  });
});

import { describe, expect, test } from 'vitest';
import { SkillwireError } from '../errors.ts';
import { parseConfiguration } from './configuration.ts';

function agentsOf(agents: unknown): unknown {
  return parseConfiguration(JSON.stringify({ origins: {}, agents }), 'skillwire.json').agents;
}

function faultOf(agents: unknown): string {
  try {
    agentsOf(agents);
  } catch (error) {
    if (error instanceof SkillwireError && error.code === 'CONFIG_INVALID') return error.message;
    throw error;
  }
  throw new Error('it was accepted');
}

describe('the configuration key "agents"', () => {
  test('gives rows of the agent table', () => {
    expect(
      agentsOf([
        {
          id: 'our-agent',
          name: 'Ours',
          project: '.ours/skills',
          global: '~/.ours/skills',
          readsShared: { project: true, global: false },
          detect: ['~/.ours'],
        },
        { id: 'small', project: '.agents/skills' },
        { id: 'elsewhere', global: '/opt/skills' },
      ]),
    ).toEqual([
      {
        id: 'our-agent',
        name: 'Ours',
        projectFolder: '.ours/skills',
        globalFolder: '~/.ours/skills',
        readsShared: { project: true, global: false },
        detect: ['~/.ours'],
      },
      {
        id: 'small',
        name: 'small',
        projectFolder: '.agents/skills',
        readsShared: { project: true, global: false },
        detect: [],
      },
      {
        id: 'elsewhere',
        name: 'elsewhere',
        globalFolder: '/opt/skills',
        readsShared: { project: false, global: false },
        detect: [],
      },
    ]);
    expect(parseConfiguration('{"origins": {}}', 'skillwire.json')).not.toHaveProperty('agents');
  });

  test.each([
    ['no list', {}, '"agents" is a list, not an object; write [{"id"'],
    ['no object', ['claude'], 'an agent is an object with "id" and its folders, not "claude"'],
    ['no id', [{ project: '.x/skills' }], 'the key "id" is missing; add "id": "our-agent"'],
    ['a bad id', [{ id: 'Our Agent', project: '.x' }], 'lower-case letters and digits'],
    ['no folder', [{ id: 'x' }], 'agents[0]: an agent has a folder: "project", "global" or both; write'],
    [
      'an id twice',
      [
        { id: 'x', project: 'a' },
        { id: 'x', project: 'b' },
      ],
      'agents: each "id" appears once; write',
    ],
    ['a project folder that is absolute', [{ id: 'x', project: '/etc' }], 'relative to it'],
    ['a project folder of the user', [{ id: 'x', project: '~/x' }], 'relative to it'],
    ['a project folder that leads out', [{ id: 'x', project: 'a/../../b' }], 'relative to it'],
    ['a project folder on a drive', [{ id: 'x', project: 'C:/x' }], 'relative to it'],
    ['a project folder of Git', [{ id: 'x', project: '.git/hooks' }], 'without ".." and ".git"'],
    ['a project folder of Git in capitals', [{ id: 'x', project: 'sub/.GIT/x' }], 'without ".." and ".git"'],
    ['a user folder of Git', [{ id: 'x', global: '~/work/.git/hooks' }], 'without ".." and ".git"'],
    ['an empty folder', [{ id: 'x', project: ' ' }], 'relative to it'],
    ['a user folder that is relative', [{ id: 'x', global: '.x/skills' }], 'begins with "~/"'],
    ['a user folder that leads out', [{ id: 'x', global: '~/../x' }], 'begins with "~/"'],
    [
      'half of what it reads',
      [{ id: 'x', project: 'a', readsShared: { project: true } }],
      'the key "global" is missing',
    ],
    ['a path that leads out', [{ id: 'x', project: 'a', detect: ['../x'] }], 'has no ".."'],
    ['an unknown key', [{ id: 'x', folder: 'a' }], 'the key "folder" is unknown; use "id", "name", "project"'],
  ])('refuses %s', (_, agents, message) => {
    expect(faultOf(agents)).toContain(message);
  });
});

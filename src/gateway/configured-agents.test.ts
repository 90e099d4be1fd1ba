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
  test('adds rows to the agent table', () => {
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
    ['no list', {}, '"agents" must be a list, not an object; write [{"id"'],
    ['no object', ['claude'], 'an agent must be an object with "id" and its folders, not "claude"'],
    ['no id', [{ project: '.x/skills' }], 'the key "id" is missing; add "id": "our-agent"'],
    ['a bad id', [{ id: 'Our Agent', project: '.x' }], 'lower-case letters and digits'],
    ['no folder', [{ id: 'x' }], 'agents[0]: an agent needs a folder: "project", "global" or both; write'],
    [
      'an id twice',
      [
        { id: 'x', project: 'a' },
        { id: 'x', project: 'b' },
      ],
      'agents: each "id" must be unique; write',
    ],
    ['a project folder that is absolute', [{ id: 'x', project: '/etc' }], 'must be a relative path'],
    ['a project folder of the user', [{ id: 'x', project: '~/x' }], 'must be a relative path'],
    ['a project folder that leads out', [{ id: 'x', project: 'a/../../b' }], 'must be a relative path'],
    ['a project folder on a drive', [{ id: 'x', project: 'C:/x' }], 'must be a relative path'],
    ['a project folder of Git', [{ id: 'x', project: '.git/hooks' }], 'without ".." or ".git"'],
    ['a project folder of Git in capitals', [{ id: 'x', project: 'sub/.GIT/x' }], 'without ".." or ".git"'],
    ['a user folder of Git', [{ id: 'x', global: '~/work/.git/hooks' }], 'without ".." or ".git"'],
    ['an empty folder', [{ id: 'x', project: ' ' }], 'must be a relative path'],
    ['a user folder that is relative', [{ id: 'x', global: '.x/skills' }], 'start with "~/"'],
    ['a user folder that leads out', [{ id: 'x', global: '~/../x' }], 'start with "~/"'],
    [
      'half of what it reads',
      [{ id: 'x', project: 'a', readsShared: { project: true } }],
      'the key "global" is missing',
    ],
    ['a path that leads out', [{ id: 'x', project: 'a', detect: ['../x'] }], 'or contain ".."'],
    ['an unknown key', [{ id: 'x', folder: 'a' }], 'unknown key "folder"; use "id", "name", "project"'],
  ])('refuses %s', (_, agents, message) => {
    expect(faultOf(agents)).toContain(message);
  });
});

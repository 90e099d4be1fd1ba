import { describe, expect, test } from 'vitest';
import type { Era } from '../dialects/era.ts';
import { skillsExtensionId } from '../dialects/skills-extension/capability.ts';
import { SkillwireError } from '../errors.ts';
import { modernRules, type Wire } from '../sources/mcp-server/wire.ts';
import { createEraConnections } from './era-connections.ts';

type Door = 'skills' | 'nothing' | SkillwireError;

function connectionsTo(doors: Readonly<Record<Era, Door>>) {
  const connected: Era[] = [];
  const closed: Era[] = [];
  const connections = createEraConnections({
    eras: ['modern', 'legacy'],
    signal: new AbortController().signal,
    parallel: 4,
    async connect(era): Promise<Wire> {
      connected.push(era);
      const door = doors[era];
      if (door instanceof SkillwireError) throw door;
      return {
        era,
        protocolVersion: era,
        capabilities: door === 'skills' ? { resources: {}, extensions: { [skillsExtensionId]: {} } } : {},
        rules: modernRules,
        stateless: true,
        request: () => Promise.reject(new Error('not asked here')),
        onClose() {},
        close: async () => void closed.push(era),
      };
    },
  });
  return { meetings: connections, connected, closed };
}

const refused = new SkillwireError('BAD_ANSWER', 'not this revision');
const late = new SkillwireError('TIMED_OUT', 'no answer');

describe('createMeetings()', () => {
  test('connects in the other era only on demand, and closes all connections', async () => {
    const { meetings, connected, closed } = connectionsTo({ modern: 'skills', legacy: 'skills' });
    expect((await meetings.first()).era).toBe('modern');
    expect(connected).toEqual(['modern']);
    expect((await meetings.others()).map(({ era }) => era)).toEqual(['legacy']);
    await meetings.close();
    expect(closed).toEqual(['modern', 'legacy']);
  });

  test('starts with the era that declares skills', async () => {
    const { meetings } = connectionsTo({ modern: 'nothing', legacy: 'skills' });
    expect((await meetings.first()).era).toBe('legacy');
    expect((await meetings.others()).map(({ era }) => era)).toEqual(['modern']);
  });

  test('starts with the first supported era if none declares skills', async () => {
    const { meetings } = connectionsTo({ modern: 'nothing', legacy: 'nothing' });
    expect((await meetings.first()).era).toBe('modern');
  });

  test('distinguishes an unsupported era from a failed connection', async () => {
    const absent = connectionsTo({ modern: refused, legacy: 'skills' }).meetings;
    expect((await absent.first()).era).toBe('legacy');
    expect(absent.absent).toEqual([{ era: 'modern', state: 'absent', message: 'not this revision', skills: 0 }]);
    const failed = connectionsTo({ modern: 'skills', legacy: late }).meetings;
    await failed.first();
    expect(await failed.others()).toEqual([]);
    expect(failed.absent).toMatchObject([{ era: 'legacy', state: 'failed' }]);
  });

  test('fails with the most informative error if no era connects', async () => {
    const html = new SkillwireError('BAD_ANSWER', 'HTTP 404');
    await expect(connectionsTo({ modern: refused, legacy: late }).meetings.first()).rejects.toBe(late);
    await expect(connectionsTo({ modern: late, legacy: refused }).meetings.first()).rejects.toBe(late);
    await expect(connectionsTo({ modern: refused, legacy: html }).meetings.first()).rejects.toBe(html);
  });

  test('does not read an interruption as a missing era', async () => {
    const enough = new SkillwireError('INTERRUPTED', 'enough');
    await expect(connectionsTo({ modern: enough, legacy: 'skills' }).meetings.first()).rejects.toBe(enough);
  });
});

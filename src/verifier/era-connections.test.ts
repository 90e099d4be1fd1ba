import { describe, expect, test } from 'vitest';
import { skillsExtensionId } from '../dialects/skills-extension/capability.ts';
import { SkillwireError } from '../errors.ts';
import { modernRules, type Wire } from '../sources/mcp-server/wire.ts';
import { createEraConnections } from './era-connections.ts';
import type { Era } from './report.ts';

type Door = 'skills' | 'nothing' | SkillwireError;

function meetingsWith(doors: Readonly<Record<Era, Door>>) {
  const connected: Era[] = [];
  const closed: Era[] = [];
  const meetings = createEraConnections({
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
  return { meetings, connected, closed };
}

const refused = new SkillwireError('BAD_ANSWER', 'not this revision');
const late = new SkillwireError('TIMED_OUT', 'no answer');

describe('createMeetings()', () => {
  test('connects in the other era only when it is wanted, and closes what was opened', async () => {
    const { meetings, connected, closed } = meetingsWith({ modern: 'skills', legacy: 'skills' });
    expect((await meetings.first()).era).toBe('modern');
    expect(connected).toEqual(['modern']);
    expect((await meetings.others()).map(({ era }) => era)).toEqual(['legacy']);
    await meetings.close();
    expect(closed).toEqual(['modern', 'legacy']);
  });

  test('begins with the era that declares skills', async () => {
    const { meetings } = meetingsWith({ modern: 'nothing', legacy: 'skills' });
    expect((await meetings.first()).era).toBe('legacy');
    expect((await meetings.others()).map(({ era }) => era)).toEqual(['modern']);
  });

  test('begins with the first that is spoken where none declares any', async () => {
    const { meetings } = meetingsWith({ modern: 'nothing', legacy: 'nothing' });
    expect((await meetings.first()).era).toBe('modern');
  });

  test('tells an era that is not spoken from one that could not be met', async () => {
    const absent = meetingsWith({ modern: refused, legacy: 'skills' }).meetings;
    expect((await absent.first()).era).toBe('legacy');
    expect(absent.absent).toEqual([{ era: 'modern', state: 'absent', message: 'not this revision', skills: 0 }]);
    const failed = meetingsWith({ modern: 'skills', legacy: late }).meetings;
    await failed.first();
    expect(await failed.others()).toEqual([]);
    expect(failed.absent).toMatchObject([{ era: 'legacy', state: 'failed' }]);
  });

  test('fails with the error that says most where no era can be met', async () => {
    const html = new SkillwireError('BAD_ANSWER', 'HTTP 404');
    await expect(meetingsWith({ modern: refused, legacy: late }).meetings.first()).rejects.toBe(late);
    await expect(meetingsWith({ modern: late, legacy: refused }).meetings.first()).rejects.toBe(late);
    await expect(meetingsWith({ modern: refused, legacy: html }).meetings.first()).rejects.toBe(html);
  });

  test('does not take an interruption for an era that is absent', async () => {
    const enough = new SkillwireError('INTERRUPTED', 'enough');
    await expect(meetingsWith({ modern: enough, legacy: 'skills' }).meetings.first()).rejects.toBe(enough);
  });
});

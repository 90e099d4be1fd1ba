import { describe, expect, test } from 'vitest';
import { SkillwireError } from '../errors.ts';
import { legacyRules, modernRules, RpcError, type Wire } from '../sources/mcp-server/wire.ts';
import { checkErrors } from './check-errors.ts';
import { createFailureList } from './failures.ts';

async function check(answer: (method: string) => unknown, more: { era?: Wire['era']; listing?: boolean } = {}) {
  const requests: string[] = [];
  const { era = 'modern', listing = true } = more;
  const wire: Wire = {
    era,
    protocolVersion: '',
    capabilities: {},
    rules: era === 'modern' ? modernRules : legacyRules,
    stateless: true,
    async request(method, params) {
      requests.push(`${method} ${params['uri'] ?? params['cursor']}`);
      return answer(method);
    },
    onClose() {},
    close: async () => {},
  };
  const failures = createFailureList();
  const served = ['skill://a/SKILL.md', 'skill://a/x.md'];
  const options = {
    wire,
    deadlineMs: 1_000,
    signal: new AbortController().signal,
    directoryRead: true,
    listing,
    served,
  };
  const why = await checkErrors(options, failures);
  return { why, requests, failures: failures.list };
}

const refuse = (code: number) => (): never => {
  throw new RpcError(code, 'no');
};

describe('checkErrors()', () => {
  test('requests missing things, and accepts the codes of the specification', async () => {
    const { requests, failures, why } = await check(refuse(-32602));
    expect({ failures, why }).toEqual({ failures: [], why: undefined });
    expect(requests).toEqual([
      'skills/get skill://no-such-skill-of-any-server/SKILL.md',
      'skills/get skill://a',
      'skills/get skill://a/x.md',
      'resources/read skill://no-such-skill-of-any-server/SKILL.md',
      'skills/list not-a-cursor-of-any-server',
      'resources/directory/read skill://no-such-skill-of-any-server',
      'resources/directory/read skill://a/SKILL.md',
    ]);
  });

  test('accepts the older code for a resource only from older revisions', async () => {
    const read = (method: string): never => refuse(method === 'resources/read' ? -32002 : -32602)();
    expect((await check(read, { era: 'legacy' })).failures).toEqual([]);
    expect((await check(read)).failures).toEqual([
      {
        requirement: 'S-55',
        message: 'resources/read of an unknown file is answered with the error -32002 instead of the error -32602',
      },
    ]);
  });

  test('names the requirement of each wrong answer', async () => {
    const { failures } = await check(() => ({}));
    expect(failures.map(({ requirement }) => requirement)).toEqual([
      'S-43',
      'S-43',
      'S-43',
      'S-55',
      'base:cursor',
      'S-49',
      'S-49',
    ]);
    const html = await check(() => {
      throw new SkillwireError('BAD_ANSWER', 'HTML');
    });
    expect(html.failures[0]?.message).toContain('something else (HTML) instead of the error -32602');
  });

  test('does not call a silent method again, and reports it', async () => {
    const { requests, failures, why } = await check((method) => {
      if (method === 'skills/get') throw new SkillwireError('TIMED_OUT', 'no answer');
      return refuse(-32602)();
    });
    expect(failures).toEqual([]);
    expect(requests.filter((question) => question.startsWith('skills/get'))).toHaveLength(1);
    expect(why).toBe('skills/get of an unknown skill: no answer');
  });

  test('sends no cursor if there is no listing', async () => {
    expect((await check(refuse(-32602), { listing: false })).requests.join()).not.toContain('skills/list');
  });
});

import { describe, expect, test } from 'vitest';
import { SkillwireError } from '../errors.ts';
import { modernRules, RpcError, type Wire } from '../sources/mcp-server/wire.ts';
import { withoutSilentMethods } from './gate.ts';

const options = { deadlineMs: 1_000, maxBytes: 1_000 };

function scripted(answer: (method: string) => Promise<unknown>): { readonly wire: Wire; readonly requests: string[] } {
  const requests: string[] = [];
  const wire: Wire = {
    era: 'modern',
    protocolVersion: '2026-07-28',
    capabilities: {},
    rules: modernRules,
    stateless: true,
    request(method) {
      requests.push(method);
      return answer(method);
    },
    onClose() {},
    close: async () => {},
  };
  return { wire, requests };
}

const silence = (): Promise<never> => Promise.reject(new SkillwireError('TIMED_OUT', 'no answer'));

describe('withoutSilentMethods()', () => {
  test('stops calling a method after several calls in a row without an answer, and only that one', async () => {
    const { wire, requests } = scripted((method) => (method === 'skills/get' ? silence() : Promise.resolve('ok')));
    const impatient = withoutSilentMethods(wire, 3);
    for (let call = 0; call < 5; call++)
      await expect(impatient.request('skills/get', {}, options)).rejects.toThrow(
        call < 3
          ? 'no answer'
          : '"skills/get" was not called again: it did not answer 3 times in a row. Check the server.',
      );
    expect(requests).toHaveLength(3);
    expect(await impatient.request('skills/list', {}, options)).toBe('ok');
  });

  test('counts simultaneous unanswered calls once', async () => {
    const { wire, requests } = scripted(silence);
    const impatient = withoutSilentMethods(wire, 2);
    const round = () => Promise.allSettled(Array.from({ length: 10 }, () => impatient.request('m', {}, options)));
    await round();
    await round();
    expect(requests).toHaveLength(20);
    await round();
    expect(requests).toHaveLength(20);
  });

  test('continues after an answer, also an error of the server', async () => {
    let call = 0;
    const { wire } = scripted(() => (call++ % 2 === 0 ? silence() : Promise.reject(new RpcError(-32602, 'not there'))));
    const impatient = withoutSilentMethods(wire, 2);
    for (let index = 0; index < 10; index++)
      await expect(impatient.request('m', {}, options)).rejects.toThrow(/no answer|not there/);
    expect(call).toBe(10);
  });
});

/**
 * A wire that stops asking what is never answered. A server of ten thousand skills whose `skills/get` hangs would otherwise
 * cost ten thousand deadlines. Calls that go unanswered side by side count once, so that one bad moment is not the end: only
 * when calls that were begun after it go unanswered too, and again, further ones of this method fail at once.
 */
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';
import type { Wire } from '../sources/mcp-server/wire.ts';

export function withoutSilentMethods(wire: Wire, most: number = limits.verifier.silences): Wire {
  const silences = new Map<string, number>();
  return {
    ...wire,
    async request(method, params, options) {
      const before = silences.get(method) ?? 0;
      if (before >= most) throw notAsked(method, most);
      try {
        const result = await wire.request(method, params, options);
        silences.delete(method);
        return result;
      } catch (error) {
        if (!isSilence(error)) silences.delete(method);
        else if ((silences.get(method) ?? 0) === before) silences.set(method, before + 1);
        throw error;
      }
    },
  };
}

function isSilence(error: unknown): boolean {
  return error instanceof SkillwireError && (error.code === 'TIMED_OUT' || error.code === 'UNREACHABLE');
}

function notAsked(method: string, most: number): SkillwireError {
  return new SkillwireError(
    'UNREACHABLE',
    `${quoteText(method)} was not asked any more: it had no answer ${most} times in a row`,
    { data: { method } },
  );
}

/**
 * What one session of a revision before 2026-07-28 subscribed to. Clients may spell a URI in any equivalent way; they are
 * told of changes with the spelling that they used.
 */
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import type { MethodCall } from './cache-fields.ts';
import type { UriParams } from './method-params.ts';
import type { SkillMethods } from './skill-methods.ts';

export interface Subscriptions {
  /** Adds the spelling of a client for a canonical URI. */
  add(spelling: string, canonical: string): void;
  remove(spelling: string): void;
  has(spelling: string): boolean;
  clear(): void;
  /** Spellings under which one of these canonical URIs was subscribed to. */
  spellingsOf(canonical: readonly string[]): readonly string[];
}

export function createSubscriptions(maximum: number = limits.sessions.subscriptions): Subscriptions {
  const canonicalOf = new Map<string, string>();
  return {
    add(spelling, canonical) {
      if (!canonicalOf.has(spelling) && canonicalOf.size >= maximum)
        throw new SkillwireError(
          'LIMIT_EXCEEDED',
          `cannot subscribe to ${quoteText(spelling)}: the session has ${maximum} subscriptions, the limit; unsubscribe from some`,
          { data: { uri: spelling, limit: maximum } },
        );
      canonicalOf.set(spelling, canonical);
    },
    remove(spelling) {
      canonicalOf.delete(spelling);
    },
    has: (spelling) => canonicalOf.has(spelling),
    clear: () => canonicalOf.clear(),
    spellingsOf(canonical) {
      if (canonicalOf.size === 0) return [];
      const changed = new Set(canonical);
      return [...canonicalOf].filter(([, uri]) => changed.has(uri)).map(([spelling]) => spelling);
    },
  };
}

type Acknowledge = (params: UriParams, call: MethodCall) => Promise<Record<string, never>>;

/** `resources/subscribe` and `resources/unsubscribe` for files that are served. */
export function subscriptionMethods(
  methods: SkillMethods,
  subscriptions: Subscriptions,
): { readonly subscribe: Acknowledge; readonly unsubscribe: Acknowledge } {
  return {
    async subscribe({ uri }, call) {
      if (!subscriptions.has(uri)) subscriptions.add(uri, await methods.resolveFile(uri, call));
      return {};
    },
    async unsubscribe({ uri }) {
      subscriptions.remove(uri);
      return {};
    },
  };
}

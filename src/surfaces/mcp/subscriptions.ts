/**
 * The subscriptions of one session before revision 2026-07-28. Clients may spell a URI in any equivalent way and are notified with their own
 * spelling.
 */
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import type { MethodCall } from './cache-fields.ts';
import type { UriParams } from './method-params.ts';
import type { SkillMethods } from './skill-methods.ts';

export function createSubscriptions(maximum: number = limits.sessions.subscriptions) {
  const canonicalOf = new Map<string, string>();
  return {
    /** Adds a client's spelling of a canonical URI. */
    add(spelling: string, canonical: string): void {
      if (!canonicalOf.has(spelling) && canonicalOf.size >= maximum)
        throw new SkillwireError(
          'LIMIT_EXCEEDED',
          `Cannot subscribe to ${quoteText(spelling)}: the session has the maximum of ${maximum} subscriptions. Unsubscribe from some.`,
          { data: { uri: spelling, limit: maximum } },
        );
      canonicalOf.set(spelling, canonical);
    },
    remove(spelling: string): void {
      canonicalOf.delete(spelling);
    },
    has: (spelling: string): boolean => canonicalOf.has(spelling),
    clear: (): void => canonicalOf.clear(),
    /** The subscribed spellings of these canonical URIs. */
    spellingsOf(canonical: readonly string[]): readonly string[] {
      if (canonicalOf.size === 0) return [];
      const changed = new Set(canonical);
      return [...canonicalOf].filter(([, uri]) => changed.has(uri)).map(([spelling]) => spelling);
    },
  };
}

export type Subscriptions = ReturnType<typeof createSubscriptions>;

type Acknowledge = (params: UriParams, call: MethodCall) => Promise<Record<string, never>>;

/** `resources/subscribe` and `resources/unsubscribe` for served files. */
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

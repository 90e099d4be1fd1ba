/**
 * Skills that wait for an approver, as a source of their own, in the current version of their origin. It is never part of what is served.
 * `waitingSkills()` covers one origin, `waitingOfAll()` a changing set of origins.
 */
import { createListeners } from '../async/listeners.ts';
import { deriveSource, type SkillSource, type SourceChange, type SourceSkill } from '../sources/skill-source.ts';

/** @param origin the source of the bytes */
export function waitingSkills(origin: SkillSource) {
  const listeners = createListeners<SourceChange>();
  let waiting: ReadonlyMap<string, SourceSkill> = new Map();
  return {
    source: deriveSource(origin, {
      search: 'drop',
      name: 'pass',
      async *list() {
        yield { skills: [...waiting.values()], findings: [] };
      },
      async get(uri, context) {
        return waiting.has(uri) ? origin.get(uri, context) : undefined;
      },
      open: 'pass',
      readDirectory: 'drop',
      templates: 'drop',
      readResource: 'drop',
      status: 'drop',
      isCurrent: 'pass',
      freshUntil: 'drop',
      watched: { get: () => true },
      watch(listener) {
        return listeners.add(listener);
      },
      // The origin belongs to the caller.
      close: 'drop',
    }),
    /** Sets all waiting skills. */
    replace(skills: readonly SourceSkill[]): void {
      const before = waiting;
      waiting = new Map(skills.map((skill) => [skill.entry.uri, skill]));
      const upserted = skills.filter((skill) => before.get(skill.entry.uri) !== skill);
      const removed = [...before.keys()].filter((uri) => !waiting.has(uri));
      if (upserted.length + removed.length === 0) return;
      listeners.call({ upserted, removed, findings: [] });
    },
  };
}

export function waitingOfAll() {
  const members = new Map<SkillSource, () => void>();
  const listeners = createListeners<SourceChange>();

  async function first<T>(ask: (member: SkillSource) => Promise<T | undefined>): Promise<T | undefined> {
    for (const member of members.keys()) {
      const found = await ask(member);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  return {
    source: {
      name: 'waiting for approval',
      watched: true,
      async *list(context) {
        for (const member of [...members.keys()]) yield* member.list(context);
      },
      get: (uri, context) => first((member) => member.get(uri, context)),
      open: (uri, context) => first((member) => member.open(uri, context)),
      watch(listener) {
        return listeners.add(listener);
      },
    } satisfies SkillSource,
    /** Returns a function that removes the source. */
    add(source: SkillSource): () => void {
      const uris = new Set<string>();
      const stop = source.watch?.((change) => {
        for (const uri of change.removed) uris.delete(uri);
        for (const { entry } of change.upserted) uris.add(entry.uri);
        listeners.call(change);
      });
      members.set(source, stop ?? (() => undefined));
      return () => {
        members.get(source)?.();
        members.delete(source);
        if (uris.size > 0) listeners.call({ upserted: [], removed: [...uris], findings: [] });
      };
    },
  };
}

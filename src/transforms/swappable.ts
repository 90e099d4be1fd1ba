/**
 * A source that can be replaced by another one while it is used. Whoever watches hears of the changes of the one that is in place; that
 * another one is, they learn by listing again (`catalog.refresh()`), so that no moment shows a part of both.
 */
import { deriveSource, type SkillSource, type SourceChange } from '../sources/skill-source.ts';

export interface Swappable extends SkillSource {
  /** Puts another source in place. The one before is not closed. */
  swap(next: SkillSource): void;
}

export function swappable(first: SkillSource): Swappable {
  const listeners = new Set<(change: SourceChange) => void>();
  let current = first;
  let stop: (() => void) | undefined;

  function follow(): void {
    stop?.();
    const followed = current;
    stop =
      listeners.size === 0
        ? undefined
        : followed.watch?.((change) => {
            if (current === followed) for (const listener of [...listeners]) listener(change);
          });
  }

  const source = deriveSource(() => current, {
    name: 'pass',
    list: 'pass',
    get: 'pass',
    open: 'pass',
    readDirectory: 'drop',
    templates: 'pass',
    readResource: 'drop',
    status: 'drop',
    isCurrent: 'pass',
    // A catalog looks once whether there is one.
    freshUntil: (uri) => current.freshUntil?.(uri),
    watched: { get: () => current.watched ?? current.watch !== undefined },
    watch(listener) {
      listeners.add(listener);
      if (listeners.size === 1) follow();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) follow();
      };
    },
    async close() {
      stop?.();
      await current.close?.();
    },
  });
  return Object.assign(source, {
    swap(next: SkillSource) {
      current = next;
      follow();
    },
  });
}

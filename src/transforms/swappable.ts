/**
 * A source that can be replaced by another one while it is used. Whoever watches hears of the changes of the one that is in place; that
 * another one is, they learn by listing again (`catalog.refresh()`), so that no moment shows a part of both.
 */
import type { SkillSource, SourceChange } from '../sources/skill-source.ts';

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

  return {
    get name() {
      return current.name;
    },
    get watched() {
      return current.watched ?? current.watch !== undefined;
    },
    list: (context) => current.list(context),
    get: (uri, context) => current.get(uri, context),
    open: (uri, context) => current.open(uri, context),
    /** What the one in place cannot do, this cannot do. */
    get templates() {
      const { templates } = current;
      return templates?.bind(current) as NonNullable<SkillSource['templates']>;
    },
    isCurrent: (uri, digest) => current.isCurrent === undefined || current.isCurrent(uri, digest),
    freshUntil: (uri) => current.freshUntil?.(uri),
    watch(listener) {
      listeners.add(listener);
      if (listeners.size === 1) follow();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) follow();
      };
    },
    swap(next) {
      current = next;
      follow();
    },
    async close() {
      stop?.();
      await current.close?.();
    },
  };
}

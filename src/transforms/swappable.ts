/**
 * A source that can be replaced while it is in use. Listeners get the changes of the current one. The swap itself is not reported: they
 * list again (`catalog.refresh()`), so no reader ever sees a mix of both.
 */
import { createListeners } from '../async/listeners.ts';
import { deriveSource, type SkillSource, type SourceChange } from '../sources/skill-source.ts';

export interface Swappable extends SkillSource {
  /** Replaces the source. The previous one is not closed. */
  swap(next: SkillSource): void;
}

export function swappable(first: SkillSource): Swappable {
  const listeners = createListeners<SourceChange>();
  let current = first;
  let stop: (() => void) | undefined;

  function follow(): void {
    stop?.();
    const followed = current;
    stop = undefined;
    if (listeners.size === 0) return;
    stop = followed.watch?.((change) => {
      if (current === followed) listeners.call(change);
    });
  }

  const source = deriveSource(() => current, {
    search: 'drop',
    name: 'pass',
    list: 'pass',
    get: 'pass',
    open: 'pass',
    readDirectory: 'drop',
    templates: 'pass',
    readResource: 'drop',
    status: 'drop',
    isCurrent: 'pass',
    // Always present: a catalog checks for it only once.
    freshUntil: (uri) => current.freshUntil?.(uri),
    watched: { get: () => current.watched ?? current.watch !== undefined },
    watch(listener) {
      const remove = listeners.add(listener, follow);
      if (listeners.size === 1) follow();
      return remove;
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

/**
 * A list that renders only the lines near the window, so 100,000 lines scroll like ten. All lines have the same height, and so do all group headings.
 */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface GroupHead {
  /** The line below the heading. */
  readonly at: number;
  readonly title: ComponentChildren;
}

interface ListProps {
  readonly count: number;
  readonly label: string;
  /** Kept in view. */
  readonly active: number;
  readonly heads: readonly GroupHead[];
  keyOf(index: number): string;
  row(index: number): ComponentChildren;
  /** Called with the lines near the window. */
  onRange(start: number, end: number): void;
}

/** Lines above and below the window that are ready to be scrolled to. */
const spare = 8;

interface Heights {
  readonly line: number;
  readonly head: number;
}

function heights(): Heights {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string, usual: number): number => Number.parseFloat(style.getPropertyValue(name)) || usual;
  return { line: of('--row-height', 100), head: of('--head-height', 44) };
}

export function VirtualList({ count, label, active, heads, keyOf, row, onRange }: ListProps): JSX.Element {
  const list = useRef<HTMLUListElement>(null);
  const [own, setOwn] = useState(heights);
  const [range, setRange] = useState<readonly [number, number]>([0, 30]);
  const headsUntil = (index: number): number => {
    let [low, high] = [0, heads.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((heads[middle]?.at ?? 0) <= index) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const topOf = (index: number): number => index * own.line + headsUntil(index) * own.head;

  useLayoutEffect(() => {
    const measure = (): void => {
      const now = heights();
      const above = list.current === null ? 0 : -list.current.getBoundingClientRect().top;
      // Headings take up space as well, so a line is at most this far up.
      const first = Math.max(0, Math.floor((above - heads.length * now.head) / now.line) - spare);
      let start = Math.max(0, Math.min(count - 1, first));
      while (start < count && start * now.line + headsUntil(start) * now.head < above - spare * now.line) start++;
      const end = Math.min(count, start + Math.ceil(innerHeight / now.line) + 2 * spare);
      setOwn((before) => (before.line === now.line && before.head === now.head ? before : now));
      setRange((before) => (before[0] === start && before[1] === end ? before : [start, Math.max(start, end)]));
    };
    measure();
    addEventListener('scroll', measure, { passive: true });
    addEventListener('resize', measure);
    return () => {
      removeEventListener('scroll', measure);
      removeEventListener('resize', measure);
    };
  }, [count, heads]);

  useEffect(() => {
    onRange(range[0], Math.min(range[1], count));
  });

  useEffect(() => {
    if (active < 0 || list.current === null) return;
    const top = list.current.getBoundingClientRect().top + topOf(active);
    if (top < 140) scrollBy(0, top - 140);
    else if (top + own.line > innerHeight) scrollBy(0, top + own.line - innerHeight + 12);
  }, [active, own.line]);

  const rows: JSX.Element[] = [];
  for (let index = range[0]; index < Math.min(range[1], count); index++) {
    const head = heads[headsUntil(index) - 1];
    if (head?.at === index)
      rows.push(
        <li
          key={`head ${index}`}
          class="slot group"
          style={{ transform: `translateY(${topOf(index) - own.head}px)`, height: `${own.head}px` }}
        >
          {head.title}
        </li>,
      );
    rows.push(
      <li
        key={keyOf(index)}
        aria-setsize={count}
        aria-posinset={index + 1}
        class="slot"
        style={{ transform: `translateY(${topOf(index)}px)`, height: `${own.line}px` }}
      >
        {row(index)}
      </li>,
    );
  }
  return (
    <ul
      aria-label={label}
      class="virtual"
      ref={list}
      style={{ height: `${count * own.line + heads.length * own.head}px` }}
    >
      {rows}
    </ul>
  );
}

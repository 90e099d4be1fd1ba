/** A list of which only what is near the window is in the document: ten thousand rows scroll as ten do. All rows have one height. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

interface ListProps {
  readonly count: number;
  readonly label: string;
  /** Kept in view. */
  readonly active: number;
  keyOf(index: number): string;
  row(index: number): ComponentChildren;
}

/** Rows above and below the window that are ready to be scrolled to. */
const spare = 8;

function rowHeight(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--row-height')) || 84;
}

export function VirtualList({ count, label, active, keyOf, row }: ListProps): JSX.Element {
  const list = useRef<HTMLUListElement>(null);
  const [height, setHeight] = useState(rowHeight);
  const [range, setRange] = useState<readonly [number, number]>([0, 30]);

  useLayoutEffect(() => {
    const measure = (): void => {
      const own = rowHeight();
      const above = list.current === null ? 0 : -list.current.getBoundingClientRect().top;
      const start = Math.max(0, Math.floor(above / own) - spare);
      const end = Math.min(count, Math.ceil((above + innerHeight) / own) + spare);
      setHeight(own);
      setRange((now) => (now[0] === start && now[1] === end ? now : [start, Math.max(start, end)]));
    };
    measure();
    addEventListener('scroll', measure, { passive: true });
    addEventListener('resize', measure);
    return () => {
      removeEventListener('scroll', measure);
      removeEventListener('resize', measure);
    };
  }, [count]);

  useEffect(() => {
    if (active < 0 || list.current === null) return;
    const top = list.current.getBoundingClientRect().top + active * height;
    if (top < 140) scrollBy(0, top - 140);
    else if (top + height > innerHeight) scrollBy(0, top + height - innerHeight + 12);
  }, [active, height]);

  const rows: JSX.Element[] = [];
  for (let index = range[0]; index < Math.min(range[1], count); index++)
    rows.push(
      <li
        key={keyOf(index)}
        aria-setsize={count}
        aria-posinset={index + 1}
        class="slot"
        style={{ transform: `translateY(${index * height}px)`, height: `${height}px` }}
      >
        {row(index)}
      </li>,
    );
  return (
    <ul aria-label={label} class="virtual" ref={list} style={{ height: `${count * height}px` }}>
      {rows}
    </ul>
  );
}

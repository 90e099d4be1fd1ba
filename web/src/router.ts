/** The place of the reader: the part of the address behind `#`, which the server never sees. */
import { useEffect, useState } from 'preact/hooks';

export interface Place {
  readonly view: string;
  /** Decoded; empty if there is none. */
  readonly item: string;
  readonly query: URLSearchParams;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A person may have typed it: invalid escapes are taken literally.
    return text;
  }
}

export function placeIn(hash: string): Place {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [view = '', item = ''] = path.split('/', 2);
  return { view, item: decoded(item), query: new URLSearchParams(search) };
}

/** True from a change of the place until a heading takes the focus. */
let hasMoved = false;

/** True once after each change of the place, for the heading that takes the focus. */
export function takeMove(): boolean {
  const moved = hasMoved;
  hasMoved = false;
  return moved;
}

export function usePlace(): Place {
  const [place, setPlace] = useState(() => placeIn(location.hash));
  useEffect(() => {
    const onChange = (): void =>
      setPlace((before) => {
        const now = placeIn(location.hash);
        // Another tab of the same skill leaves the focus on the tab.
        if (now.view !== before.view || now.item !== before.item) hasMoved = true;
        return now;
      });
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  return place;
}

export function skillHref(uri: string, more: Readonly<Record<string, string>> = {}): string {
  return placeHref('skill', uri, more);
}

export function placeHref(view: string, item: string, more: Readonly<Record<string, string>> = {}): string {
  const search = new URLSearchParams(more).toString();
  return `#/${view}/${encodeURIComponent(item)}${search === '' ? '' : `?${search}`}`;
}

/** Replaces the query of the place without a step in the history. */
export function replaceQuery(query: URLSearchParams): void {
  const [path = '#/'] = location.hash.split('?', 1);
  const search = query.toString();
  history.replaceState(null, '', `${path === '' ? '#/' : path}${search === '' ? '' : `?${search}`}`);
}

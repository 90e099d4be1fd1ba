/** Where the reader is: the part of the address behind `#`, so that the server needs to know nothing of it. */
import { useEffect, useState } from 'preact/hooks';

export interface Place {
  readonly view: string;
  /** Decoded; empty where there is none. */
  readonly item: string;
  readonly query: URLSearchParams;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Somebody typed it; then it is what it is.
    return text;
  }
}

export function placeIn(hash: string): Place {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [view = '', item = ''] = path.split('/', 2);
  return { view, item: decoded(item), query: new URLSearchParams(search) };
}

export function usePlace(): Place {
  const [place, setPlace] = useState(() => placeIn(location.hash));
  useEffect(() => {
    const onChange = (): void => setPlace(placeIn(location.hash));
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  return place;
}

export function skillHref(uri: string, more: Readonly<Record<string, string>> = {}): string {
  const search = new URLSearchParams(more).toString();
  return `#/skill/${encodeURIComponent(uri)}${search === '' ? '' : `?${search}`}`;
}

/** Replaces the query of the place without a step in the history. */
export function replaceQuery(query: URLSearchParams): void {
  const [path = '#/'] = location.hash.split('?', 1);
  const search = query.toString();
  history.replaceState(null, '', `${path === '' ? '#/' : path}${search === '' ? '' : `?${search}`}`);
}

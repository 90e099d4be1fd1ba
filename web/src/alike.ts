/** Hits that stand for others: copies and near twins of a skill are one line, which can be opened. */
import type { ListItem } from './filter-rows.ts';

/** What `GET /api/search` answers, as far as it is used here. */
export interface SearchAnswer {
  readonly hits: readonly {
    readonly uri: string;
    readonly copies: readonly string[];
    readonly twins: readonly string[];
  }[];
}

/** The line below a skill that stands for others. */
export interface AlikeItem {
  readonly kind: 'alike';
  readonly uri: string;
  readonly count: number;
  readonly isOpen: boolean;
}

/** @param open URIs of the skills whose others are shown */
export function withAlike(
  items: readonly ListItem[],
  hits: SearchAnswer['hits'],
  open: ReadonlySet<string>,
): readonly (ListItem | AlikeItem)[] {
  const rows = new Map(items.flatMap((item) => (item.kind === 'skill' ? [[item.row.uri, item] as const] : [])));
  const others = new Map<string, readonly ListItem[]>();
  const grouped = new Set<string>();
  for (const { uri, copies, twins } of hits) {
    const [head, ...rest] = [uri, ...copies, ...twins].filter((one) => rows.has(one) && !grouped.has(one));
    if (head === undefined || rest.length === 0) continue;
    for (const one of rest) grouped.add(one);
    others.set(
      head,
      rest.flatMap((one) => rows.get(one) ?? []),
    );
  }
  if (others.size === 0) return items;
  return items.flatMap((item): readonly (ListItem | AlikeItem)[] => {
    if (item.kind !== 'skill') return [item];
    const { uri } = item.row;
    if (grouped.has(uri)) return [];
    const rest = others.get(uri);
    if (rest === undefined) return [item];
    const isOpen = open.has(uri);
    return [item, { kind: 'alike', uri, count: rest.length, isOpen }, ...(isOpen ? rest : [])];
  });
}

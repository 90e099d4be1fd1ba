/** Patterns of policies. `*` stands for any characters but `/`, `**` for any at all; everything else stands for itself. */

/**
 * Takes time in proportion to both lengths, whatever the pattern: all places that the pattern can have reached are followed at
 * once, none is tried again.
 */
export function globMatches(pattern: string, text: string): boolean {
  const tokens = pattern.match(/\*\*+|[^*]|\*/gu) ?? [];
  let places = new Set([0]);
  for (const character of text) {
    const next = new Set<number>();
    for (const place of afterStars(tokens, places)) {
      const token = tokens[place] ?? '';
      if (token.startsWith('**') || (token === '*' && character !== '/')) next.add(place);
      else if (token === character && token !== '*') next.add(place + 1);
    }
    if (next.size === 0) return false;
    places = next;
  }
  return afterStars(tokens, places).has(tokens.length);
}

/** Stars may stand for nothing, so the places behind them are reached too. */
function afterStars(tokens: readonly string[], places: ReadonlySet<number>): Set<number> {
  const reached = new Set(places);
  for (const place of reached) if (tokens[place]?.startsWith('*') === true) reached.add(place + 1);
  return reached;
}

/** How wide a text is on a terminal. */

/** Characters that most terminals show in two cells: East Asian wide and fullwidth characters, and pictographs. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const zero = /^[\p{Mn}\p{Me}\u200c\u200d]$/u;
const ascii = /^[\x20-\x7e]*$/;

/** The number of terminal cells of a text without control characters. */
export function shownWidth(text: string): number {
  if (ascii.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += cellsOf(character);
  return width;
}

/** The text, cut with `...` if it is too wide. */
export function cutToWidth(text: string, width: number): string {
  if (shownWidth(text) <= width) return text;
  const room = Math.max(width - 3, 0);
  let start = '';
  let cells = 0;
  for (const character of text) {
    cells += cellsOf(character);
    if (cells > room) break;
    start += character;
  }
  return `${start.trimEnd()}${'...'.slice(0, Math.max(width, 0))}`;
}

function cellsOf(character: string): number {
  if (zero.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

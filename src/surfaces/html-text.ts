/** Text of others inside HTML: never markup, and with control, invisible and bidi characters made visible. */
import { displayText } from '../skill/display-text.ts';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return displayText(text).replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

/** Text from outside, isolated in direction. */
export function foreign(text: string): string {
  return `<bdi>${escapeHtml(text)}</bdi>`;
}

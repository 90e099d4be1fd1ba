/** Untrusted text in HTML: never markup, and control, invisible and bidi characters are made visible. */
import { displayText } from '../skill/display-text.ts';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Only markup: for text whose hidden characters are shown elsewhere. */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

export function escapeHtml(text: string): string {
  return escapeMarkup(displayText(text));
}

/** Untrusted text, isolated in direction. */
export function foreign(text: string): string {
  return `<bdi>${escapeHtml(text)}</bdi>`;
}

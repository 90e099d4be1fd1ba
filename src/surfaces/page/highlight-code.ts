/**
 * Colors code for the page. The library marks the code. Its answer is read as marks and text, and written again with the classes of this
 * file. Nothing else of it reaches a browser.
 */
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { limits } from '../../limits.ts';

const languages = { bash, css, diff, javascript, json, python, sql, typescript, xml, yaml };
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

/** Names of the library by the class that the page has for them. Other marks are shown as text. */
const classes: Readonly<Record<string, string>> = {
  keyword: 'keyword',
  built_in: 'keyword',
  literal: 'keyword',
  type: 'keyword',
  'selector-tag': 'keyword',
  tag: 'tag',
  name: 'tag',
  string: 'string',
  regexp: 'string',
  addition: 'string',
  number: 'value',
  attr: 'value',
  attribute: 'value',
  variable: 'value',
  property: 'value',
  symbol: 'value',
  title: 'name',
  section: 'name',
  comment: 'comment',
  quote: 'comment',
  meta: 'comment',
  deletion: 'comment',
};

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#x27;': "'",
};

/**
 * The code as HTML, or `undefined` if the language is unknown or the code is too long.
 * @param write writes text as HTML
 */
export function highlightCode(code: string, language: string, write: (text: string) => string): string | undefined {
  if (hljs.getLanguage(language) === undefined || code.length > limits.page.coloredCharacters) return undefined;
  const marked = hljs.highlight(code, { language, ignoreIllegals: true }).value;
  return marked.replace(/<span class="(?:hljs-)?([\w-]*)[^"]*">|<\/span>|[^<]+/g, (piece, name: string | undefined) => {
    if (piece === '</span>') return piece;
    if (name === undefined)
      return write(piece.replace(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => entities[entity] ?? entity));
    const known = Object.hasOwn(classes, name) ? classes[name] : undefined;
    return known === undefined ? '<span>' : `<span class="hl-${known}">`;
  });
}

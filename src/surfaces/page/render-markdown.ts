/**
 * Renders Markdown of a skill to inert HTML (sec:V-1 to sec:V-4). Raw HTML is text. Only http, https, mailto, files of the catalog and anchors
 * stay links; others are shown as written. Images come from the skill or are not loaded. Invisible characters are shown by their code.
 * Finally every element and attribute is checked against a list, so future features of the library cannot get through.
 *
 * Pure, without a time limit: callers limit the length and run it in a thread that they can terminate.
 */

import MarkdownIt from 'markdown-it';
import { splitHidden } from '../../skill/hidden-characters.ts';
import { tryParseSkillUri } from '../../skill/skill-uri.ts';
import { escapeMarkup } from '../html-text.ts';
import { highlightCode } from './highlight-code.ts';

type Token = ReturnType<typeof markdown.parse>[number];

const tags: ReadonlySet<string> = new Set(
  'p br hr h1 h2 h3 h4 h5 h6 em strong s code pre blockquote ul ol li table thead tbody tr th td a img'.split(' '),
);
const attributes: Readonly<Record<string, RegExp>> = {
  href: /^(?:https?:|mailto:|#\/)/,
  title: /^/,
  start: /^\d{1,9}$/,
  align: /^(?:left|center|right)$/,
  id: /^user-content-[\p{L}\p{N}_-]{1,100}$/u,
};

/** Text with invisible characters in boxes. */
function shown(text: string): string {
  return splitHidden(text)
    .map((piece) => (piece.hidden ? `<span class="odd">${piece.text}</span>` : escapeMarkup(piece.text)))
    .join('');
}

/** The target of a link: outside, a file of the catalog, or an anchor in this text. */
type Target =
  | { readonly kind: 'outside'; readonly href: string }
  | { readonly kind: 'file'; readonly uri: string; readonly place: string }
  | { readonly kind: 'place'; readonly place: string };

function targetOf(written: string, base: string): Target | undefined {
  const href = written.trim();
  if (href.startsWith('#')) return { kind: 'place', place: href.slice(1) };
  if (/^(?:https?:\/\/|mailto:)/i.test(href)) return URL.canParse(href) ? { kind: 'outside', href } : undefined;
  const [path = '', place = ''] = href.split('#', 2);
  if (/^skill:\/\//i.test(path)) return fileTarget(path, place);
  if (/^[a-z][a-z0-9+.-]*:/i.test(path) || /[\\?]|^\//.test(path)) return undefined;
  const segments = base.slice('skill://'.length).split('/').slice(0, -1);
  for (const segment of path.split('/')) {
    if (segment === '.' || segment === '') continue;
    if (segment === '..') {
      if (segments.pop() === undefined) return undefined;
    } else segments.push(segment);
  }
  return fileTarget(`skill://${segments.join('/')}`, place);
}

function fileTarget(path: string, place: string): Target | undefined {
  const parsed = tryParseSkillUri(path);
  return parsed === undefined || parsed.path === '' ? undefined : { kind: 'file', uri: parsed.uri, place };
}

/** The address within the page, for its router. */
function pageHref(target: Exclude<Target, { kind: 'outside' }>, base: string): string {
  const uri = target.kind === 'file' ? target.uri : base;
  const at = target.place === '' ? '' : `?at=${encodeURIComponent(slugOf(decoded(target.place)))}`;
  return `#/skill/${encodeURIComponent(uri)}${at}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .trim()
    .replaceAll(' ', '-')
    .slice(0, 80);
}

const baseIn = (env: Readonly<Record<string, unknown>> | undefined): string => String(env?.base ?? '');

/** The value of an attribute, as written. */
function attributeOf(token: Token | undefined, name: string): string {
  return String(token?.attrGet(name) ?? '');
}

const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false });
markdown.validateLink = (url) => !/^[^/?#]*:/.test(url) || /^\s*(?:https?|mailto|skill):/i.test(url);
markdown.normalizeLink = (url) => url;

const { rules } = markdown.renderer;
rules.text = (tokens, index) => shown(tokens[index]?.content ?? '');
rules.code_inline = (tokens, index) => `<code>${shown(tokens[index]?.content ?? '')}</code>`;
rules.code_block = (tokens, index) => `<pre><code>${shown(tokens[index]?.content ?? '')}</code></pre>\n`;
rules.fence = (tokens, index) => {
  const { content = '', info = '' } = tokens[index] ?? {};
  const language = /^\s*([\w-]{1,32})(?:\s|$)/.exec(info)?.[1];
  const mark = language === undefined ? '' : ` class="language-${language}"`;
  const colored = language === undefined ? undefined : highlightCode(content, language.toLowerCase(), shown);
  return `<pre tabindex="0"><code${mark}>${colored ?? shown(content)}</code></pre>\n`;
};
rules.task_box = (tokens, index) =>
  tokens[index]?.meta?.done === true
    ? '<span class="box done" title="done">✓</span>'
    : '<span class="box" title="to do"></span>';
rules.table_open = () => '<div class="table-scroll" tabindex="0"><table>\n';
rules.table_close = () => '</table></div>\n';
rules.link_open = (tokens, index, _options, env) => {
  const token = tokens[index];
  const target = targetOf(attributeOf(token, 'href'), baseIn(env));
  if (target === undefined) return '<span class="no-link">';
  const title = attributeOf(token, 'title');
  const named = title === '' ? '' : ` title="${escapeMarkup(plainTitle(title))}"`;
  if (target.kind !== 'outside') return `<a href="${escapeMarkup(pageHref(target, baseIn(env)))}"${named}>`;
  return `<a class="outside" href="${escapeMarkup(target.href)}" rel="noopener noreferrer nofollow" target="_blank"${named}>`;
};
rules.link_close = (tokens, index, _options, env) => {
  const open = openingOf(tokens, index);
  return targetOf(attributeOf(open, 'href'), baseIn(env)) === undefined ? '</span>' : '</a>';
};
rules.image = (tokens, index, options, env, self) => {
  const token = tokens[index];
  const written = attributeOf(token, 'src');
  const alt = self.renderInlineAsText(token?.children ?? [], options, env);
  const target = targetOf(written, baseIn(env));
  if (target?.kind === 'file')
    return `<img src="api/image?uri=${escapeMarkup(encodeURIComponent(target.uri))}" alt="${escapeMarkup(plainTitle(alt))}" loading="lazy">`;
  return `<span class="no-image">image not loaded: ${shown(alt)} <code>${shown(written)}</code></span>`;
};

function plainTitle(text: string): string {
  return splitHidden(text)
    .map((piece) => piece.text)
    .join('');
}

function openingOf(tokens: readonly Token[], closing: number): Token | undefined {
  let depth = 0;
  for (let index = closing; index >= 0; index--) {
    if (tokens[index]?.type === 'link_close') depth++;
    if (tokens[index]?.type === 'link_open' && --depth === 0) return tokens[index];
  }
  return undefined;
}

const taskMark = /^\[([ xX])\]\s+/;

/** Replaces the mark of a task at the beginning of a list item by a box. @returns whether there was one */
function takeTask(item: readonly Token[]): boolean {
  const [, paragraph, inline] = item;
  const first = paragraph?.type === 'paragraph_open' ? inline?.children?.[0] : undefined;
  const mark = first?.type === 'text' ? taskMark.exec(first.content) : null;
  if (inline?.children == null || first === undefined || mark === null) return false;
  first.content = first.content.slice(mark[0].length);
  const { Token: Mark } = new markdown.core.State('', markdown, {});
  const token = new Mark('task_box', '', 0);
  token.meta = { done: mark[1] !== ' ' };
  inline.children.unshift(token);
  return true;
}

/** Adds ids to headings, makes boxes of tasks, and removes attributes that are not in the lists. */
function prepare(tokens: readonly Token[], used: Map<string, number>): void {
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const slug = slugOf(tokens[index + 1]?.content ?? '');
      const times = used.get(slug) ?? 0;
      used.set(slug, times + 1);
      if (slug !== '') token.attrSet('id', `user-content-${slug}${times === 0 ? '' : `-${times}`}`);
    }
    if (token.tag !== '' && !tags.has(token.tag)) throw new TypeError(`unexpected element "${token.tag}"`);
    const { style } = Object.fromEntries(token.attrs ?? []);
    const align = /^text-align:(left|center|right)$/.exec(String(style ?? ''))?.[1];
    // Links and images write their own attributes.
    if (token.type !== 'link_open' && token.type !== 'image')
      token.attrs = (token.attrs ?? []).filter(([name, value]) => attributes[name]?.test(String(value)) === true);
    if (align !== undefined) token.attrSet('align', align);
    if (token.type === 'list_item_open' && takeTask(tokens.slice(index, index + 3))) token.attrSet('class', 'task');
    if (token.children !== null) prepare(token.children, used);
  }
}

/** @param base URI of the file, canonical */
export function renderMarkdown(text: string, base: string): string {
  const env = { base };
  const tokens = markdown.parse(text, env);
  prepare(tokens, new Map());
  return markdown.renderer.render(tokens, markdown.options, env);
}

/**
 * Lists what a skill asks for or contains (sec:C-9, sec:U-1 to sec:U-4). When in doubt, it lists more:
 *
 * - scripts, and fields that execute something
 * - commands that some clients run before the model sees the text
 * - tools, network hosts, nested skills, hidden characters
 *
 * A request grants nothing. An empty result does not prove that a skill is harmless: the text itself can ask for
 * anything.
 */
import { limits } from '../../limits.ts';
import { isDeepFrozen } from '../../skill/deep-freeze.ts';
import { displayText } from '../../skill/display-text.ts';
import type { JsonValue, SkillEntry } from '../../skill/entry.ts';
import { describeHidden, type HiddenKind, hiddenCharacters } from '../../skill/hidden-characters.ts';
import { fieldPath } from '../../skill/json.ts';
import { nestedOf } from '../../skill/nested-skills.ts';
import { pathBelow } from '../../skill/resource-uri.ts';
import {
  executionFieldsOf,
  foldKey,
  isExecutable,
  isScript,
  type SkillRequests,
  shellLines,
  visitFields,
} from '../../skill/runs-code.ts';

/** Known texts of files by URI. */
export type KnownTexts = ReadonlyMap<string, string>;

const noTexts: KnownTexts = new Map();

export function requestsOf(entry: SkillEntry, texts: KnownTexts = noTexts): SkillRequests {
  const paths = filePaths(entry, texts);
  return {
    scripts: bounded(
      [...paths]
        .filter(([uri, path]) => isScript(path, texts.get(uri)) || isExecutable(entry, uri))
        .map(([, path]) => path),
    ),
    executionFields: bounded(executionFieldsOf(entry)),
    shellInText: [...texts]
      .flatMap(([uri, text]) => shellLines(paths.get(uri) ?? uri, text))
      .slice(0, limits.host.shellLines),
    allowedTools: bounded(allowedToolsOf(entry)),
    hosts: bounded([...hostsOf(entry, texts)].sort()),
    nested: bounded(nestedOf(entry)),
    hidden: bounded(hiddenIn(entry, texts).map(({ where, kind, count }) => `${where}: ${describeHidden(kind, count)}`)),
  };
}

/** True for deliberately hidden text: tag characters, bidirectional controls, stray variation selectors. */
export function hidesText(entry: SkillEntry, texts: KnownTexts = noTexts): boolean {
  for (const text of texts.values()) if (hiddenCharacters(withoutMark(text)).some(isOnPurpose)) return true;
  const known = hiding.get(entry);
  if (known !== undefined) return known;
  const hides = hiddenIn(entry, noTexts).some(isOnPurpose);
  if (isDeepFrozen(entry)) hiding.set(entry, hides);
  return hides;
}

/** Cached result for entries that cannot change. */
const hiding = new WeakMap<SkillEntry, boolean>();

function isOnPurpose({ kind }: { readonly kind: HiddenKind }): boolean {
  return kind === 'tag' || kind === 'bidi' || kind === 'variation-selector';
}

function withoutMark(text: string): string {
  return text.replace(/^\ufeff/, '');
}

/** Files of the entry, and files with known text. */
function filePaths({ uri: skill, resources }: SkillEntry, texts: KnownTexts): ReadonlyMap<string, string> {
  const uris = resources === 'dynamic' ? [] : resources.map(({ uri }) => uri);
  return new Map([...uris, ...texts.keys()].map((uri) => [uri, pathBelow(skill, uri)]));
}

/**
 * `allowed-tools` as a list, or as one text separated by blanks or commas; separators inside brackets belong to a tool.
 */
export function allowedToolsOf({ frontmatter }: SkillEntry): readonly string[] {
  const tools = new Set<string>();
  for (const [key, value] of Object.entries(frontmatter)) {
    if (foldKey(key) !== 'allowedtools' || value === null) continue;
    for (const item of Array.isArray(value) ? value : [value]) for (const tool of toolsIn(item)) tools.add(tool);
  }
  return [...tools];
}

/** A mapping such as `Bash: git` names a tool by its key. */
function toolsIn(item: JsonValue): readonly string[] {
  if (typeof item === 'string') return splitTools(item);
  return typeof item === 'object' && item !== null ? Object.keys(item) : [String(item)];
}

function splitTools(text: string): readonly string[] {
  const tools: string[] = [];
  let tool = '';
  let depth = 0;
  for (const character of text) {
    if (character === '(') depth++;
    else if (character === ')') depth = Math.max(0, depth - 1);
    if (depth > 0 || !/[\s,]/.test(character)) tool += character;
    else if (tool !== '') {
      tools.push(tool);
      tool = '';
    }
  }
  return tool === '' ? tools : [...tools, tool];
}

/** All of them; {@link requestsOf} shows a limited number. */
export function hostsOf({ frontmatter }: SkillEntry, texts: KnownTexts = noTexts): ReadonlySet<string> {
  const hosts = new Set<string>();
  visitFields(frontmatter, (_, value) => {
    if (typeof value === 'string') networkHosts(value, hosts);
    return true;
  });
  for (const text of texts.values()) networkHosts(text, hosts);
  return hosts;
}

interface HiddenPlace {
  readonly where: string;
  readonly kind: HiddenKind;
  readonly count: number;
}

function hiddenIn(entry: SkillEntry, texts: KnownTexts): readonly HiddenPlace[] {
  const found: HiddenPlace[] = [];
  const look = (where: string, text: string): void => {
    for (const { kind, count } of hiddenCharacters(withoutMark(text))) found.push({ where, kind, count });
  };
  visitFields(entry.frontmatter, (steps, value) => {
    const field = displayText(fieldPath(steps));
    look(`the key ${field}`, String(steps.at(-1) ?? ''));
    if (typeof value === 'string') look(field, value);
    return true;
  });
  for (const [uri, text] of texts) look(displayText(pathBelow(entry.uri, uri)), text);
  return found;
}

/** Reports how many are not shown: a flood of harmless ones must not hide one that matters. */
function bounded(values: readonly string[]): readonly string[] {
  const most = limits.host.requestsShown;
  return values.length <= most ? values : [...values.slice(0, most), `... and ${values.length - most} more`];
}

/** Schemes that name something on this machine or inside a skill. */
const innerSchemes: ReadonlySet<string> = new Set(['skill:', 'file:', 'data:', 'urn:', 'about:', 'resource:', 'mcp:']);

const schemeCharacters = 20;
const addressCharacters = 300;

/**
 * Adds the network hosts of a text, in lower case, as browsers write them (`xn--` instead of other alphabets): those of
 * `scheme://host` and `user@host:path`. Bare names are ignored, because `guide.md` looks like one too. Takes linear time.
 */
export function networkHosts(text: string, hosts: Set<string>): void {
  if (text.includes('\\/')) networkHosts(text.replaceAll('\\/', '/'), hosts);
  for (let at = text.indexOf('://'); at !== -1; at = text.indexOf('://', at + 3)) {
    const scheme = /[a-z][a-z0-9+.-]*$/i.exec(text.slice(Math.max(0, at - schemeCharacters), at))?.[0];
    const authority = /^[^\s/?#<>"'`|\\^{}]+/.exec(text.slice(at + 3, at + 3 + addressCharacters))?.[0];
    if (scheme === undefined || authority === undefined || innerSchemes.has(`${scheme.toLowerCase()}:`)) continue;
    const parts = authority.split('@');
    for (const [index, part] of parts.entries()) {
      const host = index === parts.length - 1 || part.includes('.') ? hostOf(part) : undefined;
      if (host !== undefined) hosts.add(host);
    }
  }
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    if (!/[\w.-]$/.test(text.slice(Math.max(0, at - 1), at))) continue;
    const host = /^([a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9-]+)+):(?=[\w~/.])/i.exec(
      text.slice(at + 1, at + 1 + addressCharacters),
    )?.[1];
    if (host !== undefined) hosts.add(host.toLowerCase());
  }
}

/** Parsed as part of an HTTP URL for any scheme, because only then is a host normalized. Punctuation ends it. */
function hostOf(part: string): string | undefined {
  const host = part.startsWith('[') ? /^\[[\da-f:.]+\]/i.exec(part)?.[0] : /^[^)\],;*!]+/.exec(part)?.[0];
  const address = `http://${host ?? ''}`;
  if (host === undefined || !URL.canParse(address)) return undefined;
  const { hostname } = new URL(address);
  return hostname.replace(/\.+$/, '') || undefined;
}

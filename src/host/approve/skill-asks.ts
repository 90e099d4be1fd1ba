/**
 * What a skill asks for or brings along, for the one who decides about it: scripts, fields that name something to execute,
 * commands that some hosts run before the model sees the text, tools, network hosts, skills inside it, hidden characters
 * (sec:C-9, sec:U-1 to sec:U-4). Errs on the side of telling. Nothing is granted by being asked for, and an empty answer is no
 * proof of harmlessness: the text itself can ask for anything.
 */
import { limits } from '../../limits.ts';
import { isDeepFrozen } from '../../skill/deep-freeze.ts';
import { displayText } from '../../skill/display-text.ts';
import type { JsonValue, SkillEntry } from '../../skill/entry.ts';
import { describeHidden, type HiddenKind, hiddenCharacters } from '../../skill/hidden-characters.ts';
import { fieldPath } from '../../skill/json.ts';
import { nestedOf } from '../../skill/nested-skills.ts';
import { pathBelow } from '../../skill/resource-uri.ts';
import { executionFieldsOf, foldKey, isExecutable, isScript, shellLines, visitFields } from '../../skill/runs-code.ts';
import { networkHosts } from './network-hosts.ts';

/** What a skill asks for: scripts, tools, hooks, network hosts, hidden text. */
export interface SkillAsks {
  /** Paths of files that can be executed. */
  readonly scripts: readonly string[];
  /** Paths of frontmatter fields that name something to execute. */
  readonly executionFields: readonly string[];
  /** `path:line: text` of lines that some hosts execute before the model sees them; only of known texts. */
  readonly shellInText: readonly string[];
  readonly allowedTools: readonly string[];
  /** Network hosts that frontmatter and known texts mention, sorted. */
  readonly hosts: readonly string[];
  /** URIs of `SKILL.md` files below this skill. */
  readonly nested: readonly string[];
  /** Phrases: where there are how many characters that a person does not see. */
  readonly hidden: readonly string[];
}

/** Texts of files by URI, as far as they are known. */
export type KnownTexts = ReadonlyMap<string, string>;

const noTexts: KnownTexts = new Map();

export function asksOf(entry: SkillEntry, texts: KnownTexts = noTexts): SkillAsks {
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

/** True where text is hidden on purpose: tag characters, bidirectional controls, stray variation selectors. */
export function hidesText(entry: SkillEntry, texts: KnownTexts = noTexts): boolean {
  for (const text of texts.values()) if (hiddenCharacters(withoutMark(text)).some(isOnPurpose)) return true;
  const known = hiding.get(entry);
  if (known !== undefined) return known;
  const hides = hiddenIn(entry, noTexts).some(isOnPurpose);
  if (isDeepFrozen(entry)) hiding.set(entry, hides);
  return hides;
}

/** Whether an entry that cannot change hides text. */
const hiding = new WeakMap<SkillEntry, boolean>();

function isOnPurpose({ kind }: { readonly kind: HiddenKind }): boolean {
  return kind === 'tag' || kind === 'bidi' || kind === 'variation-selector';
}

function withoutMark(text: string): string {
  return text.replace(/^\ufeff/, '');
}

/** Files of the entry, and those whose text is known. */
function filePaths({ uri: skill, resources }: SkillEntry, texts: KnownTexts): ReadonlyMap<string, string> {
  const uris = resources === 'dynamic' ? [] : resources.map(({ uri }) => uri);
  return new Map([...uris, ...texts.keys()].map((uri) => [uri, pathBelow(skill, uri)]));
}

/** `allowed-tools` as a list, or as one text with blanks or commas between the tools; those inside of brackets belong to a tool. */
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

/** All of them; {@link asksOf} shows a bounded number. */
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

/** Says how many there are beyond what is shown: a flood of harmless ones must not hide one that matters without a word. */
function bounded(values: readonly string[]): readonly string[] {
  const most = limits.host.asksShown;
  return values.length <= most ? values : [...values.slice(0, most), `... and ${values.length - most} more`];
}

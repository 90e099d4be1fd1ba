/**
 * Finds the files, fields and lines of a skill that make a client run code. Signs are the file name or first line, the
 * field name, and syntax that some clients execute before the model sees the text. In doubt the answer is yes.
 */
import { limits } from '../limits.ts';
import { displayText, shortText } from './display-text.ts';
import { executableMetaKey, type Frontmatter, type JsonValue, type SkillEntry } from './entry.ts';
import { fieldPath } from './json.ts';

/** The requests of a skill: scripts, tools, hooks, network hosts, hidden text. */
export interface SkillRequests {
  /** Paths of executable files. */
  readonly scripts: readonly string[];
  /** Paths of frontmatter fields that execute something. */
  readonly executionFields: readonly string[];
  /** `path:line: text` of lines that some clients execute before the model sees them; only of known texts. */
  readonly shellInText: readonly string[];
  readonly allowedTools: readonly string[];
  /** Network hosts in frontmatter and known texts, sorted. */
  readonly hosts: readonly string[];
  /** URIs of `SKILL.md` files below this skill. */
  readonly nested: readonly string[];
  /** Phrases that say where and how many characters are invisible to a person. */
  readonly hidden: readonly string[];
}

const scriptExtension =
  /\.(?:sh|bash|zsh|fish|ksh|csh|py|pyw|pyz|rb|pl|php|js|mjs|cjs|jsx|ts|mts|cts|tsx|lua|tcl|awk|r|jl|ps1|psm1|bat|cmd|vbs|vbe|wsf|wsh|hta|js[eo]|exe|msi|com|scr|dll|so|dylib|jar|war|class|wasm|app|applescript|scpt|command|run|bin|deb|rpm|apk|pkg|dmg|appimage|go|rs|c|cc|cpp|java|kts?|groovy|swift|cs|csx|fsx|exs?|erl|clj|lnk|desktop|service)$/i;
const scriptName =
  /(?:^|\/)(?:makefile|gnumakefile|justfile|rakefile|dockerfile|containerfile|jenkinsfile|package\.json|setup\.cfg|pyproject\.toml|\.envrc|\.mcp\.json)$/i;

/** True if the origin declares the file executable. The claim is unproved, so it only adds to a report. */
export function isExecutable({ _meta }: SkillEntry, uri: string): boolean {
  const listed = _meta?.[executableMetaKey];
  return Array.isArray(listed) && listed.includes(uri);
}

/** By its name, its folder or its first line. */
export function isScript(path: string, text?: string): boolean {
  return (
    scriptExtension.test(path) ||
    scriptName.test(path) ||
    /(?:^|\/)(?:scripts?|hooks?|bin)\//i.test(path) ||
    text?.startsWith('#!') === true
  );
}

/** Field names, in lower case and without separators, that make some client execute something. */
const executingFields: ReadonlySet<string> = new Set(
  (
    'hook hooks script scripts shell command commands cmd exec execute run mcp mcpservers lspservers ' +
    'install installer setup bootstrap preinstall postinstall prerun postrun onload onstart oninstall ' +
    'pretooluse posttooluse entrypoint statusline'
  ).split(' '),
);

/** Searches at any depth: real skills have installers below `metadata`. */
export function executionFieldsOf({ frontmatter }: { readonly frontmatter: Frontmatter }): readonly string[] {
  const found: string[] = [];
  visitFields(frontmatter, (steps) => {
    const key = steps.at(-1);
    if (typeof key === 'string' && executingFields.has(foldKey(key))) {
      found.push(fieldPath(steps));
      return false;
    }
    return true;
  });
  return found;
}

const inlineCommand = /!`[^`\n]+`/;
const commandFence = /^\s{0,3}(?:`{3,}|~{3,})\s*!/;

/** `path:line: text` of lines that some clients execute when they load the text. */
export function shellLines(path: string, text: string): readonly string[] {
  if (!isMarkdown(path) || !text.includes('!')) return [];
  const found: string[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (!inlineCommand.test(line) && !commandFence.test(line)) continue;
    found.push(`${displayText(path)}:${index + 1}: ${shortText(line.trim())}`);
    if (found.length >= limits.host.shellLines) break;
  }
  return found;
}

export function isMarkdown(path: string): boolean {
  return /\.(?:md|markdown|mdx)$/i.test(path);
}

/** Visits every value below the root, outermost first; return false to skip the values inside. */
export function visitFields(
  root: JsonValue,
  visit: (steps: readonly (string | number)[], value: JsonValue) => boolean,
): void {
  const steps: (string | number)[] = [];
  const enter = (step: string | number, value: JsonValue): void => {
    steps.push(step);
    if (visit(steps, value)) inside(value);
    steps.pop();
  };
  const inside = (value: JsonValue): void => {
    if (typeof value !== 'object' || value === null || steps.length > limits.frontmatter.depth) return;
    if (Array.isArray(value)) for (const [index, item] of value.entries()) enter(index, item);
    else for (const [key, item] of Object.entries(value)) enter(key, item);
  };
  inside(root);
}

export function foldKey(key: string): string {
  return key.toLowerCase().replace(/[-_. ]/g, '');
}

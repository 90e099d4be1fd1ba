/** Checks how a frontmatter is written, on its tree. Each place is checked once; aliases are not followed. */
import { coreScalar, scalarAmbiguity } from './ambiguous-scalars.ts';
import { quoteText, shortText } from './display-text.ts';
import type { FindingRule } from './finding.ts';
import { describeHidden, hiddenCharacters } from './hidden-characters.ts';
import { lineAt, lineStarts } from './text-lines.ts';
import {
  keyText,
  resolveAlias,
  type YamlMapping,
  type YamlNode,
  type YamlPair,
  type YamlScalar,
  type YamlTree,
} from './yaml-tree.ts';

/** `line` is a line of the file. */
export type Report = (rule: FindingRule, line: number, message: string, remedy?: string) => void;

/** Checks a mapping and everything in it. Size and depth are already within their limits. */
export function checkYamlTree(root: YamlMapping, report: Report): void {
  checkNode(root, 'the frontmatter', root.line, true, report);
}

/** `what` names the node in messages; `line` is where readers look for it. */
function checkNode(node: YamlNode, what: string, line: number, isRoot: boolean, report: Report): void {
  if (node.tag !== undefined) report('frontmatter-tag', line, `${what} has the tag ${quoteText(node.tag)}`);
  if (node.kind === 'alias') checkAlias(node, what, line, report);
  else if (node.kind === 'scalar') checkScalar(node, what, line, report);
  else if (node.kind === 'sequence') {
    for (const item of node.items) checkNode(item, `an item of ${what}`, item.line, false, report);
  } else checkMapping(node, what, isRoot, report);
}

function checkAlias(node: Extract<YamlNode, { kind: 'alias' }>, what: string, line: number, report: Report): void {
  const alias = quoteText(`*${node.name}`);
  if (node.target === undefined) {
    report(
      'frontmatter-yaml',
      line,
      `${what} is the alias ${alias}, but no anchor has that name`,
      `quote the value if it is text`,
    );
  } else if (node.cyclic) {
    report(
      'frontmatter-not-json',
      line,
      `${what} is the alias ${alias}, which is inside its own target`,
      'remove the alias',
    );
  }
}

function checkScalar(node: YamlScalar, what: string, line: number, report: Report): void {
  checkCharacters(node, what, line, report);
  if (node.style === 'plain' && node.tag === undefined) checkPlainScalar(node.text, () => what, line, report);
}

/** Reports text without quotes that JSON does not support, or that readers disagree on. */
export function checkPlainScalar(text: string, what: () => string, line: number, report: Report): void {
  const value = coreScalar(text);
  if (typeof value === 'number' && !Number.isFinite(value)) {
    report(
      'frontmatter-not-json',
      line,
      `${what()} is the number ${quoteText(text)}, which JSON does not support`,
      quoteRemedy(text),
    );
    return;
  }
  const ambiguity = scalarAmbiguity(text);
  if (ambiguity === undefined) return;
  const remedy = text === '' ? 'write a value, or remove the key; "" is empty text' : quoteRemedy(text);
  const written = text === '' ? 'is missing and' : `is written ${shown(text)} without quotes, which`;
  report('frontmatter-ambiguous-scalar', line, `${what()} ${written} ${ambiguity}`, remedy);
}

function checkMapping(mapping: YamlMapping, what: string, isRoot: boolean, report: Report): void {
  const lines = new Map<string, number>();
  for (const pair of mapping.pairs) {
    const key = checkKey(pair, what, isRoot, report);
    if (key !== undefined) {
      const first = lines.get(key);
      if (first === undefined) lines.set(key, pair.line);
      else
        report(
          'frontmatter-duplicate-key',
          pair.line,
          `the key ${quoteText(key)} is in line ${first} and again in line ${pair.line}`,
        );
    }
    const name = key === undefined ? `a value of ${what}` : `the value of ${quoteText(key)}`;
    checkNode(pair.value, name, pair.line, false, report);
  }
}

/** The text of the key; `undefined` if it is not text. */
function checkKey(pair: YamlPair, what: string, isRoot: boolean, report: Report): string | undefined {
  const { key, line } = pair;
  if (key.tag !== undefined) report('frontmatter-tag', line, `a key of ${what} has the tag ${quoteText(key.tag)}`);
  if (key.kind === 'alias') checkAlias(key, `a key of ${what}`, line, report);
  const node = resolveAlias(key);
  if (node === undefined) return undefined;
  if (node.kind !== 'scalar') {
    report(
      'frontmatter-key',
      line,
      `a key of ${what} is a ${node.kind === 'mapping' ? 'mapping' : 'list'}`,
      'use text as the key',
    );
    return undefined;
  }
  const text = keyText(node);
  if (text === undefined) {
    const kind = coreScalar(node.text) === null ? 'null' : `a ${typeof coreScalar(node.text)}`;
    report(
      'frontmatter-key',
      line,
      `the key ${shown(node.text)} is ${kind}, not text`,
      node.text === '' ? 'write a key before the colon' : quoteRemedy(node.text),
    );
    return undefined;
  }
  checkCharacters(node, `the key ${quoteText(text)}`, line, report);
  if (text === '__proto__' && isRoot) {
    report('frontmatter-key', line, 'a field is called "__proto__", which hosts refuse', 'rename the key');
  }
  if (isArrayIndex(text)) report('frontmatter-key-order', line, `the key ${quoteText(text)} is a whole number`);
  const ambiguity = node.style === 'plain' && key.tag === undefined ? scalarAmbiguity(text) : undefined;
  if (ambiguity !== undefined) {
    report(
      'frontmatter-ambiguous-scalar',
      line,
      `the key ${shown(text)} is unquoted and ${ambiguity}`,
      quoteRemedy(text),
    );
  }
  return text;
}

/** Characters that YAML escapes can express but JSON cannot carry between programs. */
function checkCharacters(node: YamlScalar, what: string, line: number, report: Report): void {
  if (node.style !== 'double') return;
  for (const [written, digits] of node.source.matchAll(/\\(?:U([0-9A-Fa-f]{8})|[\s\S])/g)) {
    if (digits !== undefined && Number.parseInt(digits, 16) > 0x10ffff) {
      report(
        'frontmatter-yaml',
        line,
        `${what} contains the escape ${written}, which is not a Unicode character`,
        'correct the escape',
      );
      return;
    }
  }
  if (/\p{Cs}/u.test(node.text)) {
    report(
      'frontmatter-not-json',
      line,
      `${what} contains half of a surrogate pair`,
      'write the character itself, or its \\U escape',
    );
  }
  const visible = new Map(hiddenCharacters(node.source).map(({ kind, count }) => [kind, count]));
  for (const { kind, count } of hiddenCharacters(node.text)) {
    const escaped = count - (visible.get(kind) ?? 0);
    if (escaped <= 0) continue;
    report('skill-md-hidden-characters', line, `${what} contains ${describeHidden(kind, escaped)}, written as escapes`);
  }
}

/** JavaScript objects, and most JSON readers, sort such keys before all others. */
function isArrayIndex(key: string): boolean {
  return /^(?:0|[1-9][0-9]{0,9})$/.test(key) && Number(key) < 2 ** 32 - 1;
}

function shown(text: string): string {
  return text === '' ? '(nothing)' : shortText(text);
}

function quoteRemedy(text: string): string {
  return `write ${quoteText(text)} with the quotes if it is text`;
}

/*
 * Valid YAML that hosts still refuse. The official MCP client verifies frontmatter with its own reader, which supports only a part of YAML.
 * It lists such a skill but cannot load it. Each form is reported once, at its first place.
 */

export interface UncommonForm {
  readonly line: number;
  readonly message: string;
  readonly remedy: string;
}

const official = 'the official MCP client cannot read';

const forms = {
  anchor: {
    message: `the frontmatter has anchors or aliases ("&", "*"), which ${official}`,
    remedy: 'repeat the value instead',
  },
  brokenQuotes: {
    message: `a quoted value spans several lines, which ${official}`,
    remedy: 'write it on one line, or as a block after ">-"',
  },
  brokenFlow: {
    message: `a list or mapping in brackets spans several lines, which ${official}`,
    remedy: 'write it on one line, or as indented lines without brackets',
  },
  indented: {
    message: `a block has an indentation number, which ${official}`,
    remedy: 'remove the number after "|" or ">"',
  },
  markedKey: {
    message: `a key is written with a question mark, which ${official}`,
    remedy: 'write "key: value"',
  },
  prototypeKey: {
    message: `a key is called "__proto__", which ${official}`,
    remedy: 'rename the key',
  },
  documentEnd: {
    message: `the frontmatter has a "..." line, which ${official}`,
    remedy: 'remove the line',
  },
  loneReturn: {
    message: `lines end with CR alone, which ${official}`,
    remedy: 'save the file with LF or CRLF line endings',
  },
} as const;

/** `yaml` is the text of the tree; its first line has the number `firstLine`. */
export function uncommonForms(
  yaml: string,
  firstLine: number,
  tree: YamlTree,
  root: YamlMapping,
): readonly UncommonForm[] {
  const found = new Map<keyof typeof forms, UncommonForm>();
  const add = (form: keyof typeof forms, line: number): void => {
    if (!found.has(form)) found.set(form, { line, ...forms[form] });
  };
  const visit = (node: YamlNode): void => {
    if (node.anchored || node.kind === 'alias') add('anchor', node.line);
    if (node.kind === 'scalar') {
      const quoted = node.style === 'single' || node.style === 'double';
      if (quoted && /[\r\n]/.test(node.source)) add('brokenQuotes', node.line);
      if (node.indented) add('indented', node.line - 1);
    } else if (node.kind === 'sequence') {
      if (node.brokenFlow) add('brokenFlow', node.line);
      for (const item of node.items) visit(item);
    } else if (node.kind === 'mapping') {
      if (node.brokenFlow) add('brokenFlow', node.line);
      for (const { key, value, line, marked } of node.pairs) {
        if (marked) add('markedKey', line);
        if (node !== root && keyText(key) === '__proto__') add('prototypeKey', line);
        visit(key);
        visit(value);
      }
    }
  };
  visit(root);
  const lineOf = (offset: number): number => firstLine + lineAt(lineStarts(yaml), offset);
  if (tree.explicitEnd) add('documentEnd', lineOf(yaml.search(/^\.\.\./m)));
  const loneReturn = yaml.search(/\r(?!\n)/);
  if (loneReturn !== -1) add('loneReturn', lineOf(loneReturn));
  return [...found.values()];
}

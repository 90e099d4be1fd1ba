/** What is wrong or doubtful about the way a frontmatter is written, found on its tree; each place once, aliases not followed. */
import { coreScalar, scalarAmbiguity } from './ambiguous-scalars.ts';
import { quoteText, shortText } from './display-text.ts';
import type { FindingRule } from './finding.ts';
import { describeHidden, hiddenCharacters } from './hidden-characters.ts';
import { keyText, resolveAlias } from './yaml-json.ts';
import type { YamlMapping, YamlNode, YamlPair, YamlScalar } from './yaml-tree.ts';

/** `line` is a line of the file. */
export type Report = (rule: FindingRule, line: number, message: string, remedy?: string) => void;

/** Reports on a mapping and everything in it. Called within the limits of size and depth only. */
export function checkYamlTree(root: YamlMapping, report: Report): void {
  checkNode(root, 'the frontmatter', root.line, true, report);
}

/** `what` names the node in messages; `line` is where a reader looks for it. */
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
      `${what} is the alias ${alias}, but nothing has that anchor`,
      `quote the value if text is meant`,
    );
  } else if (node.cyclic) {
    report(
      'frontmatter-not-json',
      line,
      `${what} is the alias ${alias}, which stands inside what it refers to`,
      'remove the alias',
    );
  }
}

function checkScalar(node: YamlScalar, what: string, line: number, report: Report): void {
  checkCharacters(node, what, line, report);
  if (node.style !== 'plain' || node.tag !== undefined) return;
  const value = coreScalar(node.text);
  if (typeof value === 'number' && !Number.isFinite(value)) {
    report(
      'frontmatter-not-json',
      line,
      `${what} is the number ${quoteText(node.text)}, which JSON cannot carry`,
      quoteRemedy(node.text),
    );
    return;
  }
  const ambiguity = scalarAmbiguity(node.text);
  if (ambiguity === undefined) return;
  const remedy = node.text === '' ? 'write a value, or remove the key; "" is empty text' : quoteRemedy(node.text);
  const written = node.text === '' ? 'is missing, which' : `is written ${shown(node.text)} without quotes, which`;
  report('frontmatter-ambiguous-scalar', line, `${what} ${written} ${ambiguity}`, remedy);
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

/** The text of the key, or undefined where it is none. */
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
      `the key ${shown(text)} has no quotes and ${ambiguity}`,
      quoteRemedy(text),
    );
  }
  return text;
}

/** Characters that YAML escapes can make but JSON text between programs cannot carry. */
function checkCharacters(node: YamlScalar, what: string, line: number, report: Report): void {
  if (node.style !== 'double') return;
  for (const [written, digits] of node.source.matchAll(/\\(?:U([0-9A-Fa-f]{8})|[\s\S])/g)) {
    if (digits !== undefined && Number.parseInt(digits, 16) > 0x10ffff) {
      report(
        'frontmatter-yaml',
        line,
        `${what} holds the escape ${written}, which is no Unicode character`,
        'correct the escape',
      );
      return;
    }
  }
  if (/\p{Cs}/u.test(node.text)) {
    report(
      'frontmatter-not-json',
      line,
      `${what} holds half of a surrogate pair`,
      'write the character itself, or its \\U escape',
    );
  }
  const visible = new Map(hiddenCharacters(node.source).map(({ kind, count }) => [kind, count]));
  for (const { kind, count } of hiddenCharacters(node.text)) {
    const escaped = count - (visible.get(kind) ?? 0);
    if (escaped <= 0) continue;
    report('skill-md-hidden-characters', line, `${what} holds ${describeHidden(kind, escaped)}, written as escapes`);
  }
}

/** Keys that JavaScript objects, and JSON readers made of them, sort before all others. */
function isArrayIndex(key: string): boolean {
  return /^(?:0|[1-9][0-9]{0,9})$/.test(key) && Number(key) < 2 ** 32 - 1;
}

function shown(text: string): string {
  return text === '' ? '(nothing)' : shortText(text);
}

function quoteRemedy(text: string): string {
  return `write ${quoteText(text)} with the quotes if text is meant`;
}

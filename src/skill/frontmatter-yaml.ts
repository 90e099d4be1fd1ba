/**
 * The YAML of a frontmatter as JSON: YAML 1.2 with the core schema, within limits, values unchanged and keys in file
 * order. Anything that JSON cannot carry (tags, keys that are not text, cycles, NaN) is a finding, never a guess. One
 * pass collects as many findings as possible.
 */

import { type Event, parseEvents, YAMLException } from 'js-yaml';
import { reasonOf } from '../errors.ts';
import { limits } from '../limits.ts';
import { quoteText, shortText } from './display-text.ts';
import type { JsonValue } from './entry.ts';
import { type Finding, type FindingRule, finding } from './finding.ts';
import { type FixedLine, fixLine, unclosedQuoteLine } from './fixed-line.ts';
import { checkYamlTree, type Report, uncommonForms } from './frontmatter-yaml-checks.ts';
import {
  buildYamlTree,
  countNodes,
  keyText,
  toJson,
  type YamlMapping,
  type YamlNode,
  type YamlTree,
} from './yaml-tree.ts';

export interface FrontmatterField {
  /** Line of the key in the file. */
  readonly line: number;
  readonly value: JsonValue;
  readonly node: YamlNode;
}

export interface FrontmatterYaml {
  readonly findings: readonly Finding[];
  /** `undefined` if the text is not a usable mapping. Present despite problems, so that more of them can be found. */
  readonly fields: ReadonlyMap<string, FrontmatterField> | undefined;
}

/** Reads the text between the two `---` lines. `firstLine` is the number of its first line in the file. */
export function readFrontmatterYaml(yaml: string, firstLine: number): FrontmatterYaml {
  const findings: Finding[] = [];
  const report: Report = (rule, line, message, remedy) => {
    findings.push(finding(rule, message, { line, remedy }));
  };
  const parsed = parse(yaml, firstLine, report);
  const root = parsed === undefined ? undefined : rootMapping(parsed.tree, firstLine, report);
  if (parsed === undefined || root === undefined || !withinLimits(parsed.tree, root, report)) {
    return { findings, fields: undefined };
  }
  checkYamlTree(root, report);
  for (const { line, message, remedy } of uncommonForms(parsed.text, firstLine, parsed.tree, root)) {
    report('frontmatter-uncommon-yaml', line, message, remedy);
  }
  const fields = new Map<string, FrontmatterField>();
  for (const { key, value, line } of root.pairs) {
    const name = keyText(key);
    if (name !== undefined && !fields.has(name)) fields.set(name, { line, value: toJson(value), node: value });
  }
  return { findings, fields };
}

interface Fault {
  readonly ok: false;
  readonly rule: FindingRule;
  readonly line: number;
  readonly message: string;
  readonly reason: string;
}

type Attempt<Result> = { readonly ok: true; readonly result: Result } | Fault;

interface Parsed {
  readonly tree: YamlTree;
  /** The text of the tree: the original, or one with fixed lines. */
  readonly text: string;
}

function parse(yaml: string, firstLine: number, report: Report): Parsed | undefined {
  let text = yaml;
  for (let fixes = 0; ; fixes++) {
    const parsed = attemptParse(text, firstLine);
    if (parsed.ok) return { tree: parsed.result, text };
    const canFix = parsed.rule === 'frontmatter-yaml' && fixes < limits.frontmatter.fixedLines;
    const fix = canFix ? fixLine(text, parsed.line - firstLine, faultLine) : undefined;
    if (fix === undefined) {
      report(parsed.rule, parsed.line, parsed.message, remedyFor(parsed.reason));
      return undefined;
    }
    const line = firstLine + fix.line;
    const which = fix.replaces === 1 ? 'the line' : `lines ${line} to ${line + fix.replaces - 1} together`;
    const remedy = `write ${which} as: ${fix.fixed}`;
    const what = `the value of ${quoteText(fix.key)}`;
    if (fix.colon) report('frontmatter-unquoted-colon', line, `${what} contains ": " without quotes`, remedy);
    else report('frontmatter-yaml', line, `${what} is not valid YAML without quotes: ${parsed.reason}`, remedy);
    text = fix.text;
  }
}

/** The first invalid line with a likely fix; `undefined` if the YAML is valid or no fix is known. */
export function nextFix(yaml: string): FixedLine | undefined {
  const parsed = attemptParse(yaml, 0);
  return parsed.ok || parsed.rule !== 'frontmatter-yaml' ? undefined : fixLine(yaml, parsed.line, faultLine);
}

/** The mapping of a valid frontmatter within its limits; otherwise `undefined`. */
export function frontmatterMapping(yaml: string): YamlMapping | undefined {
  const parsed = attemptParse(yaml, 1);
  const ignore: Report = () => undefined;
  const root = parsed.ok ? rootMapping(parsed.result, 1, ignore) : undefined;
  return parsed.ok && root !== undefined && withinLimits(parsed.result, root, ignore) ? root : undefined;
}

function faultLine(text: string): number | undefined {
  const parsed = attempt(text, 0, () => undefined);
  return parsed.ok ? undefined : parsed.line;
}

function attemptParse(text: string, firstLine: number): Attempt<YamlTree> {
  return attempt(text, firstLine, (events) => buildYamlTree(text, events, firstLine));
}

function attempt<Result>(
  text: string,
  firstLine: number,
  build: (events: readonly Event[]) => Result,
): Attempt<Result> {
  try {
    const events = parseEvents(text, { maxDepth: limits.frontmatter.depth });
    // At least half of all nodes are values, so the count alone shows that there are too many.
    if (countNodes(events) > 2 * limits.frontmatter.nodes) return tooManyValues(firstLine);
    return { ok: true, result: build(events) };
  } catch (error) {
    if (error instanceof YAMLException) {
      const line = firstLine + (error.mark?.line ?? 0);
      if (error.reason.startsWith('nesting exceeded')) return tooDeep(line);
      const quote = /quoted|deficient/.test(error.reason) ? unclosedQuoteLine(text, line - firstLine) : undefined;
      if (quote !== undefined) return unclosedQuote(firstLine + quote);
      const reason = shortText(error.reason);
      const message = `the YAML cannot be read at column ${(error.mark?.column ?? 0) + 1}: ${reason}`;
      return { ok: false, rule: 'frontmatter-yaml', line, message, reason };
    }
    if (error instanceof RangeError) return tooDeep(firstLine);
    const reason = shortText(reasonOf(error));
    return {
      ok: false,
      rule: 'frontmatter-yaml',
      line: firstLine,
      message: `the YAML parser failed: ${reason}`,
      reason,
    };
  }
}

/** More precise remedies for common faults. */
function remedyFor(reason: string): string | undefined {
  if (reason.startsWith('tab characters')) return 'indent with spaces instead of tabs';
  if (reason === 'deficient indentation') return 'indent the line; brackets and quotes that span several lines need it';
  return undefined;
}

function unclosedQuote(line: number): Fault {
  const message = 'a value starts with a quote that is never closed';
  return { ok: false, rule: 'frontmatter-yaml', line, message, reason: message };
}

function tooDeep(line: number): Fault {
  return tooLarge(line, `the frontmatter is nested deeper than ${limits.frontmatter.depth} levels`);
}

function tooManyValues(line: number): Fault {
  return tooLarge(
    line,
    `the frontmatter contains more than ${limits.frontmatter.nodes.toLocaleString('en-US')} values`,
  );
}

function tooLarge(line: number, message: string): Fault {
  return { ok: false, rule: 'frontmatter-too-large', line, message, reason: message };
}

function rootMapping(tree: YamlTree, firstLine: number, report: Report): YamlMapping | undefined {
  const [root, second] = tree.roots;
  if (second !== undefined) {
    const remedy = 'keep one document; remove "..." lines and lines that start with "--- "';
    report('frontmatter-yaml', second.line, `the frontmatter contains ${tree.roots.length} YAML documents`, remedy);
  }
  if (root?.kind === 'mapping') return root;
  report(
    'frontmatter-not-a-mapping',
    root?.line ?? firstLine,
    `the frontmatter is ${root === undefined ? 'empty' : kindName(root)}`,
  );
  return undefined;
}

function kindName(node: YamlNode): string {
  if (node.kind === 'sequence') return 'a list';
  if (node.kind !== 'scalar') return 'an alias';
  return node.text === '' ? 'empty' : `the single value ${quoteText(node.text)}`;
}

function withinLimits(tree: YamlTree, root: YamlMapping, report: Report): boolean {
  const { aliases, nodes, depth } = limits.frontmatter;
  if (tree.aliases > aliases) {
    report(
      'frontmatter-too-large',
      root.line,
      `the frontmatter has ${tree.aliases} aliases; at most ${aliases} are allowed`,
    );
    return false;
  }
  if (root.weight > nodes) {
    const count = root.weight > 1e15 ? 'more than 10^15' : root.weight.toLocaleString('en-US');
    const most = nodes.toLocaleString('en-US');
    report(
      'frontmatter-too-large',
      root.line,
      `the frontmatter contains ${count} values with aliases expanded; at most ${most} are allowed`,
    );
    return false;
  }
  if (root.height > depth) {
    report(
      'frontmatter-too-large',
      root.line,
      `the frontmatter has ${root.height} nested levels with aliases expanded; at most ${depth} are allowed`,
    );
    return false;
  }
  return true;
}

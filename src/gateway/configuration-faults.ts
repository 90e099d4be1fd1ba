/**
 * Reports every error in the text of a configuration with line, column, field, rule and remedy. Errors are broken JSON, comments, trailing
 * commas, repeated keys, and values that the schema rejects.
 */
import {
  createScanner,
  findNodeAtLocation,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { z } from 'zod';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { allowedKeys, exampleOf, keyRemedy, remedyFor } from './configuration-remedies.ts';

export interface ConfigurationFault {
  /** Counted from 1. */
  readonly line: number;
  /** Counted from 1, in UTF-16 units as editors do. */
  readonly column: number;
  /** The field, for example `origins.docs.folder`; empty for the whole file. */
  readonly path: string;
  /** The requirement, and the value that was found. */
  readonly rule: string;
  readonly remedy: string;
}

type Path = readonly (string | number)[];
type Issue = z.core.$ZodIssue;

/** The parsed text and its schema. */
interface Checked {
  readonly tree: Node;
  readonly schema: z.ZodType;
}

interface Located {
  readonly offset: number;
  readonly path: Path;
  readonly rule: string;
  readonly remedy: string;
}

/** Parses the text with the schema. Throws one CONFIG_INVALID error with every fault. */
export function checkConfiguration<Schema extends z.ZodType>(
  text: string,
  file: string,
  schema: Schema,
): z.output<Schema> {
  if (new TextEncoder().encode(text).length > limits.configuration.bytes) {
    const rule = `a configuration must have at most ${limits.configuration.bytes} bytes`;
    throw invalid('', file, [{ offset: 0, path: [], rule, remedy: 'make it shorter' }]);
  }
  const json = text.replace(/^\uFEFF/, '');
  const tooDeep = offsetOfTooDeep(json);
  if (tooDeep !== undefined) {
    const rule = `values must nest at most ${limits.configuration.depth} levels deep`;
    throw invalid(json, file, [{ offset: tooDeep, path: [], rule, remedy: 'remove the nesting' }]);
  }
  const errors: ParseError[] = [];
  const tree = parseTree(json, errors, { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false });
  if (errors.length > 0 || tree === undefined) throw invalid(json, file, syntaxFaults(json, errors));
  const repeated = keyFaults(tree, []);
  const result = schema.safeParse(JSON.parse(json));
  const refused = result.success
    ? []
    : result.error.issues.flatMap((issue) => issueFaults(issue, { tree, schema }, []));
  if (repeated.length > 0 || !result.success) throw invalid(json, file, [...repeated, ...refused]);
  return result.data;
}

function invalid(text: string, file: string, located: readonly Located[]): SkillwireError {
  const faults = [...located]
    .sort((a, b) => a.offset - b.offset)
    .slice(0, limits.configuration.faults)
    .map(({ offset, path, rule, remedy }): ConfigurationFault => {
      const before = text.slice(0, offset).split(/\r\n|\r|\n/);
      return { line: before.length, column: (before.at(-1) ?? '').length + 1, path: pathText(path), rule, remedy };
    });
  const count = located.length;
  const lines = [
    `The configuration "${file}" has ${count === 1 ? '1 error' : `${count} errors`}:`,
    ...faults.map(({ line, column, path, rule, remedy }) => {
      return `  ${file}:${line}:${column}  ${path === '' ? '' : `${path}: `}${rule}; ${remedy}`;
    }),
    ...(count > faults.length ? [`  and ${count - faults.length} more`] : []),
  ];
  return new SkillwireError('CONFIG_INVALID', lines.join('\n'), { data: { file, count, faults } });
}

function pathText(path: Path): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (/^[\w$-]+$/.test(step)) text += text === '' ? step : `.${step}`;
    else text += `[${JSON.stringify(step)}]`;
  }
  return text;
}

function offsetOfTooDeep(text: string): number | undefined {
  const scanner = createScanner(text, true);
  let depth = 0;
  // Isolated modules cannot name the ambient enum of token kinds, so brackets are recognized by their text.
  for (let token = scanner.scan(); token !== endOfFile; token = scanner.scan()) {
    if (scanner.getTokenLength() !== 1) continue;
    const character = text[scanner.getTokenOffset()];
    if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') depth--;
    if (depth > limits.configuration.depth) return scanner.getTokenOffset();
  }
  return undefined;
}

const endOfFile = createScanner('').scan();

const syntaxRules: Readonly<Record<string, readonly [rule: string, remedy: string]>> = {
  InvalidCommentToken: ['comments are not allowed in JSON', 'remove the comment'],
  UnexpectedEndOfComment: ['comments are not allowed in JSON', 'remove the comment'],
  PropertyNameExpected: ['expected a key in double quotes', 'write the key as "key"'],
  ValueExpected: ['expected a value', 'add a value'],
  ColonExpected: ['expected ":"', 'add ":" between the key and its value'],
  CommaExpected: ['expected ","', 'add "," between the items'],
  CloseBraceExpected: ['expected "}"', 'close the object'],
  CloseBracketExpected: ['expected "]"', 'close the list'],
  EndOfFileExpected: ['unexpected text after the object', 'remove it'],
  UnexpectedEndOfString: ['the string is not closed', "add the missing '\"'"],
  InvalidCharacter: ['a string cannot contain line breaks or control characters', 'escape them, for example as \\n'],
  InvalidEscapeCharacter: ['invalid escape after "\\"', 'write "\\\\" for a backslash, or use "/"'],
  InvalidUnicode: ['"\\u" needs four hexadecimal digits', 'complete the escape'],
};

/** The parser recovers from comments and trailing commas. Errors after any other fault are only consequences of it. */
function syntaxFaults(text: string, errors: readonly ParseError[]): Located[] {
  if (text.trim() === '') {
    return [{ offset: 0, path: [], rule: 'the file is empty', remedy: 'write {"origins": {"docs": "./skills"}}' }];
  }
  const faults: Located[] = [];
  for (const { error, offset } of errors) {
    const name = printParseErrorCode(error);
    const comma = trailingComma(text, offset);
    if ((name === 'PropertyNameExpected' || name === 'ValueExpected') && comma !== undefined) {
      if (faults.at(-1)?.offset !== comma) {
        faults.push({ offset: comma, path: [], rule: 'trailing comma', remedy: 'remove it' });
      }
      continue;
    }
    const [rule, remedy] = syntaxRules[name] ?? ['invalid JSON', 'put strings in double quotes'];
    if (faults.at(-1)?.offset !== offset) faults.push({ offset, path: [], rule, remedy });
    if (name !== 'InvalidCommentToken') break;
  }
  return faults;
}

/** The comma before a closing bracket at the offset. */
function trailingComma(text: string, offset: number): number | undefined {
  if (!/[}\]]/.test(text[offset] ?? '')) return undefined;
  const before = text.slice(0, offset).trimEnd();
  return before.endsWith(',') ? before.length - 1 : undefined;
}

/** Repeated keys, of which JSON parsers silently keep one, and `__proto__`. */
function keyFaults(node: Node, path: Path): Located[] {
  const faults: Located[] = [];
  if (node.type === 'array') {
    for (const [index, item] of (node.children ?? []).entries()) faults.push(...keyFaults(item, [...path, index]));
  }
  if (node.type !== 'object') return faults;
  const seen = new Set<string>();
  for (const { children: [key, value] = [] } of node.children ?? []) {
    if (key === undefined || value === undefined) continue;
    const name = String(key.value);
    const here = [...path, name];
    if (seen.has(name)) {
      const rule = `the key ${JSON.stringify(name)} appears twice`;
      faults.push({ offset: key.offset, path: here, rule, remedy: 'remove one of the two' });
    }
    if (name === '__proto__') {
      faults.push({ offset: key.offset, path: here, rule: 'the key "__proto__" is not allowed', remedy: 'remove it' });
    }
    seen.add(name);
    faults.push(...keyFaults(value, here));
  }
  return faults;
}

function issueFaults(issue: Issue, checked: Checked, base: Path): Located[] {
  const { tree, schema } = checked;
  const path: Path = [...base, ...issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step))];
  const node = findNodeAtLocation(tree, [...path]);
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys
        .filter((key) => key !== '__proto__')
        .map((key) => ({
          offset: keyOffset(tree, [...path, key]),
          path: [...path, key],
          rule: `unknown key ${JSON.stringify(key)}`,
          remedy: `use ${allowedKeys(z.toJSONSchema(schema), path)}, or remove it`,
        }));
    case 'invalid_key':
      return [
        {
          offset: keyOffset(tree, path),
          path,
          rule: issue.issues[0]?.message ?? issue.message,
          remedy: keyRemedy(path),
        },
      ];
    case 'invalid_union': {
      const ofObject = node?.type === 'object' ? issue.errors.find((errors) => !errors.some(isAboutWhole)) : undefined;
      if (ofObject !== undefined) return ofObject.flatMap((inner) => issueFaults(inner, checked, path));
      break;
    }
    case 'custom': {
      // The value may be a misplaced secret, so it is not shown.
      const remedy = issue.params?.['remedy'];
      if (typeof remedy === 'string')
        return [{ offset: node?.offset ?? nearestOffset(tree, path), path, rule: issue.message, remedy }];
    }
  }
  if (node === undefined) {
    const key = JSON.stringify(path.at(-1) ?? '');
    const rule = `the key ${key} is missing`;
    return [{ offset: nearestOffset(tree, path), path, rule, remedy: `add ${key}: ${exampleOf(path)}` }];
  }
  const rule = path.length === 0 ? 'the configuration must be an object' : issue.message;
  // A rule about the parts of a value needs no "not …".
  const ofParts = issue.code === 'custom' && (node.type === 'object' || node.type === 'array');
  const whole = ofParts ? rule : `${rule}, not ${found(node)}`;
  return [{ offset: node.offset, path, rule: whole, remedy: remedyFor(path) }];
}

/** True if a branch of a union rejects the type of the whole value. */
function isAboutWhole(issue: Issue): boolean {
  return issue.code === 'invalid_type' && issue.path.length === 0;
}

function keyOffset(tree: Node, path: Path): number {
  const value = findNodeAtLocation(tree, [...path]);
  return value?.parent?.children?.[0]?.offset ?? nearestOffset(tree, path);
}

function nearestOffset(tree: Node, path: Path): number {
  for (let length = path.length; length > 0; length--) {
    const node = findNodeAtLocation(tree, path.slice(0, length));
    if (node !== undefined) return node.offset;
  }
  return tree.offset;
}

function found(node: Node): string {
  if (node.type === 'object') return 'an object';
  if (node.type === 'array') return 'a list';
  const text = JSON.stringify(node.value);
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
}

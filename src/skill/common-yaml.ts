/**
 * Reads the YAML that most skills use. That is block mappings and lists, text and brackets on one line, quoted text, and `|` and `>`
 * blocks. It returns `undefined` at anything unusual (comments, tabs, anchors, tags, text that spans lines, other escapes, any fault), and
 * the full reader decides. So whatever it returns is what the full reader returns, which tests check on generated and real files. Values
 * that readers disagree on are reported as there.
 */
import { limits } from '../limits.ts';
import { coreScalar } from './ambiguous-scalars.ts';
import { quoteText } from './display-text.ts';
import type { JsonValue } from './entry.ts';
import { checkPlainScalar, type Report } from './frontmatter-yaml-checks.ts';
import { hiddenCharacters } from './hidden-characters.ts';

export interface CommonField {
  /** Line of the key in the file. */
  readonly line: number;
  readonly value: JsonValue;
}

/** Line feeds and visible characters. The others are tabs, controls, line separators, byte-order marks and noncharacters. */
const usual = /^[\n\x20-\x7e\u00a0-\u2027\u202a-\ufefe\uff00-\ufffd]*$/;
const blockKey = /([A-Za-z][\w.-]*):(?: +|(?=\n))/y;
const flowKey = /([A-Za-z][\w.-]*): +/y;
const quotedFlowKey = /"([A-Za-z][\w.-]*)": */y;
const doubleQuoted = /"([^"\\\n]*(?:\\["\\/nt][^"\\\n]*)*)"/y;
const singleQuoted = /'([^'\n]*(?:''[^'\n]*)*)'/y;
const blockHeader = /([|>])([+-]?) *\n/y;
/** A character that has no meaning in YAML at the start of plain text. */
const plainStart = /^[^-?:,[\]{}#&*!|>'"%@` ]/;
/** Words that some readers take as null or a boolean. Any other text that starts with a letter is text. */
const meaningful = /^(?:null|true|false|yes|no|on|off|y|n)$/i;

/** Levels of nesting; deeper ones are left to the full reader. */
const most = { depth: 8, values: limits.frontmatter.nodes / 2 } as const;

const LF = 0x0a;
const space = 0x20;
const hyphen = 0x2d;

/**
 * The fields of the text between the two `---` lines, in file order; `undefined` if the full reader is needed. Then
 * nothing that was reported counts. `firstLine` is the number of its first line in the file.
 */
export function readCommonYaml(
  yaml: string,
  firstLine: number,
  report: Report,
): ReadonlyMap<string, CommonField> | undefined {
  return usual.test(yaml) && yaml.endsWith('\n') ? new CommonYaml(yaml, firstLine, report).fields() : undefined;
}

/** A position in the text. All methods return `undefined` to leave the text to the full reader. */
class CommonYaml {
  readonly #text: string;
  readonly #report: Report;
  #line: number;
  #at = 0;
  #values = 0;
  /** The innermost key, and the number of lists between it and the value. Both are for messages. */
  #key = '';
  #lists = 0;

  constructor(text: string, firstLine: number, report: Report) {
    this.#text = text;
    this.#line = firstLine;
    this.#report = report;
  }

  fields(): ReadonlyMap<string, CommonField> | undefined {
    const fields = new Map<string, CommonField>();
    this.#skipEmptyLines();
    while (this.#at < this.#text.length) {
      const line = this.#line;
      const key = this.#match(blockKey);
      if (key === undefined || fields.has(key) || !isSafeKey(key)) return undefined;
      const value = this.#fieldValue(key, 0, 1);
      if (value === undefined) return undefined;
      fields.set(key, { line, value });
      this.#skipEmptyLines();
      if (this.#text.charCodeAt(this.#at) === space) return undefined;
    }
    return fields;
  }

  /** A mapping whose first key is at this position, and the others in lines with this indentation. */
  #mapping(indent: number, depth: number): Record<string, JsonValue> | undefined {
    const object: Record<string, JsonValue> = {};
    for (;;) {
      const key = this.#match(blockKey);
      if (key === undefined || Object.hasOwn(object, key) || !isSafeKey(key)) return undefined;
      const value = this.#fieldValue(key, indent, depth);
      if (value === undefined) return undefined;
      object[key] = value;
      const next = this.#indentation();
      if (next < indent) return object;
      if (next > indent) return undefined;
      this.#at += indent;
    }
  }

  /** The value after a key in a line with this indentation. Ends at the start of a line. */
  #fieldValue(key: string, indent: number, depth: number): JsonValue | undefined {
    const outer = this.#key;
    const lists = this.#lists;
    this.#key = key;
    this.#lists = 0;
    const value = this.#text.charCodeAt(this.#at) === LF ? this.#below(indent, depth) : this.#inLine(indent, depth);
    this.#key = outer;
    this.#lists = lists;
    return value;
  }

  /** A mapping or list in the following lines, or nothing. */
  #below(indent: number, depth: number): JsonValue | undefined {
    const line = this.#line;
    this.#endLine();
    const next = this.#indentation();
    if (next >= indent && this.#isItem(next)) return this.#list(next, depth + 1);
    if (next <= indent) return this.#plain('', line);
    if (++this.#values > most.values || depth >= most.depth) return undefined;
    this.#at += next;
    return this.#mapping(next, depth + 1);
  }

  #list(indent: number, depth: number): readonly JsonValue[] | undefined {
    if (++this.#values > most.values || depth > most.depth) return undefined;
    const items: JsonValue[] = [];
    this.#lists++;
    do {
      const start = this.#at;
      this.#at += indent + 1;
      this.#skipSpaces();
      const item = this.#isMapping() ? this.#mapping(this.#at - start, depth + 1) : this.#inLine(indent, depth);
      if (item === undefined || depth >= most.depth) return undefined;
      items.push(item);
    } while (this.#isItem(indent, this.#indentation()));
    this.#lists--;
    return items;
  }

  /** A value that starts in this line, and the rest of the line. `indent` is that of the key or item. */
  #inLine(indent: number, depth: number): JsonValue | undefined {
    const text = this.#text;
    switch (text[this.#at]) {
      case '"':
      case "'": {
        const quoted = this.#quoted();
        return this.#endLine() ? quoted : undefined;
      }
      case '[':
      case '{': {
        const value = this.#flow(depth + 1);
        return value !== undefined && this.#endLine() ? value : undefined;
      }
      case '|':
      case '>':
        return this.#block(indent);
      default: {
        const line = this.#line;
        const end = text.indexOf('\n', this.#at);
        const plain = withoutEndBlanks(text.slice(this.#at, end));
        if (plain.includes(': ') || plain.endsWith(':') || plain.includes(' #')) return undefined;
        this.#at = end;
        this.#endLine();
        return plainStart.test(plain) ? this.#plain(plain, line) : undefined;
      }
    }
  }

  #plain(text: string, line: number): JsonValue | undefined {
    if (++this.#values > most.values) return undefined;
    const first = text.charCodeAt(0);
    const isLetter = (first >= 0x41 && first <= 0x5a) || (first >= 0x61 && first <= 0x7a);
    if (first > 0x7f || (isLetter && (text.length > 5 || !meaningful.test(text)))) return text;
    const value = coreScalar(text);
    if (
      typeof value === 'number' &&
      !Number.isSafeInteger(value) &&
      (Number.isInteger(value) || !Number.isFinite(value))
    )
      return undefined;
    checkPlainScalar(
      text,
      () => `${'an item of '.repeat(this.#lists)}the value of ${quoteText(this.#key)}`,
      line,
      this.#report,
    );
    return value;
  }

  #quoted(): string | undefined {
    if (++this.#values > most.values) return undefined;
    if (this.#text[this.#at] === "'") return this.#match(singleQuoted)?.replaceAll("''", "'");
    const written = this.#match(doubleQuoted);
    if (!written?.includes('\\')) return written;
    const text = written.replace(/\\(.)/g, (_, escaped: string) =>
      escaped === 'n' ? '\n' : escaped === 't' ? '\t' : escaped,
    );
    // An escape before a character that varies or joins may hide it.
    return hiddenCharacters(text).length === 0 ? text : undefined;
  }

  /** A list or mapping in brackets, which end in this line. */
  #flow(depth: number): JsonValue | undefined {
    if (++this.#values > most.values || depth > most.depth) return undefined;
    const isList = this.#text[this.#at] === '[';
    const close = isList ? ']' : '}';
    const items: JsonValue[] = [];
    const object: Record<string, JsonValue> = {};
    const outer = this.#key;
    const lists = this.#lists;
    this.#lists = isList ? lists + 1 : 0;
    this.#at++;
    this.#skipSpaces();
    if (this.#text[this.#at] !== close) {
      for (;;) {
        const key = isList ? '' : (this.#match(quotedFlowKey) ?? this.#match(flowKey));
        if (key === undefined || (!isList && (Object.hasOwn(object, key) || !isSafeKey(key)))) return undefined;
        if (!isList) this.#key = key;
        const value = this.#inFlow(depth);
        if (value === undefined) return undefined;
        if (isList) items.push(value);
        else object[key] = value;
        this.#skipSpaces();
        if (this.#text[this.#at] === close) break;
        if (this.#text[this.#at] !== ',') return undefined;
        this.#at++;
        this.#skipSpaces();
      }
    }
    this.#at++;
    this.#key = outer;
    this.#lists = lists;
    return isList ? items : object;
  }

  #inFlow(depth: number): JsonValue | undefined {
    const text = this.#text;
    const first = text[this.#at];
    if (first === '"' || first === "'") return this.#quoted();
    if (first === '[' || first === '{') return this.#flow(depth + 1);
    const start = this.#at;
    let end = start;
    while (!/[,[\]{}\n]/.test(text[end] as string)) end++;
    const plain = withoutEndBlanks(text.slice(start, end));
    if (!plainStart.test(plain) || /: |:$| #/.test(plain)) return undefined;
    this.#at = end;
    return this.#plain(plain, this.#line);
  }

  /** A `|` or `>` block whose lines all have the indentation of the first; a `>` block has no deeper lines. */
  #block(indent: number): string | undefined {
    const text = this.#text;
    blockHeader.lastIndex = this.#at;
    const [header, style, chomping] = blockHeader.exec(text) ?? [];
    if (header === undefined || ++this.#values > most.values) return undefined;
    this.#at += header.length;
    this.#line++;
    const own = this.#indentHere();
    if (own <= indent) return undefined;
    const folded = style === '>';
    let block = '';
    let empty = 0;
    for (let first = true; this.#at < text.length; ) {
      if (text.charCodeAt(this.#at) === LF) empty++;
      else {
        const here = this.#indentHere();
        if (here < own) break;
        const end = text.indexOf('\n', this.#at);
        const content = text.slice(this.#at + own, end);
        if (content.trim() === '' || (folded && here > own)) return undefined;
        if (!first) block += folded ? (empty === 0 ? ' ' : '\n'.repeat(empty)) : '\n'.repeat(empty + 1);
        first = false;
        block += content;
        empty = 0;
        this.#at = end;
      }
      this.#at++;
      this.#line++;
    }
    if (text.charCodeAt(this.#at + this.#indentHere()) === LF) return undefined;
    return chomping === '-' ? block : chomping === '+' ? block + '\n'.repeat(empty + 1) : `${block}\n`;
  }

  /** The first group, if the pattern matches here; then the position is after the match. */
  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match === null) return undefined;
    this.#at = pattern.lastIndex;
    return match[1];
  }

  #isMapping(): boolean {
    blockKey.lastIndex = this.#at;
    return blockKey.test(this.#text);
  }

  /** True if an item of a list with this indentation follows. */
  #isItem(indent: number, found = indent): boolean {
    const at = this.#at + indent;
    return found === indent && this.#text.charCodeAt(at) === hyphen && this.#text.charCodeAt(at + 1) === space;
  }

  /** The indentation of the next line that is not empty; -1 at the end. */
  #indentation(): number {
    this.#skipEmptyLines();
    return this.#at >= this.#text.length ? -1 : this.#indentHere();
  }

  #indentHere(): number {
    let at = this.#at;
    while (this.#text.charCodeAt(at) === space) at++;
    return at - this.#at;
  }

  #skipSpaces(): void {
    this.#at += this.#indentHere();
  }

  #skipEmptyLines(): void {
    while (this.#text.charCodeAt(this.#at) === LF) {
      this.#at++;
      this.#line++;
    }
  }

  /** False if more than blanks is left in this line. */
  #endLine(): boolean {
    this.#skipSpaces();
    if (this.#text.charCodeAt(this.#at) !== LF) return false;
    this.#at++;
    this.#line++;
    return true;
  }
}

function isSafeKey(key: string): boolean {
  return key.length > 5 || !meaningful.test(key);
}

/** YAML drops only spaces here (tabs are left to the full reader); other blanks are text. */
function withoutEndBlanks(text: string): string {
  let end = text.length;
  while (text.charCodeAt(end - 1) === space) end--;
  return text.slice(0, end);
}

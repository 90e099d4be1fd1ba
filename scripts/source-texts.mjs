// Reads the texts that people see, and the comments, out of TypeScript source. Nothing is run: texts come from the syntax tree,
// with `{name}` in place of values. Used by write-golden.mjs and voice.mjs.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import ts from 'typescript';

const errorClasses = new Set(['SkillwireError', 'VerificationError', 'PolicyError', 'PlaceFault', 'LocationFault']);
/** Calls whose first argument is a code or rule and whose next text is the message. */
const reporters = new Set(['finding', 'remark']);
const helpCalls = new Set(['option', 'requiredOption', 'argument', 'addHelpText', 'helpOption', 'helpCommand']);
const testCalls = new Set(['test', 'describe', 'it', 'verifies', 'on']);
/** Three words in a row, at least one of them in lower case: a text for people, not a header or a media type. */
const prose = /(?:^|[\s"'({])[A-Za-z][a-z'’-]*[,;:.]? [{"'(]?[A-Za-z][\w'’-]*[}"')]?[,;:.]? [{"'(]?[A-Za-z]/;

/** @typedef {{ readonly kind: string, readonly text: string, readonly at: number, readonly line: number }} SourceText */

const testName = /\.test\.tsx?$|^test\//;

/** The .ts, .tsx and .mjs files below paths, tests left out, sorted. @param {readonly string[]} paths */
export function sourceFiles(paths) {
  return scriptFiles(paths).filter((file) => !testName.test(file));
}

/** Tests and their parts below paths, sorted. @param {readonly string[]} paths */
export function testFiles(paths) {
  return scriptFiles(paths).filter((file) => testName.test(file));
}

/** @param {readonly string[]} paths */
function scriptFiles(paths) {
  return paths
    .flatMap((path) =>
      statSync(path).isFile()
        ? [path]
        : readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => `${path}/${name}`),
    )
    .filter((file) => /\.(?:tsx?|mjs)$/.test(file) && !/\.d\.m?ts$|node_modules|voice-rules/.test(file))
    .map((file) => file.replaceAll('\\', '/').replace(/\/+/g, '/'))
    .sort();
}

/** @param {string} file @param {string} [content] */
export function parse(file, content = readFileSync(file, 'utf8')) {
  return ts.createSourceFile(file, content, ts.ScriptTarget.ESNext, true);
}

/**
 * Messages of errors and findings with their code or rule, and every other text for people, in file order. @param {ts.SourceFile} source
 * @returns {SourceText[]}
 */
export function messagesOf(source) {
  /** @type {SourceText[]} */
  const found = [];
  /** @type {Set<ts.Node>} */
  const used = new Set();
  const add = (kind, text, node) => {
    const clean = text.replace(/[ \t]+/g, ' ').trim();
    if (clean === '' || /^[\s{}\w]*$/.test(clean.replace(/\{[^}]*\}/g, ''))) {
      if (!/[a-z] [a-z]/i.test(clean.replace(/\{[^}]*\}/g, ''))) return;
    }
    found.push({
      kind,
      text: clean,
      at: node.getStart(),
      line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1,
    });
  };

  /** All forms of an expression; conditions give one form each, at most eight. @param {ts.Node} node @returns {string[]} */
  const forms = (node, depth = 0) => {
    if (depth > 6) return ['{…}'];
    const deeper = (part) => forms(part, depth + 1);
    if (ts.isStringLiteralLike(node)) {
      used.add(node);
      return [node.text];
    }
    if (ts.isTemplateExpression(node)) {
      used.add(node);
      return node.templateSpans.reduce(
        (texts, { expression, literal }) => {
          const inner = ts.isStringLiteralLike(expression) || ts.isConditionalExpression(expression);
          const parts = inner ? deeper(expression) : [`{${nameOf(expression)}}`];
          return crossed(crossed(texts, parts), [literal.text]);
        },
        [node.head.text],
      );
    }
    if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return deeper(node.expression);
    if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken)
      return crossed(deeper(node.left), deeper(node.right));
    if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken)
      return [...deeper(node.left), ...deeper(node.right)].filter((text) => !/^\{\w*\}$/.test(text));
    if (ts.isConditionalExpression(node)) return [...deeper(node.whenTrue), ...deeper(node.whenFalse)].slice(0, 8);
    if (ts.isIdentifier(node)) {
      const value = constant(node);
      return value === undefined ? [`{${node.text}}`] : deeper(value);
    }
    return [`{${nameOf(node)}}`];
  };

  /** The initializer of a `const` that an identifier names in this file. @param {ts.Identifier} name */
  const constant = (name) => {
    for (let scope = name.parent; scope !== undefined; scope = scope.parent) {
      if (!ts.isBlock(scope) && !ts.isSourceFile(scope) && !ts.isCaseClause(scope)) continue;
      for (const statement of scope.statements) {
        if (!ts.isVariableStatement(statement)) continue;
        const one = statement.declarationList.declarations.find((each) => each.name.getText() === name.text);
        const value = one?.initializer;
        if (value === undefined) continue;
        return ts.isStringLiteralLike(value) || ts.isTemplateExpression(value) || ts.isConditionalExpression(value)
          ? value
          : undefined;
      }
    }
    return undefined;
  };

  /** Errors and findings first: a text that one of them uses is not listed again by itself. @param {ts.Node} node */
  const visitReports = (node) => {
    if (ts.isNewExpression(node) && errorClasses.has(node.expression.getText())) {
      const [first, second] = node.arguments ?? [];
      const bare = /Fault$/.test(node.expression.getText());
      const message = bare ? first : second;
      const kind = bare || first === undefined ? 'fault' : ts.isStringLiteralLike(first) ? first.text : 'error';
      if (message !== undefined) for (const text of forms(message)) add(kind, text, node);
    }
    if (ts.isCallExpression(node) && reporters.has(calleeOf(node))) {
      const [rule, message] = node.arguments;
      if (rule !== undefined && ts.isStringLiteralLike(rule) && message !== undefined)
        for (const text of forms(message)) add(rule.text, text, node);
    }
    ts.forEachChild(node, visitReports);
  };
  /** @param {ts.Node} node */
  const visitTexts = (node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return;
    if (ts.isJsxText(node) && /[A-Za-z]/.test(node.text)) add('text', node.text.replace(/\s+/g, ' '), node);
    const isLiteral = ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
    if (isLiteral && !used.has(node)) {
      const inAttribute = ts.isJsxAttribute(node.parent);
      if (isText(node, inAttribute))
        for (const text of forms(node)) if (inAttribute || prose.test(text)) add('text', text, node);
    }
    // A list of words for the program: `'a about after'.split(' ')`.
    if (ts.isPropertyAccessExpression(node) && node.name.text === 'split') return;
    // Help comes from the program itself.
    if (ts.isCallExpression(node) && helpCalls.has(calleeOf(node))) visitTexts(node.expression);
    else ts.forEachChild(node, visitTexts);
  };
  visitReports(source);
  visitTexts(source);
  return found.sort((a, b) => a.at - b.at);
}

/** The titles of tests and of their groups. @param {ts.SourceFile} source @returns {SourceText[]} */
export function titlesOf(source) {
  /** @type {SourceText[]} */
  const found = [];
  /** The name that a chain such as `test.skipIf(…).each(…)` begins with. @param {ts.Node} node @returns {string} */
  const rootOf = (node) =>
    ts.isPropertyAccessExpression(node) || ts.isCallExpression(node)
      ? rootOf(node.expression)
      : ts.isTaggedTemplateExpression(node)
        ? rootOf(node.tag)
        : node.getText();
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isCallExpression(node) && testCalls.has(rootOf(node.expression))) {
      const title = node.arguments
        .slice(0, 2)
        .find((one) => ts.isStringLiteralLike(one) || ts.isTemplateExpression(one));
      if (title !== undefined) {
        const at = title.getStart();
        const line = source.getLineAndCharacterOfPosition(at).line + 1;
        // A title is a sentence, whatever its first letter.
        const text = title
          .getText()
          .slice(1, -1)
          .replace(/^[a-z]/, (letter) => letter.toUpperCase());
        found.push({ kind: 'title', text, at, line });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The declared names: of variables, parameters, functions, types and their members. @param {ts.SourceFile} source @returns {SourceText[]} */
export function namesOf(source) {
  /** @type {SourceText[]} */
  const found = [];
  // The keys of objects in tests are data.
  const hasMembers = !testName.test(source.fileName);
  /** @param {ts.Node} node */
  const visit = (node) => {
    const isNamed =
      ts.isVariableDeclaration(node) ||
      ts.isParameter(node) ||
      ts.isBindingElement(node) ||
      ts.isFunctionDeclaration(node) ||
      isType(node) ||
      ts.isClassElement(node) ||
      ts.isTypeElement(node) ||
      (hasMembers && ts.isPropertyAssignment(node));
    if (isNamed && node.name !== undefined && ts.isIdentifier(node.name)) {
      const at = node.name.getStart();
      const line = source.getLineAndCharacterOfPosition(at).line + 1;
      found.push({ kind: 'name', text: node.name.text, at, line });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The types that a file exports by a declaration of its own. @param {ts.SourceFile} source @returns {SourceText[]} */
export function exportedTypesOf(source) {
  return source.statements.flatMap((node) => {
    if (!isType(node) || !node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
    const at = node.name?.getStart() ?? 0;
    const line = source.getLineAndCharacterOfPosition(at).line + 1;
    return [{ kind: 'type', text: node.name?.text ?? '', at, line }];
  });
}

/** @param {ts.Node} node */
function isType(node) {
  return ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node);
}

/** @param {ts.CallExpression} node */
function calleeOf(node) {
  const { expression } = node;
  return ts.isPropertyAccessExpression(expression) ? expression.name.text : expression.getText();
}

/** @param {ts.Node} node @param {boolean} inAttribute */
function isText(node, inAttribute) {
  if (inAttribute)
    return /^(?:title|label|placeholder|alt|aria-label|summary)$/.test(node.parent.name?.getText?.() ?? '');
  return !ts.isTaggedTemplateExpression(node.parent) && !ts.isLiteralTypeNode(node.parent);
}

/** @param {readonly string[]} before @param {readonly string[]} after */
const crossed = (before, after) => before.flatMap((one) => after.map((other) => one + other)).slice(0, 8);

/** @param {ts.Node} node @returns {string} */
function nameOf(node) {
  if (ts.isCallExpression(node)) {
    const [first] = node.arguments;
    const callee = nameOf(node.expression);
    // Calls such as `quoteText(name)` only change how a value looks.
    return first !== undefined && node.arguments.length <= 2 && /^[a-z]\w*Text$|^shown?$|^String$/.test(callee)
      ? nameOf(first)
      : callee;
  }
  if (ts.isPropertyAccessExpression(node)) return node.name.text;
  if (ts.isIdentifier(node)) return node.text;
  if (ts.isAwaitExpression(node) || ts.isParenthesizedExpression(node) || ts.isNonNullExpression(node))
    return nameOf(node.expression);
  return '…';
}

/** Comments as text without their marks; lines of `//` that follow each other are one comment. @param {ts.SourceFile} source @returns {SourceText[]} */
export function commentsOf(source) {
  const content = source.text;
  /** @type {Map<number, { end: number, text: string, line: number, own: boolean }>} */
  const ranges = new Map();
  const take = (range) => {
    const line = source.getLineAndCharacterOfPosition(range.pos).line + 1;
    const start = content.lastIndexOf('\n', range.pos) + 1;
    const own = content.slice(start, range.pos).trim() === '';
    ranges.set(range.pos, { end: range.end, text: content.slice(range.pos, range.end), line, own });
  };
  const visit = (node) => {
    for (const range of ts.getLeadingCommentRanges(content, node.getFullStart()) ?? []) take(range);
    for (const range of ts.getTrailingCommentRanges(content, node.getEnd()) ?? []) take(range);
    for (const child of node.getChildren(source)) visit(child);
  };
  visit(source);
  /** @type {(SourceText & { last: number, slashes: boolean })[]} */
  const comments = [];
  for (const [, { text, line, own }] of [...ranges].sort(([a], [b]) => a - b)) {
    if (/^\/\/ (?:biome-ignore|@ts-)|^\/\* @__/.test(text)) continue;
    const slashes = text.startsWith('//');
    const plain = slashes
      ? text.slice(2).trim()
      : text
          .replace(/^\/\*+|\*\/$/g, '')
          .replace(/^\s*\* ?/gm, '')
          .trim();
    const before = comments.at(-1);
    if (slashes && own && before?.slashes && before.last === line - 1) {
      before.text += `\n${plain}`;
      before.last = line;
    } else
      comments.push({
        kind: 'comment',
        text: plain,
        at: 0,
        line,
        last: line + text.split('\n').length - 1,
        slashes: slashes && own,
      });
  }
  return comments;
}

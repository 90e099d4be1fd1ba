// Makes small faults from the syntax tree of a TypeScript file: each is a change that a test should notice. Types, imports, property names and
// sentences (texts with a space) are not changed: no test should depend on the wording of a message.
import ts from 'typescript';

/**
 * @typedef {{
 *   readonly operator: string, readonly start: number, readonly end: number, readonly text: string,
 *   readonly line: number, readonly from: string, readonly to: string,
 * }} Mutant
 */

const { SyntaxKind } = ts;

/** For each operator: its replacement and the name of the fault. */
const swaps = new Map([
  [SyntaxKind.LessThanToken, ['<=', 'boundary']],
  [SyntaxKind.LessThanEqualsToken, ['<', 'boundary']],
  [SyntaxKind.GreaterThanToken, ['>=', 'boundary']],
  [SyntaxKind.GreaterThanEqualsToken, ['>', 'boundary']],
  [SyntaxKind.EqualsEqualsEqualsToken, ['!==', 'equality']],
  [SyntaxKind.ExclamationEqualsEqualsToken, ['===', 'equality']],
  [SyntaxKind.AmpersandAmpersandToken, ['||', 'logical']],
  [SyntaxKind.BarBarToken, ['&&', 'logical']],
  [SyntaxKind.MinusToken, ['+', 'arithmetic']],
  [SyntaxKind.AsteriskToken, ['/', 'arithmetic']],
]);

/** @param {string} fileName @param {string} source @returns {readonly Mutant[]} */
export function mutantsOf(fileName, source) {
  const file = ts.createSourceFile(fileName, source, ts.ScriptTarget.Latest, true);
  /** @type {Mutant[]} */
  const found = [];

  /** @param {string} operator @param {ts.Node} node @param {string} text */
  function add(operator, node, text) {
    const start = node.getStart(file);
    const end = node.getEnd();
    found.push({ operator, start, end, text, ...lines(source, start, end, text) });
  }

  /** @param {ts.Node} node */
  function visit(node) {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
    if (ts.isIfStatement(node) || ts.isWhileStatement(node)) negate(node.expression);
    if (ts.isConditionalExpression(node)) negate(node.condition);
    if (ts.isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken)
      add('negation', node, `(${node.operand.getText(file)})`);
    if (ts.isBinaryExpression(node)) binary(node);
    if (isRemovable(node)) add('removed statement', node, ';');
    if (ts.isReturnStatement(node) && node.expression !== undefined) returned(node.expression);
    if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) returned(node.body);
    literal(node);
    ts.forEachChild(node, visit);
  }

  /** @param {ts.Expression} condition */
  function negate(condition) {
    // A comparison and a `!` already have their own, equal faults.
    if (ts.isBinaryExpression(condition) && swaps.get(condition.operatorToken.kind)?.[1] === 'equality') return;
    if (ts.isPrefixUnaryExpression(condition) && condition.operator === SyntaxKind.ExclamationToken) return;
    add('negated condition', condition, `!(${condition.getText(file)})`);
  }

  /** @param {ts.BinaryExpression} node */
  function binary(node) {
    const { operatorToken: token, left, right } = node;
    const [text, operator] = swaps.get(token.kind) ?? [];
    if (text !== undefined) add(operator, token, text);
    if (token.kind === SyntaxKind.PlusToken && ![left, right].some(isText)) add('arithmetic', token, '-');
    if (token.kind === SyntaxKind.QuestionQuestionToken) add('logical', node, `(${right.getText(file)})`);
  }

  /** @param {ts.Expression} value */
  function returned(value) {
    const { kind } = value;
    if (kind === SyntaxKind.TrueKeyword || kind === SyntaxKind.FalseKeyword) return;
    if (value.getText(file) === 'undefined') return;
    add('returned value', value, 'undefined');
  }

  /** @param {ts.Node} node */
  function literal(node) {
    if (node.kind === SyntaxKind.TrueKeyword) add('literal', node, 'false');
    if (node.kind === SyntaxKind.FalseKeyword) add('literal', node, 'true');
    if (ts.isNumericLiteral(node) && !isName(node) && !isOrder(node))
      add('literal', node, `(${node.getText(file)} + 1)`);
    if (!ts.isStringLiteral(node) || isName(node) || node.text.includes(' ')) return;
    add('literal', node, node.text === '' ? "'mutated'" : "''");
  }

  visit(file);
  return found;
}

/** The source with the fault in it. @param {string} source @param {Pick<Mutant, 'start' | 'end' | 'text'>} mutant */
export function applied(source, { start, end, text }) {
  return source.slice(0, start) + text + source.slice(end);
}

/** @param {ts.Node} node */
function isRemovable(node) {
  if (ts.isExpressionStatement(node)) return !ts.isStringLiteral(node.expression);
  if (ts.isReturnStatement(node)) return node.expression === undefined;
  return ts.isThrowStatement(node) || ts.isContinueStatement(node) || ts.isBreakStatement(node);
}

/** @param {ts.Expression} node */
function isText(node) {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
}

/** A result of a comparison, `a < b ? -1 : 1`: only its sign counts. @param {ts.Node} node */
function isOrder(node) {
  const value = ts.isPrefixUnaryExpression(node.parent) ? node.parent : node;
  const { parent } = value;
  if (!ts.isConditionalExpression(parent) || parent.condition === value) return false;
  return (
    [parent.whenTrue, parent.whenFalse]
      .map((one) => one.getText())
      .sort()
      .join() === '-1,1'
  );
}

/** A property name or a computed key's text: another name is another program, not a fault. @param {ts.Node} node */
function isName(node) {
  const { parent } = node;
  return 'name' in parent && parent.name === node;
}

/** The lines of the change before and after, as one line each. */
function lines(/** @type {string} */ source, /** @type {number} */ start, /** @type {number} */ end, text) {
  const first = source.lastIndexOf('\n', start - 1) + 1;
  const next = source.indexOf('\n', end);
  const last = next === -1 ? source.length : next;
  const line = source.slice(0, start).split('\n').length;
  const flat = (/** @type {string} */ one) => one.replace(/\s+/g, ' ').trim();
  const to = source.slice(first, start) + text + source.slice(end, last);
  return { line, from: flat(source.slice(first, last)), to: flat(to) };
}

/** True if the source with the fault still parses. @param {string} fileName @param {string} source */
export function isValid(fileName, source) {
  const parsed = ts.createSourceFile(fileName, source, ts.ScriptTarget.Latest);
  // Not in the public types. A whole program would take a second for each fault.
  return /** @type {any} */ (parsed).parseDiagnostics.length === 0;
}

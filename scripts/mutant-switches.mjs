// Puts all faults of a file into one program: each stands beside the original, and `__fault(number)` chooses at run time. So a process loads the
// file once and can try every fault.
import ts from 'typescript';

/** @typedef {import('./mutants-of.mjs').Mutant & { readonly number: number }} Numbered */

/** @param {string} fileName @param {string} source @param {readonly Numbered[]} mutants */
export function withSwitches(fileName, source, mutants) {
  const file = ts.createSourceFile(fileName, source, ts.ScriptTarget.Latest, true);
  /** @type {Map<ts.Node, Numbered[]>} */
  const places = new Map();
  for (const mutant of mutants) {
    const place = placeOf(file, mutant);
    places.set(place, [...(places.get(place) ?? []), mutant]);
  }

  /** The text of a node with the switches of everything inside. @param {ts.Node} node @returns {string} */
  function inside(node) {
    let text = '';
    let done = node.getStart(file);
    ts.forEachChild(node, (child) => {
      const start = child.getStart(file);
      text += source.slice(done, start) + written(child);
      done = child.getEnd();
    });
    return text + source.slice(done, node.getEnd());
  }

  /** @param {ts.Node} node @returns {string} */
  function written(node) {
    const original = inside(node);
    const own = places.get(node) ?? [];
    if (own.length === 0) return original;
    const [start, end] = [node.getStart(file), node.getEnd()];
    const changed = (/** @type {Numbered} */ one) =>
      source.slice(start, one.start) + one.text + source.slice(one.end, end);
    if (ts.isStatement(node)) return `{if(!__fault(${own[0]?.number})){${original}}}`;
    // The original comes last. Only one fault is active at a time, so the others keep the original text.
    const choices = own.map((one) => `__fault(${one.number})?(${changed(one)}):`).join('');
    return `(${choices}(${original}))`;
  }

  const first = 'const __fault=globalThis.__fault??(()=>false);';
  return first + source.slice(0, file.getStart(file)) + inside(file);
}

/** The smallest expression or statement around a fault. @param {ts.SourceFile} file @param {Numbered} mutant */
function placeOf(file, { start, end }) {
  /** @type {ts.Node} */
  let found = file;
  /** @param {ts.Node} node */
  function visit(node) {
    if (node.getStart(file) > start || node.getEnd() < end) return;
    if (ts.isExpression(node) || ts.isStatement(node)) found = node;
    ts.forEachChild(node, visit);
  }
  ts.forEachChild(file, visit);
  return found;
}

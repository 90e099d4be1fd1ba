/** Edits JSON with comments and trailing commas. A new property goes to the end of its object, after the comment of the last one. */
import { applyEdits, findNodeAtLocation, modify, type Node, type ParseError, parse, parseTree } from 'jsonc-parser';
import type { ClientEntryChange, TextEditor } from './text-editor.ts';

const lenient = { allowTrailingComma: true, disallowComments: false };

export const jsonEditor: TextEditor = {
  parse(text) {
    const errors: ParseError[] = [];
    const value: unknown = parse(text, errors, lenient);
    const [first] = errors;
    if (first !== undefined) throw new Error(`error in line ${text.slice(0, first.offset).split('\n').length}`);
    return value;
  },

  edit(text, { root, name, old, entry, gone, inputs }) {
    let edited = text;
    if (inputs.length > 0) edited = withInputs(edited, inputs) ?? edited;
    if (old !== undefined) {
      for (const key of gone) edited = changed(edited, [root, name, key], undefined);
      for (const [key, value] of Object.entries(entry)) {
        if (JSON.stringify(old[key]) !== JSON.stringify(value)) edited = changed(edited, [root, name, key], value);
      }
      return edited;
    }
    const tree = parseTree(edited, [], lenient);
    if (tree === undefined) return undefined;
    const servers = findNodeAtLocation(tree, [root]);
    if (servers === undefined) return withProperty(edited, tree, root, { [name]: entry });
    // null, or a name without a value
    if (servers.type !== 'object') return changed(edited, [root], { [name]: entry });
    return findNodeAtLocation(servers, [name]) === undefined
      ? withProperty(edited, servers, name, entry)
      : changed(edited, [root, name], entry);
  },
};

function withInputs(text: string, inputs: ClientEntryChange['inputs']): string | undefined {
  const tree = parseTree(text, [], lenient);
  if (tree === undefined) return undefined;
  const list = findNodeAtLocation(tree, ['inputs']);
  if (list?.type !== 'array') return withProperty(text, tree, 'inputs', inputs);
  let edited = text;
  for (const [index, input] of inputs.entries()) {
    const at = ['inputs', (list.children?.length ?? 0) + index];
    const edits = modify(edited, at, input, { formattingOptions: formatting(text), isArrayInsertion: true });
    edited = applyEdits(edited, edits);
  }
  return edited;
}

function changed(text: string, path: (string | number)[], value: unknown): string {
  return applyEdits(text, modify(text, path, value, { formattingOptions: formatting(text) }));
}

/** The object with one more property at its end. */
function withProperty(text: string, object: Node, key: string, value: unknown): string | undefined {
  if (object.type !== 'object') return undefined;
  const { eol, unit } = indentation(text);
  const outer = lineIndent(text, object.offset);
  const last = object.children?.at(-1);
  const inner = last === undefined || onLineOf(text, last, object) ? outer + unit : lineIndent(text, last.offset);
  const json = JSON.stringify(value, null, unit).replaceAll('\n', `${eol}${inner}`);
  const property = `${inner}${JSON.stringify(key)}: ${json}`;
  const close = object.offset + object.length - 1;
  if (last === undefined) {
    const between = text.slice(object.offset + 1, close).trimEnd();
    return `${text.slice(0, object.offset + 1)}${between}${eol}${property}${eol}${outer}${text.slice(close)}`;
  }
  const valueEnd = last.offset + last.length;
  const comma = commaAfter(text, valueEnd, close);
  const end = lineEnd(text, comma === undefined ? valueEnd : comma + 1, close);
  const tail = text.slice(end, close);
  return [
    text.slice(0, valueEnd),
    comma === undefined ? ',' : '',
    text.slice(valueEnd, end),
    eol,
    property,
    comma === undefined ? '' : ',',
    /[\r\n]/.test(tail) ? tail : `${eol}${outer}`,
    text.slice(close),
  ].join('');
}

function onLineOf(text: string, child: Node, object: Node): boolean {
  return !/[\r\n]/.test(text.slice(object.offset, child.offset));
}

const comment = /\/\*[\s\S]*?\*\/|\/\/[^\r\n]*/g;

/** The position of the comma after the last property, if there is one. */
function commaAfter(text: string, from: number, close: number): number | undefined {
  const bare = text.slice(from, close).replace(comment, (found) => ' '.repeat(found.length));
  const found = bare.indexOf(',');
  return found === -1 ? undefined : from + found;
}

/** The end of the property, with comments on the same line. */
function lineEnd(text: string, from: number, close: number): number {
  const rest = text.slice(from, close);
  return from + (/^(?:[ \t]*(?:\/\*[^\r\n]*?\*\/|\/\/[^\r\n]*))*/.exec(rest)?.[0].length ?? 0);
}

function lineIndent(text: string, offset: number): string {
  const start = Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? '';
}

function indentation(text: string): { readonly eol: string; readonly unit: string } {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  return { eol, unit: /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ' };
}

function formatting(text: string): { eol: string; insertSpaces: boolean; tabSize: number } {
  const { eol, unit } = indentation(text);
  return { eol, insertSpaces: !unit.includes('\t'), tabSize: unit.includes('\t') ? 1 : unit.length };
}

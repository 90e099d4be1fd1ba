/**
 * Valid YAML that hosts refuse all the same. The client of the official MCP SDK verifies frontmatter with a reader of its own
 * that knows a part of YAML only; a skill that goes beyond it is listed there but cannot be loaded. Each form is named once,
 * at its first place.
 */
import { lineAt, lineStarts } from './text-lines.ts';
import { keyText } from './yaml-json.ts';
import type { YamlMapping, YamlNode, YamlTree } from './yaml-tree.ts';

export interface UncommonForm {
  readonly line: number;
  readonly message: string;
  readonly remedy: string;
}

const official = 'the official MCP client does not read';

const forms = {
  anchor: {
    message: `the frontmatter has anchors or aliases ("&", "*"), which ${official}`,
    remedy: 'write the value out where it is used',
  },
  brokenQuotes: {
    message: `a quoted value runs over several lines, which ${official}`,
    remedy: 'write it on one line, or as a block after ">-"',
  },
  brokenFlow: {
    message: `a list or mapping in brackets runs over several lines, which ${official}`,
    remedy: 'write it on one line, or as indented lines without brackets',
  },
  indented: {
    message: `a block gives its indentation as a number, which ${official}`,
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
    message: `the frontmatter has a line "...", which ${official}`,
    remedy: 'remove the line',
  },
  loneReturn: {
    message: `lines end with CR alone, which ${official}`,
    remedy: 'save the file with LF or CRLF line ends',
  },
} as const;

/** `yaml` is the text of the tree, whose first line has the number `firstLine`. */
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

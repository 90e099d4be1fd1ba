/**
 * Edits that give fields of a frontmatter the types that the specification and the official client require. Each edit
 * replaces one value and nothing else. Values that other clients read by type stay: fields outside the specification,
 * and objects in `metadata` that a known client reads.
 */
import { coreScalar, scalarAmbiguity } from './ambiguous-scalars.ts';
import { quoteText } from './display-text.ts';
import { nameYaml } from './frontmatter-fields.ts';
import { isSkillName, suggestName } from './name.ts';
import type { YamlMapping, YamlNode, YamlPair, YamlScalar } from './yaml-tree.ts';
import { keyText, toJson } from './yaml-tree.ts';

export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Describes the edit as a phrase. */
  readonly what: string;
}

/** Keys of `metadata` whose objects a known client reads; as text they would be lost to it. */
export const objectKeys: ReadonlyMap<string, string> = new Map([
  ['openclaw', 'OpenClaw'],
  ['clawdbot', 'OpenClaw'],
  ['clawdis', 'OpenClaw'],
  ['moltbot', 'OpenClaw'],
]);

/** Edits of the YAML between the fences, last to first. `folder` is the name of the skill's folder. */
export function fieldEdits(yaml: string, root: YamlMapping, folder: string): readonly TextEdit[] {
  const edits: TextEdit[] = [];
  const fields = new Map(root.pairs.map((pair) => [keyText(pair.key), pair]));
  const name = fields.get('name');
  if (name === undefined) {
    if (isSkillName(folder)) edits.push(addedName(yaml, folder));
  } else edits.push(...nameEdits(yaml, name, folder));
  for (const key of ['description', 'license'] as const) edits.push(...textEdits(fields.get(key), key));
  edits.push(...joinedEdits(yaml, fields.get('compatibility'), 'compatibility', ', '));
  edits.push(...joinedEdits(yaml, fields.get('allowed-tools'), 'allowed-tools', ' '));
  edits.push(...metadataEdits(yaml, fields.get('metadata')));
  return edits.sort((a, b) => b.start - a.start);
}

function addedName(yaml: string, folder: string): TextEdit {
  const end = /\r\n|\r|\n/.exec(yaml)?.[0] ?? '\n';
  return { start: 0, end: 0, text: `name: ${nameYaml(folder)}${end}`, what: 'added the name of the folder' };
}

function nameEdits(yaml: string, pair: YamlPair, folder: string): readonly TextEdit[] {
  const { value } = pair;
  if (value.kind !== 'scalar' || value.tag !== undefined || value.anchored || isSkillName(toJson(value))) return [];
  const name = isSkillName(folder) ? folder : (suggestName(value.text) ?? suggestName(folder));
  if (name === undefined) return [];
  const what = `changed the name ${quoteText(value.text)} to "${name}"`;
  return isOneLine(value)
    ? scalarEdits(yaml, pair, value, nameYaml(name), what)
    : replaced(yaml, pair, nameYaml(name), what);
}

/** Replaces a value, or inserts one after the colon if there is none. */
function scalarEdits(
  yaml: string,
  { key }: YamlPair,
  { start, end }: YamlScalar,
  text: string,
  what: string,
): readonly TextEdit[] {
  if (start < end) return [{ start, end, text, what }];
  const colon = yaml.indexOf(':', key.end);
  return colon === -1 ? [] : [{ start: colon + 1, end: colon + 1, text: ` ${text}`, what }];
}

/** Quotes a plain value that some readers do not treat as text. */
function textEdits(pair: YamlPair | undefined, key: string): readonly TextEdit[] {
  const value = pair?.value;
  if (value?.kind !== 'scalar' || value.style !== 'plain' || value.text === '' || !isOneLine(value)) return [];
  return scalarAmbiguity(value.text) === undefined ? [] : [quoted(value, key)];
}

function quoted({ start, end, text }: YamlScalar, key: string): TextEdit {
  return { start, end, text: JSON.stringify(text), what: `put the value of ${quoteText(key)} in quotes` };
}

function isOneLine({ source, style, tag, anchored }: YamlScalar): boolean {
  return style !== 'block' && tag === undefined && !anchored && !/[\r\n]/.test(source);
}

/** Joins a list into one text, or quotes a plain value. */
function joinedEdits(yaml: string, pair: YamlPair | undefined, key: string, separator: string): readonly TextEdit[] {
  if (pair?.value.kind !== 'sequence') return textEdits(pair, key);
  const items = textItems(pair.value.items);
  if (items === undefined || items.length === 0) return [];
  if (separator === ' ' && items.some((item) => /[\s,]/.test(item))) return [];
  return replaced(yaml, pair, JSON.stringify(items.join(separator)), `wrote the list ${quoteText(key)} as one text`);
}

/** The items as text, if all of them are scalars. */
function textItems(items: readonly YamlNode[]): readonly string[] | undefined {
  const texts = items.flatMap((item) => (item.kind === 'scalar' && item.tag === undefined ? [item.text] : []));
  return texts.length === items.length ? texts : undefined;
}

function metadataEdits(yaml: string, pair: YamlPair | undefined): readonly TextEdit[] {
  if (pair === undefined) return [];
  const { value } = pair;
  if (value.kind === 'scalar' && isOneLine(value) && value.style === 'plain' && value.text === '')
    return scalarEdits(yaml, pair, value, '{}', 'gave "metadata" an empty mapping');
  if (value.kind !== 'mapping') return [];
  const edits = value.pairs.map((inner) => metadataValueEdits(yaml, inner));
  const isLeft = ({ value: { kind } }: YamlPair, index: number): boolean =>
    kind !== 'scalar' && edits[index]?.length === 0;
  // If one collection must stay, changing the others has no benefit.
  const stays = value.pairs.some(isLeft);
  return edits.flatMap((some, index) => (stays && value.pairs[index]?.value.kind !== 'scalar' ? [] : some));
}

function metadataValueEdits(yaml: string, pair: YamlPair): readonly TextEdit[] {
  const key = keyText(pair.key);
  const { value } = pair;
  if (key === undefined || value.kind === 'alias') return [];
  if (value.kind === 'scalar') {
    if (value.style !== 'plain' || !isOneLine(value)) return [];
    if (coreScalar(value.text) !== null) return textEdits(pair, key);
    return scalarEdits(yaml, pair, value, '""', `gave ${quoteText(key)} an empty text`);
  }
  if (value.tag !== undefined || value.anchored || holdsAlias(value)) return [];
  if (value.kind === 'sequence') {
    const items = textItems(value.items);
    if (items?.every((item) => !item.includes(',')) === true)
      return replaced(yaml, pair, JSON.stringify(items.join(', ')), `wrote the list ${quoteText(key)} as one text`);
  } else if (objectKeys.has(key)) return [];
  return replaced(yaml, pair, JSON.stringify(JSON.stringify(toJson(value))), `wrote ${quoteText(key)} as JSON text`);
}

function holdsAlias(node: YamlNode): boolean {
  if (node.kind === 'alias' || node.anchored) return true;
  if (node.kind === 'sequence') return node.items.some(holdsAlias);
  return node.kind === 'mapping' && node.pairs.some(({ key, value }) => holdsAlias(key) || holdsAlias(value));
}

/** Replaces a value over several lines by one line, unless that would delete a comment. */
function replaced(yaml: string, { key, value }: YamlPair, text: string, what: string): readonly TextEdit[] {
  const start = yaml.indexOf(':', key.end) + 1;
  const before = yaml.slice(start, value.end).trimEnd();
  if (start === 0 || start > value.start || /(?:^|\s)#/.test(before)) return [];
  return [{ start, end: start + before.length, text: ` ${text}`, what }];
}

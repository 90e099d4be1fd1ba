/**
 * A YAML tree that knows its source: lines, quoting, tags, anchors and aliases. js-yaml parses the text. The tree
 * exists because rules about frontmatter depend on how a value is written. Nothing is resolved, merged or called; tags
 * stay text. Alias targets are shared. `weight` and `height` give the size with all aliases expanded. So a "billion
 * laughs" is detected without expanding it.
 */
import { COLLECTION_STYLE, EVENT_ID, type Event, getScalarValue, SCALAR_STYLE } from 'js-yaml';
import { coreScalar } from './ambiguous-scalars.ts';
import type { JsonValue } from './entry.ts';
import { lineAt, lineStarts } from './text-lines.ts';

interface NodeBase {
  /** Line in the file, from 1. */
  readonly line: number;
  /** Start in the text, including the quote or bracket; the content of a block starts after its header. */
  readonly start: number;
  end: number;
  readonly tag?: string | undefined;
  readonly anchored: boolean;
  /** Number of values with aliases expanded, not counting keys. */
  weight: number;
  /** Levels of nested collections with aliases expanded; 0 for a scalar. */
  height: number;
}

export interface YamlScalar extends NodeBase {
  readonly kind: 'scalar';
  readonly text: string;
  /** The characters between the quotes, or of the block. */
  readonly source: string;
  /** A plain scalar has neither quotes nor a block header, so each reader decides its type. */
  readonly style: 'plain' | 'single' | 'double' | 'block';
  /** A block whose header gives the indentation, such as `|2`. */
  readonly indented: boolean;
}

export interface YamlSequence extends NodeBase {
  readonly kind: 'sequence';
  readonly items: readonly YamlNode[];
  readonly brokenFlow: boolean;
}

export interface YamlPair {
  readonly key: YamlNode;
  readonly value: YamlNode;
  /** Line of the key. */
  readonly line: number;
  /** The key is written with a question mark. */
  readonly marked: boolean;
}

export interface YamlMapping extends NodeBase {
  readonly kind: 'mapping';
  readonly pairs: readonly YamlPair[];
  /** A flow collection that spans several lines. */
  readonly brokenFlow: boolean;
}

export interface YamlAlias extends NodeBase {
  readonly kind: 'alias';
  readonly name: string;
  /** `undefined` if no anchor with this name precedes the alias. */
  readonly target: YamlScalar | YamlSequence | YamlMapping | undefined;
  /** The alias is inside its own target. */
  readonly cyclic: boolean;
}

export type YamlNode = YamlScalar | YamlSequence | YamlMapping | YamlAlias;

export interface YamlTree {
  /** One root per document. */
  readonly roots: readonly YamlNode[];
  readonly aliases: number;
  /** A `...` line closes a document. */
  readonly explicitEnd: boolean;
}

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };
type OpenNode = Mutable<YamlSequence> & { items: YamlNode[] };
type OpenMapping = Mutable<YamlMapping> & { pairs: YamlPair[] };

interface Frame {
  readonly node: OpenNode | OpenMapping;
  readonly flow: boolean;
  readonly start: number;
  key: YamlNode | undefined;
  keyOffset: number;
}

/** Builds the tree of parser events. The first line of the text has the number `firstLine` in its file. */
export function buildYamlTree(text: string, events: readonly Event[], firstLine: number): YamlTree {
  const starts = lineStarts(text);
  const lineOf = (offset: number): number => firstLine + lineAt(starts, offset);
  const anchors = new Map<string, YamlScalar | YamlSequence | YamlMapping>();
  const frames: Frame[] = [];
  const roots: YamlNode[] = [];
  let aliases = 0;
  let explicitEnd = false;
  /** Offset after the last event. */
  let end = 0;

  const add = (node: YamlNode, offset: number): void => {
    const frame = frames.at(-1);
    if (frame === undefined) {
      roots.push(node);
    } else if (frame.node.kind === 'sequence') {
      frame.node.items.push(node);
    } else if (frame.key === undefined) {
      frame.key = node;
      frame.keyOffset = offset;
    } else {
      const key = frame.key;
      // An empty key has no position; it precedes its value.
      const keyOffset = key.kind === 'scalar' && key.source === '' ? offset : frame.keyOffset;
      const marked = /\?[ \t]*["']?$/.test(text.slice(Math.max(0, keyOffset - 64), keyOffset));
      frame.node.pairs.push({ key, value: node, line: lineOf(keyOffset), marked });
      frame.key = undefined;
    }
  };

  const base = (event: Exclude<Event, { type: 1 | 5 | 6 }>, offset: number): NodeBase => ({
    line: lineOf(offset),
    start: offset,
    end: offset,
    tag: event.tagStart === -1 ? undefined : text.slice(event.tagStart, event.tagEnd),
    anchored: event.anchorStart !== -1,
    weight: 1,
    height: 0,
  });

  const remember = (
    event: Exclude<Event, { type: 1 | 5 | 6 }>,
    node: YamlScalar | YamlSequence | YamlMapping,
  ): void => {
    if (event.anchorStart !== -1) anchors.set(text.slice(event.anchorStart, event.anchorEnd), node);
  };

  for (const event of events) {
    switch (event.type) {
      case EVENT_ID.DOCUMENT:
        explicitEnd ||= event.explicitEnd;
        break;
      case EVENT_ID.SCALAR: {
        const offset = event.valueStart === -1 ? end : event.valueStart;
        const source = event.valueStart === -1 ? '' : text.slice(event.valueStart, event.valueEnd);
        const style = scalarStyle(event.style);
        const node: YamlScalar = {
          ...base(event, offset),
          start: offset - (style === 'single' || style === 'double' ? 1 : 0),
          kind: 'scalar',
          text: getScalarValue(text, event),
          source,
          style,
          indented: style === 'block' && blockIndicator.test(text.slice(Math.max(0, offset - 256), offset)),
        };
        remember(event, node);
        end = Math.max(
          end,
          event.valueEnd + (style === 'single' || style === 'double' ? 1 : 0),
          event.tagEnd,
          event.anchorEnd,
        );
        node.end = end;
        add(node, offset);
        break;
      }
      case EVENT_ID.SEQUENCE:
      case EVENT_ID.MAPPING: {
        const common = { ...base(event, event.start), brokenFlow: false };
        const node: OpenNode | OpenMapping =
          event.type === EVENT_ID.SEQUENCE
            ? { ...common, kind: 'sequence', items: [] }
            : { ...common, kind: 'mapping', pairs: [] };
        remember(event, node);
        end = Math.max(end, event.start);
        add(node, event.start);
        const flow = event.style === COLLECTION_STYLE.FLOW;
        frames.push({ node, flow, start: event.start, key: undefined, keyOffset: 0 });
        break;
      }
      case EVENT_ID.ALIAS: {
        aliases++;
        const name = text.slice(event.anchorStart, event.anchorEnd);
        const target = anchors.get(name);
        const cyclic = frames.some((frame) => frame.node === target);
        end = event.anchorEnd;
        add(
          {
            kind: 'alias',
            line: lineOf(event.anchorStart),
            start: event.anchorStart,
            end,
            anchored: false,
            weight: cyclic ? 1 : (target?.weight ?? 1),
            height: cyclic ? 0 : (target?.height ?? 0),
            name,
            target,
            cyclic,
          },
          event.anchorStart,
        );
        break;
      }
      case EVENT_ID.POP: {
        const frame = frames.pop();
        if (frame === undefined) break;
        measure(frame.node);
        frame.node.end = end;
        if (!frame.flow) break;
        const closing = text.indexOf(frame.node.kind === 'sequence' ? ']' : '}', end);
        if (closing === -1) break;
        end = closing + 1;
        frame.node.end = end;
        frame.node.brokenFlow = /[\r\n]/.test(text.slice(frame.start, closing));
        break;
      }
    }
  }
  return { roots, aliases, explicitEnd };
}

/** Number of keys and values, aliases not expanded. */
export function countNodes(events: readonly Event[]): number {
  return events.filter(({ type }) => type !== EVENT_ID.DOCUMENT && type !== EVENT_ID.POP).length;
}

const blockIndicator = /[|>][+-]?[1-9][+-]?[ \t]*(?:[ \t]#[^\r\n]*)?(?:\r\n|\r|\n)$/;

function scalarStyle(style: number): YamlScalar['style'] {
  if (style === SCALAR_STYLE.PLAIN) return 'plain';
  if (style === SCALAR_STYLE.SINGLE_QUOTED) return 'single';
  return style === SCALAR_STYLE.DOUBLE_QUOTED ? 'double' : 'block';
}

function measure(node: OpenNode | OpenMapping): void {
  const children = node.kind === 'sequence' ? node.items : node.pairs.flatMap(({ key, value }) => [key, value]);
  let height = 0;
  let weight = 1;
  for (const child of children) height = Math.max(height, child.height);
  for (const value of node.kind === 'sequence' ? node.items : node.pairs.map((pair) => pair.value))
    weight += value.weight;
  // A complex key is refused, but its weight counts: it uses memory too.
  if (node.kind === 'mapping') for (const { key } of node.pairs) weight += key.kind === 'scalar' ? 0 : key.weight;
  node.weight = weight;
  node.height = height + 1;
}

/** The node, or the target of an alias; `undefined` if the target is missing or contains the alias. */
export function resolveAlias(node: YamlNode): Exclude<YamlNode, { kind: 'alias' }> | undefined {
  if (node.kind !== 'alias') return node;
  return node.cyclic ? undefined : node.target;
}

/** The text of a key; `undefined` if the key is not text. */
export function keyText(key: YamlNode): string | undefined {
  const node = resolveAlias(key);
  if (node?.kind !== 'scalar') return undefined;
  return node.style === 'plain' && typeof coreScalar(node.text) !== 'string' ? undefined : node.text;
}

/**
 * The JSON value of a node; call only within the limits. Objects have own properties in file order, and the ordinary prototype.
 * If a problem was reported, the value is a placeholder that is never served.
 */
export function toJson(root: YamlNode): JsonValue {
  const node = resolveAlias(root);
  if (node === undefined) return null;
  if (node.kind === 'scalar') return node.style === 'plain' ? coreScalar(node.text) : node.text;
  if (node.kind === 'sequence') return node.items.map((item) => toJson(item));
  const object: Record<string, JsonValue> = {};
  for (const { key, value } of node.pairs) {
    const name = keyText(key);
    if (name !== undefined && !Object.hasOwn(object, name)) setOwn(object, name, toJson(value));
  }
  return object;
}

/** Defines an own property of any name: assigning to `__proto__` would change the prototype. */
export function setOwn(object: Record<string, JsonValue>, key: string, value: JsonValue): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

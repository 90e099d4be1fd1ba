/** YAML nodes as JSON values. Objects have own properties only, in the order of the file, and the ordinary prototype. */
import { coreScalar } from './ambiguous-scalars.ts';
import type { JsonValue } from './entry.ts';
import type { YamlNode } from './yaml-tree.ts';

/** The node itself, or what an alias stands for; undefined for an alias to nothing or to itself. */
export function resolveAlias(node: YamlNode): Exclude<YamlNode, { kind: 'alias' }> | undefined {
  if (node.kind !== 'alias') return node;
  return node.cyclic ? undefined : node.target;
}

/** The text of a key; undefined where the key is not text. */
export function keyText(key: YamlNode): string | undefined {
  const node = resolveAlias(key);
  if (node?.kind !== 'scalar') return undefined;
  return node.style === 'plain' && typeof coreScalar(node.text) !== 'string' ? undefined : node.text;
}

/** Called within the limits only. Where a problem was reported, the value is a stand-in that is never served. */
export function toJson(given: YamlNode): JsonValue {
  const node = resolveAlias(given);
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

/** Sets an own property whatever it is called: assigning to `__proto__` would change the prototype instead. */
export function setOwn(object: Record<string, JsonValue>, key: string, value: JsonValue): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

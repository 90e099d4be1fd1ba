/**
 * JSON of signature files, read so that no two readers can disagree. It is valid UTF-8 without byte-order mark or `__proto__`, each key
 * once in its object, of bounded size and depth. `JSON.parse` alone keeps the last of two equal keys.
 */
import { limits } from '../limits.ts';

/** Why a document is refused, as a phrase to follow its name. */
export class JsonFault extends Error {}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @throws JsonFault */
export function parseStrictJson(bytes: Uint8Array): unknown {
  if (bytes.byteLength > limits.signing.bundleBytes) throw new JsonFault(tooLarge(bytes.byteLength));
  const text = decoded(bytes);
  assertShallow(text);
  const value = parsed(text);
  assertUniqueKeys(text);
  return value;
}

export function tooLarge(size: number): string {
  return `has ${size} bytes; at most ${limits.signing.bundleBytes} are allowed`;
}

function decoded(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new JsonFault('is not valid UTF-8', { cause });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new JsonFault('is not valid JSON', { cause });
  }
}

/** Comes before the parser, so that no depth reaches it. */
function assertShallow(text: string): void {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (sign === '"') at = stringEnd(text, at);
    else if (sign === '{' || sign === '[') {
      if (++depth > limits.signing.jsonDepth) throw new JsonFault(`has more than ${limits.signing.jsonDepth} levels`);
    } else if (sign === '}' || sign === ']') depth--;
  }
}

/** For text that `JSON.parse` accepts. */
function assertUniqueKeys(text: string): void {
  const open: (Set<string> | undefined)[] = [];
  let string = '';
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (sign === '"') {
      const end = stringEnd(text, at);
      string = text.slice(at, end + 1);
      at = end;
    } else if (sign === '{') open.push(new Set());
    else if (sign === '[') open.push(undefined);
    else if (sign === '}' || sign === ']') open.pop();
    else if (sign === ':') {
      const key = JSON.parse(string) as string;
      const keys = open.at(-1);
      if (key === '__proto__') throw new JsonFault('has the key "__proto__"');
      if (keys?.has(key) === true) throw new JsonFault(`has the key ${JSON.stringify(key).slice(0, 80)} twice`);
      keys?.add(key);
    }
  }
}

/** The position of the closing quote, or the end of a text that has none. */
function stringEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at;
  }
  return text.length;
}

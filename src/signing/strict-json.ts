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

const sign = { quote: 0x22, colon: 0x3a, list: 0x5b, backslash: 0x5c, listEnd: 0x5d, object: 0x7b, objectEnd: 0x7d };

const isOpening = (code: number): boolean => code === sign.object || code === sign.list;
const isClosing = (code: number): boolean => code === sign.objectEnd || code === sign.listEnd;

/** Comes before the parser, so that no depth reaches it. */
function assertShallow(text: string): void {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === sign.quote) at = stringEnd(text, at);
    else if (isOpening(code)) {
      if (++depth > limits.signing.jsonDepth) throw new JsonFault(`has more than ${limits.signing.jsonDepth} levels`);
    } else if (isClosing(code)) depth--;
  }
}

/** For text that `JSON.parse` accepts. */
function assertUniqueKeys(text: string): void {
  const open: (Set<string> | undefined)[] = [];
  let [from, end] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === sign.quote) {
      from = at;
      end = stringEnd(text, at);
      at = end;
    } else if (isOpening(code)) open.push(code === sign.object ? new Set() : undefined);
    else if (isClosing(code)) open.pop();
    else if (code === sign.colon) assertNewKey(text.slice(from, end + 1), open.at(-1));
  }
}

/** @param written with its quotes and escapes */
function assertNewKey(written: string, keys: Set<string> | undefined): void {
  const key = written.includes('\\') ? (JSON.parse(written) as string) : written.slice(1, -1);
  if (key === '__proto__') throw new JsonFault('has the key "__proto__"');
  if (keys?.has(key) === true) throw new JsonFault(`has the key ${JSON.stringify(key).slice(0, 80)} twice`);
  keys?.add(key);
}

/** The position of the closing quote, or the end of a text that has none. */
function stringEnd(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) === sign.backslash) before--;
    if ((at - before) % 2 === 1) return at;
  }
  return text.length;
}

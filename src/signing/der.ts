/** A bounded walk over DER: definite and shortest lengths only, nothing beyond the bytes that were given. */

export interface DerValue {
  readonly tag: number;
  readonly content: Uint8Array;
  /** Tag, length and content. */
  readonly raw: Uint8Array;
}

export class DerFault extends Error {}

/** The one value that takes all bytes. @throws DerFault */
export function readDer(bytes: Uint8Array): DerValue {
  const { value, end } = valueAt(bytes, 0);
  if (end !== bytes.length) throw new DerFault('bytes after the value');
  return value;
}

/** The values inside one. @throws DerFault */
export function derChildren({ content }: DerValue): readonly DerValue[] {
  const values: DerValue[] = [];
  for (let at = 0; at < content.length; ) {
    const { value, end } = valueAt(content, at);
    values.push(value);
    at = end;
  }
  return values;
}

/** Dotted form. @throws DerFault */
export function derOid(value: DerValue | undefined): string {
  if (value?.tag !== 0x06 || value.content.length === 0) throw new DerFault('no object identifier');
  const numbers: number[] = [];
  let number = 0;
  for (const byte of value.content) {
    number = number * 128 + (byte & 0x7f);
    if (!Number.isSafeInteger(number)) throw new DerFault('an object identifier is too long');
    if ((byte & 0x80) !== 0) continue;
    numbers.push(number);
    number = 0;
  }
  if (((value.content.at(-1) ?? 0) & 0x80) !== 0) throw new DerFault('an object identifier is cut');
  const [head = 0, ...rest] = numbers;
  const top = Math.min(2, Math.floor(head / 40));
  return [top, head - top * 40, ...rest].join('.');
}

function valueAt(bytes: Uint8Array, from: number): { readonly value: DerValue; readonly end: number } {
  const tag = bytes[from];
  const first = bytes[from + 1];
  if (tag === undefined || first === undefined) throw new DerFault('a value is cut');
  if ((tag & 0x1f) === 0x1f) throw new DerFault('a long tag');
  let length = first;
  let start = from + 2;
  if (first >= 0x80) {
    const count = first & 0x7f;
    if (count === 0 || count > 3) throw new DerFault('a length is unusual');
    length = 0;
    for (let at = 0; at < count; at++) length = length * 256 + (bytes[start + at] ?? 0);
    if (length < 0x80 || length < 256 ** (count - 1)) throw new DerFault('a length is not in its shortest form');
    start += count;
  }
  const end = start + length;
  if (end > bytes.length) throw new DerFault('a value is cut');
  return { value: { tag, content: bytes.subarray(start, end), raw: bytes.subarray(from, end) }, end };
}

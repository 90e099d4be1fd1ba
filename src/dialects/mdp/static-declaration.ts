/**
 * Declares that the text of a skill never changes. Our client adds its digest and size to the descriptor, because the protocol cannot
 * distinguish static from computed skills. A hub that knows the declaration refuses other bytes; every other peer passes it on.
 */
import { metaPrefix } from '../../project.ts';
import { isDigest } from '../../skill/digest.ts';

const digestKey = `${metaPrefix}digest`;
const sizeKey = `${metaPrefix}size`;

export interface StaticDeclaration {
  /** Of the answer's text as UTF-8. */
  readonly digest: string;
  readonly size: number;
}

type Meta = Readonly<Record<string, unknown>>;

/** The `_meta` of a descriptor. */
export function declareStatic({ digest, size }: StaticDeclaration): Meta {
  return { [digestKey]: digest, [sizeKey]: size };
}

/** The declaration of a descriptor; `undefined` if there is none. */
export function staticDeclaration({ _meta }: { readonly _meta?: Meta }): StaticDeclaration | undefined {
  const [digest, size] = [_meta?.[digestKey], _meta?.[sizeKey]];
  return isDigest(digest) && typeof size === 'number' ? { digest, size } : undefined;
}

/** The fault of a declaration: half of one would look like a promise. */
export function staticFault(meta: Meta): string | undefined {
  const [digest, size] = [meta[digestKey], meta[sizeKey]];
  if (digest === undefined && size === undefined) return undefined;
  if (!isDigest(digest)) return `"${digestKey}" must be "sha256:" and 64 hexadecimal digits`;
  if (!Number.isSafeInteger(size) || Number(size) < 0) return `"${sizeKey}" must be a number of bytes`;
  return undefined;
}

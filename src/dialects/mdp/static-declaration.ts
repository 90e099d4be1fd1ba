/**
 * What our own client adds to the descriptor of a skill whose text never changes: the digest and size of the text as it goes
 * over the wire. The protocol itself cannot tell such a skill from a computed one. A hub that knows the declaration refuses an
 * answer with other bytes; everybody else hands it through.
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

/** What a descriptor declares, or undefined where it declares nothing. */
export function staticDeclaration({ _meta }: { readonly _meta?: Meta }): StaticDeclaration | undefined {
  const [digest, size] = [_meta?.[digestKey], _meta?.[sizeKey]];
  return isDigest(digest) && typeof size === 'number' ? { digest, size } : undefined;
}

/** What is wrong with a declaration: half of one would look like a promise and be none. */
export function staticFault(meta: Meta): string | undefined {
  const [digest, size] = [meta[digestKey], meta[sizeKey]];
  if (digest === undefined && size === undefined) return undefined;
  if (!isDigest(digest)) return `"${digestKey}" must be "sha256:" and 64 hexadecimal digits`;
  if (!Number.isSafeInteger(size) || Number(size) < 0) return `"${sizeKey}" must be a number of bytes`;
  return undefined;
}

/** A skill of an older dialect in the form of the port, with an entry that claims no more than its digests prove. */

import type { DialectFile, DialectId, DialectSkill } from '../../../dialects/dialect-skill.ts';
import { encodePath } from '../../../dialects/relative-path.ts';
import type { Remark } from '../../../dialects/skills-extension/remark.ts';
import { VerificationError } from '../../../errors.ts';
import type { AsyncDigester } from '../../../skill/digest.ts';
import { quoteText } from '../../../skill/display-text.ts';
import { type Frontmatter, type SkillEntry, skillFileName } from '../../../skill/entry.ts';
import type { PartialManifest, SourceSkill } from '../../skill-source.ts';
import type { RequestServer, ResourceReadOptions } from './ask.ts';

export interface LoadedDialectSkill {
  readonly skill: SourceSkill;
  readonly remarks: readonly Remark[];
  /** The bytes of a file, by its path below the skill; `undefined` if there is none. */
  file(path: string, options: ResourceReadOptions): Promise<Uint8Array | undefined>;
}

export interface DialectLoadOptions {
  readonly ask: RequestServer;
  readonly digest: AsyncDigester;
  readonly dialect: DialectId;
  /** The `SKILL.md` URI under which it is published. */
  readonly uri: string;
  readonly signal: AbortSignal | undefined;
  /** Receives the number of bytes read. */
  readonly onBytes: (count: number) => void;
  readonly onRemark: (remark: Remark) => void;
}

export function fileUriOf(entryUri: string, path: string): string {
  return path === skillFileName ? entryUri : entryUri.slice(0, entryUri.lastIndexOf('/') + 1) + encodePath(path);
}

/**
 * The skill with the manifest that its dialect promises. If every file has a digest, the entry has digests; otherwise it is dynamic, with
 * the known digests beside it.
 *
 * @param made the `SKILL.md` is composed here, so no promise applies to it
 */
export function skillWith(
  { files, retrievals }: Pick<DialectSkill, 'files' | 'retrievals'>,
  uri: string,
  frontmatter: Frontmatter,
  { made = false, complete = true }: { readonly made?: boolean; readonly complete?: boolean } = {},
): Pick<SourceSkill, 'entry' | 'partial'> {
  const entry: SkillEntry = { uri, frontmatter, resources: 'dynamic' };
  if (files === 'dynamic') return { entry };
  const digest = retrievals.find((way) => way.kind === 'read')?.digest;
  if (files === 'unknown') {
    if (digest === undefined || made) return { entry };
    return { entry, partial: { reason: 'no-digest', files: [{ uri, digest }], more: true } };
  }
  const known = withMain(files, digest).map(({ path, digest, size }) => ({
    uri: fileUriOf(uri, path),
    digest,
    size,
    path,
  }));
  const whole = complete && !made && known.every(({ digest }) => digest !== undefined);
  if (whole && known.every(({ size }) => size !== undefined)) {
    const resources = known.map(({ uri: own, digest = '', size = 0 }) => ({ uri: own, digest, size }));
    return { entry: { ...entry, resources: resources.sort((a, b) => (a.uri < b.uri ? -1 : 1)) } };
  }
  const partial: PartialManifest = {
    reason: whole ? 'no-size' : 'no-digest',
    files: known.map(({ uri: own, digest, size, path }) =>
      made && path === skillFileName
        ? { uri: own }
        : { uri: own, ...(digest && { digest }), ...(size !== undefined && { size }) },
    ),
    ...(complete ? {} : { more: true as const }),
  };
  return { entry, partial };
}

function withMain(files: readonly DialectFile[], digest: string | undefined): readonly Omit<DialectFile, 'uri'>[] {
  if (files.some(({ path }) => path === skillFileName)) return files;
  return [{ path: skillFileName, digest }, ...files];
}

/** @throws VerificationError `digest` */
export async function requireDigest(
  bytes: Uint8Array,
  uri: string,
  promised: string | undefined,
  digest: AsyncDigester,
): Promise<void> {
  if (promised === undefined) return;
  const actual = await digest(bytes);
  if (actual === promised) return;
  throw new VerificationError(
    'digest',
    `Cannot use ${quoteText(uri)}: the server promises the digest "${promised}", but the ${bytes.byteLength} bytes received have "${actual}".`,
    { data: { uri, expectedDigest: promised, actualDigest: actual } },
  );
}

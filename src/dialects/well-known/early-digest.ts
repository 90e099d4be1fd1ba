/** The digest of a whole skill in the early v0.2 drafts: SHA-256 over the sorted lines `path NUL hex LF` of its files. */
import { sha256Digest } from '../../skill/digest.ts';

export async function earlySkillDigest(
  files: readonly { readonly path: string; readonly digest: string }[],
): Promise<string> {
  const lines = files.map(({ path, digest }) => `${path}\0${digest.replace(/^sha256:/, '')}\n`).sort();
  return sha256Digest(new TextEncoder().encode(lines.join('')));
}

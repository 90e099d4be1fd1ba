/**
 * The `SKILL.md` that is served for the answer of a runtime: our frontmatter, then the answer without a frontmatter of its own.
 * Paths of the same runtime in it become skill URIs, since a path means nothing to who reads over MCP. A path with a query stays:
 * no URI says the same.
 */
import type { Frontmatter } from '../../skill/entry.ts';
import { findFences } from '../../skill/frontmatter-fences.ts';
import { composeSkillFile } from '../generated-text.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();
/** Begins where a word could, and ends where the path does. */
const mdpLink = /(?<![^\s`'"(<[{,;])\/(?:[a-z0-9._-]+\/)*(?:skill|SKILL)\.md(?![\w/?#-]|\.\w)/g;

/** @param uriOf the URI of a path of the same runtime */
export function liveSkillFile(
  frontmatter: Frontmatter,
  answer: string,
  uriOf: (path: string) => string | undefined,
): Uint8Array {
  const body = withoutFrontmatter(answer).replace(mdpLink, (path) => uriOf(path) ?? path);
  return encoder.encode(composeSkillFile(frontmatter, body));
}

function withoutFrontmatter(text: string): string {
  if (!/^\uFEFF?---/.test(text)) return text;
  const bytes = encoder.encode(text);
  const fences = findFences(bytes);
  return fences.kind === 'found' ? decoder.decode(bytes.subarray(fences.bodyStart)).replace(/^[\r\n]+/, '') : text;
}

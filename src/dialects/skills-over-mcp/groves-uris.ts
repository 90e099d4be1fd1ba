/**
 * URIs of skills-over-mcp: an index, an XML catalog, and a lookup by name. `skill://name` is the text of a skill; its documents are a list,
 * and resources of their own. A skill may be named `index`, `prompt-xml` or `lookup`; the server then decides what the address means. So
 * `parseGrovesUri()` returns the meaning in this dialect, and callers look for a real skill first.
 */
import { SkillwireError } from '../../errors.ts';
import { quoteText } from '../../skill/display-text.ts';
import { buildSkillUri, tryParseSkillUri } from '../../skill/skill-uri.ts';
import { legacyNameFault } from '../legacy-name.ts';
import { encodePath, relativePathFault } from '../relative-path.ts';

export const grovesIndexUri = 'skill://index';
export const promptXmlUri = 'skill://prompt-xml';

export const grovesTemplates = {
  document: 'skill://{skillName}/document/{+documentPath}',
  lookup: 'skill://lookup/{name}',
} as const;

/** `skillPath` has one segment in skills-over-mcp itself; our servers accept nested paths too. */
export type GrovesUri =
  | { readonly kind: 'index' }
  | { readonly kind: 'prompt-xml' }
  | { readonly kind: 'lookup'; readonly name: string }
  | { readonly kind: 'skill'; readonly skillPath: string }
  | { readonly kind: 'documents'; readonly skillPath: string }
  | { readonly kind: 'document'; readonly skillPath: string; readonly path: string };

/**
 * Parses a URI of this dialect; `undefined` for any other. Of several `document` segments, the first is the separator.
 */
export function parseGrovesUri(uri: string): GrovesUri | undefined {
  const parsed = tryParseSkillUri(uri);
  if (parsed === undefined || parsed.trailingSlash || parsed.segments.length === 0) return undefined;
  const { segments, path } = parsed;
  if (parsed.uri === grovesIndexUri) return { kind: 'index' };
  if (parsed.uri === promptXmlUri) return { kind: 'prompt-xml' };
  const [first, second] = segments;
  if (first === 'lookup' && second !== undefined && segments.length === 2) return { kind: 'lookup', name: second };
  if (segments.at(-1) === 'documents' && segments.length > 1)
    return { kind: 'documents', skillPath: segments.slice(0, -1).join('/') };
  const at = segments.indexOf('document', 1);
  if (at !== -1 && at < segments.length - 1)
    return { kind: 'document', skillPath: segments.slice(0, at).join('/'), path: segments.slice(at + 1).join('/') };
  return { kind: 'skill', skillPath: path };
}

/** Builds a URI of this dialect. Throws `INVALID_URI` for what it cannot carry. */
export function buildGrovesUri(target: GrovesUri): string {
  if (target.kind === 'index') return grovesIndexUri;
  if (target.kind === 'prompt-xml') return promptXmlUri;
  if (target.kind === 'lookup') {
    const fault = legacyNameFault(target.name);
    if (fault !== undefined) throw refusal(target.name, fault);
    return buildSkillUri(['lookup', target.name]);
  }
  const uri = buildSkillUri(target.skillPath);
  if (target.kind === 'skill') return uri;
  if (target.kind === 'documents') return `${uri}/documents`;
  const fault = relativePathFault(target.path);
  if (fault !== undefined) throw refusal(target.path, fault);
  return `${uri}/document/${encodePath(target.path)}`;
}

function refusal(text: string, fault: string): SkillwireError {
  return new SkillwireError('INVALID_URI', `Cannot create a skill URI from ${quoteText(text)}: it ${fault}.`, {
    data: { text },
  });
}

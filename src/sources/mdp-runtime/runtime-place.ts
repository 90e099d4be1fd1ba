/** Where a path of a runtime lies among skills, also one that is no skill: that is what patterns on skill paths mean by it. */
import { parseMdpPath } from '../../dialects/mdp/path-grammar.ts';
import { encodeSegment } from './skill-segment.ts';

/** Undefined where the path has no place there. */
export function runtimePlace(label: string, clientId: string, path: string): string | undefined {
  const parsed = parseMdpPath(path);
  if (parsed === undefined) return undefined;
  const segments = parsed.kind === 'endpoint' ? parsed.segments : parsed.segments.slice(0, -1);
  const mapped = [clientId, ...segments].map((segment) => (segment.startsWith(':') ? segment : encodeSegment(segment)));
  return mapped.every((segment) => segment !== undefined) ? [label, ...mapped].join('/') : undefined;
}

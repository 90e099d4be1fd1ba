/**
 * Derives skills from the path descriptors of a runtime, without requesting a text. The frontmatter comes from the
 * descriptor alone, so the listing and the text agree. A path that cannot be a skill is a finding.
 */
import type { ClientDescriptor, PathDescriptor, SkillDescriptor } from '../../dialects/mdp/messages.ts';
import { parseMdpPath } from '../../dialects/mdp/path-grammar.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import { type Frontmatter, skillFileName } from '../../skill/entry.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import { buildSkillUri, tryParseSkillUri } from '../../skill/skill-uri.ts';
import { decodeSegment, encodeSegment } from './skill-segment.ts';

/** The part of a runtime that skills are built from. */
export type LiveRuntime = Pick<ClientDescriptor, 'id' | 'name' | 'paths'>;

export interface RuntimeSkill {
  readonly uri: string;
  readonly clientId: string;
  /** The path to call. */
  readonly path: string;
  readonly descriptor: SkillDescriptor;
  readonly frontmatter: Frontmatter;
}

/** The skills of one pattern: a URI with `{name}` for each parameter. */
export interface RuntimeTemplate {
  readonly uriTemplate: string;
  readonly clientId: string;
  readonly descriptor: SkillDescriptor;
  readonly description: string;
}

const readableTypes = /^text\/(?:markdown|x-markdown|plain)[ \t]*(?:;|$)/i;

export function runtimeSkills(label: string, runtime: LiveRuntime) {
  const skills = new Map<string, RuntimeSkill>();
  const templates: RuntimeTemplate[] = [];
  const findings: Finding[] = [];
  for (const descriptor of runtime.paths) {
    if (!isSkill(descriptor)) continue;
    const mapped = mapPath(label, runtime.id, descriptor.path);
    const where = `"${descriptor.path}" of the runtime ${quoteText(runtime.id)}`;
    if (mapped === undefined) {
      findings.push(finding('runtime-path-unmappable', `${where} cannot be mapped to a skill URI`));
      continue;
    }
    if (descriptor.contentType !== undefined && !readableTypes.test(descriptor.contentType)) {
      const type = quoteText(descriptor.contentType);
      findings.push(finding('runtime-content-type', `${where} has the content type ${type}`));
      continue;
    }
    if (mapped.params) {
      const description = descriptionOf(runtime, descriptor);
      templates.push({ uriTemplate: mapped.uri, clientId: runtime.id, descriptor, description });
      continue;
    }
    const earlier = skills.get(mapped.uri);
    if (earlier !== undefined)
      findings.push(
        finding('runtime-path-taken', `${where} is not served: "${earlier.path}" already has the URI "${mapped.uri}"`, {
          skill: mapped.uri,
        }),
      );
    else skills.set(mapped.uri, runtimeSkill(runtime, descriptor, descriptor.path, mapped));
  }
  return { skills: [...skills.values()], templates, findings };
}

/** The skill of a pattern at a concrete path. */
export function templateSkill(
  label: string,
  runtime: LiveRuntime,
  descriptor: SkillDescriptor,
  path: string,
): RuntimeSkill | undefined {
  const mapped = mapPath(label, runtime.id, path);
  return mapped === undefined ? undefined : runtimeSkill(runtime, descriptor, path, mapped);
}

/** The runtime and folder that a URI means, whether or not that runtime exists. The path lacks its leaf. */
export function runtimeAddress(label: string, uri: string): { clientId: string; folder: string } | undefined {
  const segments = tryParseSkillUri(uri)?.segments ?? [];
  const [first, client, ...folders] = segments;
  if (first !== label || client === undefined || folders.pop() !== skillFileName) return undefined;
  const clientId = decodeSegment(client);
  const decoded = folders.map(decodeSegment);
  if (clientId === undefined || decoded.includes(undefined)) return undefined;
  return { clientId, folder: decoded.map((segment) => `/${segment}`).join('') };
}

function isSkill(descriptor: PathDescriptor): descriptor is SkillDescriptor {
  return descriptor.type === 'skill';
}

interface MappedPath {
  readonly uri: string;
  readonly name: string;
  readonly params: boolean;
}

function mapPath(label: string, clientId: string, path: string): MappedPath | undefined {
  const segments = parseMdpPath(path)?.segments.slice(0, -1);
  if (segments === undefined || segments.length + 3 > limits.uri.segments) return undefined;
  const mapped = mapSegments(clientId, segments);
  if (mapped === undefined) return undefined;
  const params = segments.some((segment) => segment.startsWith(':'));
  if (!params) return { uri: buildSkillUri([label, ...mapped, skillFileName]), name: mapped.at(-1) ?? '', params };
  // Parameter names come from the runtime; template expressions do not allow hyphens.
  const written = mapped.map((segment) =>
    segment.startsWith(':') ? `{${segment.slice(1).replaceAll('-', '_')}}` : segment,
  );
  return { uri: `${buildSkillUri([label])}/${written.join('/')}/${skillFileName}`, name: '', params };
}

function runtimeSkill(
  runtime: LiveRuntime,
  descriptor: SkillDescriptor,
  path: string,
  { uri, name }: MappedPath,
): RuntimeSkill {
  const frontmatter = {
    name,
    description: descriptionOf(runtime, descriptor),
    metadata: { 'mdp-client': runtime.id, 'mdp-path': path },
  };
  return { uri, clientId: runtime.id, path, descriptor, frontmatter };
}

/**
 * A valid description in one line. Text that was taken from frontmatter by mistake, as the reference does, does not
 * count.
 */
function descriptionOf({ id, name }: LiveRuntime, { path, description = '' }: SkillDescriptor): string {
  const line = description.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  const words = line === '' || line.startsWith('---') ? `Live skill "${path}" of "${name === '' ? id : name}".` : line;
  const characters = [...words];
  const most = limits.skill.descriptionLength;
  return characters.length <= most ? words : `${characters.slice(0, most - 1).join('')}…`;
}

/**
 * The skill path that patterns use for a runtime's path, even one that is not a skill; `undefined` if it cannot be
 * mapped.
 */
export function runtimeSkillPath(label: string, clientId: string, path: string): string | undefined {
  const parsed = parseMdpPath(path);
  if (parsed === undefined) return undefined;
  const segments = parsed.kind === 'endpoint' ? parsed.segments : parsed.segments.slice(0, -1);
  const mapped = mapSegments(clientId, segments);
  return mapped === undefined ? undefined : [label, ...mapped].join('/');
}

/** Encodes every segment but parameters; `undefined` if one cannot be encoded. */
function mapSegments(clientId: string, segments: readonly string[]): readonly string[] | undefined {
  const mapped = segments.map((segment) => (segment.startsWith(':') ? segment : encodeSegment(segment)));
  const all = [encodeSegment(clientId), ...mapped];
  return all.every((segment) => segment !== undefined) ? all : undefined;
}

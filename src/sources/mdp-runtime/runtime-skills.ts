/**
 * From what a runtime says about its paths to skills, without asking it for a text. The frontmatter is built from the descriptor
 * alone, so a listing and the text that is read later cannot disagree. What cannot be a skill is a finding.
 */
import type { ClientDescriptor, PathDescriptor, SkillDescriptor } from '../../dialects/mdp/messages.ts';
import { parseMdpPath } from '../../dialects/mdp/path-grammar.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import { type Frontmatter, skillFileName } from '../../skill/entry.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import { buildSkillUri, tryParseSkillUri } from '../../skill/skill-uri.ts';
import { decodeSegment, encodeSegment } from './skill-segment.ts';

/** Of a runtime, what skills are made of. */
export type LiveRuntime = Pick<ClientDescriptor, 'id' | 'name' | 'paths'>;

export interface RuntimeSkill {
  readonly uri: string;
  readonly clientId: string;
  /** As it is called. */
  readonly path: string;
  readonly descriptor: SkillDescriptor;
  readonly frontmatter: Frontmatter;
}

/** Skills of one pattern: a URI with `{name}` for each parameter. */
export interface RuntimeTemplate {
  readonly uriTemplate: string;
  readonly clientId: string;
  readonly descriptor: SkillDescriptor;
  readonly description: string;
}

export interface RuntimeSkills {
  readonly skills: readonly RuntimeSkill[];
  readonly templates: readonly RuntimeTemplate[];
  readonly findings: readonly Finding[];
}

const readableTypes = /^text\/(?:markdown|x-markdown|plain)[ \t]*(?:;|$)/i;

export function runtimeSkills(label: string, runtime: LiveRuntime): RuntimeSkills {
  const skills = new Map<string, RuntimeSkill>();
  const templates: RuntimeTemplate[] = [];
  const findings: Finding[] = [];
  for (const descriptor of runtime.paths) {
    if (!isSkill(descriptor)) continue;
    const place = placeOf(label, runtime.id, descriptor.path);
    const where = `"${descriptor.path}" of the runtime ${quoteText(runtime.id)}`;
    if (place === undefined) {
      findings.push(finding('runtime-path-unmappable', `${where} cannot be written as the URI of a skill`));
      continue;
    }
    if (descriptor.contentType !== undefined && !readableTypes.test(descriptor.contentType)) {
      const type = quoteText(descriptor.contentType);
      findings.push(finding('runtime-content-type', `${where} is of the type ${type}`));
      continue;
    }
    if (place.params) {
      const description = descriptionOf(runtime, descriptor);
      templates.push({ uriTemplate: place.uri, clientId: runtime.id, descriptor, description });
      continue;
    }
    const taken = skills.get(place.uri);
    if (taken !== undefined)
      findings.push(
        finding('runtime-path-taken', `${where} is not served: "${taken.path}" has the URI "${place.uri}" already`, {
          skill: place.uri,
        }),
      );
    else skills.set(place.uri, runtimeSkill(runtime, descriptor, descriptor.path, place));
  }
  return { skills: [...skills.values()], templates, findings };
}

/** The skill that a pattern of the runtime has at a concrete path. */
export function templateSkill(
  label: string,
  runtime: LiveRuntime,
  descriptor: SkillDescriptor,
  path: string,
): RuntimeSkill | undefined {
  const place = placeOf(label, runtime.id, path);
  return place === undefined ? undefined : runtimeSkill(runtime, descriptor, path, place);
}

/** Which runtime and folder a URI means, whether or not there is such a runtime. The path lacks its leaf. */
export function runtimeAddress(label: string, uri: string): { clientId: string; folder: string } | undefined {
  const segments = tryParseSkillUri(uri)?.segments ?? [];
  const [first, client, ...rest] = segments;
  if (first !== label || client === undefined || rest.pop() !== skillFileName) return undefined;
  const clientId = decodeSegment(client);
  const decoded = rest.map(decodeSegment);
  if (clientId === undefined || decoded.includes(undefined)) return undefined;
  return { clientId, folder: decoded.map((segment) => `/${segment}`).join('') };
}

function isSkill(descriptor: PathDescriptor): descriptor is SkillDescriptor {
  return descriptor.type === 'skill';
}

interface Place {
  readonly uri: string;
  readonly name: string;
  readonly params: boolean;
}

function placeOf(label: string, clientId: string, path: string): Place | undefined {
  const segments = parseMdpPath(path)?.segments.slice(0, -1);
  if (segments === undefined || segments.length + 3 > limits.uri.segments) return undefined;
  const mapped = [
    encodeSegment(clientId),
    ...segments.map((segment) => (segment.startsWith(':') ? segment : encodeSegment(segment))),
  ];
  if (!mapped.every((segment) => segment !== undefined)) return undefined;
  const params = segments.some((segment) => segment.startsWith(':'));
  if (!params) return { uri: buildSkillUri([label, ...mapped, skillFileName]), name: mapped.at(-1) ?? '', params };
  // The names of parameters are those of the runtime; an expression of a template knows no hyphen.
  const written = mapped.map((segment) =>
    segment.startsWith(':') ? `{${segment.slice(1).replaceAll('-', '_')}}` : segment,
  );
  return { uri: `${buildSkillUri([label])}/${written.join('/')}/${skillFileName}`, name: '', params };
}

function runtimeSkill(
  runtime: LiveRuntime,
  descriptor: SkillDescriptor,
  path: string,
  { uri, name }: Place,
): RuntimeSkill {
  const frontmatter = {
    name,
    description: descriptionOf(runtime, descriptor),
    metadata: { 'mdp-client': runtime.id, 'mdp-path': path },
  };
  return { uri, clientId: runtime.id, path, descriptor, frontmatter };
}

/** One line that a skill may have. A text that was taken from frontmatter by mistake, as the reference does, is none. */
function descriptionOf({ id, name }: LiveRuntime, { path, description = '' }: SkillDescriptor): string {
  const said = description.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  const words = said === '' || said.startsWith('---') ? `Live skill "${path}" of "${name === '' ? id : name}".` : said;
  const characters = [...words];
  const most = limits.skill.descriptionLength;
  return characters.length <= most ? words : `${characters.slice(0, most - 1).join('')}…`;
}

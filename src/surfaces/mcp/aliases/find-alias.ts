/**
 * Resolves dialect addresses in a snapshot. It runs after the lookup of files has failed, so a real file always wins; a skill wins over a
 * document name such as `skill://index`. Pure; reads nothing.
 */
import { type FileRecord, namesFiles, type SkillRecord, type Snapshot } from '../../../catalog/snapshot.ts';
import type { ArtifactFormat } from '../../../dialects/dialect-skill.ts';
import { manifestName } from '../../../dialects/fastmcp/manifest.ts';
import { usageUri } from '../../../dialects/nimblebrain/usage-resource.ts';
import { skillIndexUri } from '../../../dialects/skill-index/decode-index.ts';
import { grovesIndexUri, promptXmlUri } from '../../../dialects/skills-over-mcp/groves-uris.ts';
import { skillFileName } from '../../../skill/entry.ts';
import { buildSkillUri, tryParseSkillUri } from '../../../skill/skill-uri.ts';
import { skillNames } from './names.ts';
import type { DialectSettings, ServedDialect } from './served-dialects.ts';

export type Alias =
  /** Documents about all skills. */
  | { readonly kind: 'index' | 'groves-index' | 'prompt-xml' }
  | { readonly kind: 'text' | 'manifest'; readonly skill: SkillRecord }
  /** `address` is the path or name that was used for the skill. */
  | { readonly kind: 'documents' | 'collection'; readonly skill: SkillRecord; readonly address: string }
  | { readonly kind: 'archive'; readonly skill: SkillRecord; readonly format: ArtifactFormat }
  | { readonly kind: 'file'; readonly file: FileRecord };

export interface FoundAlias {
  /** The canonical spelling of the address. */
  readonly uri: string;
  readonly alias: Alias;
}

const archiveSuffixes: readonly (readonly [suffix: string, format: ArtifactFormat])[] = [
  ['.tar.gz', 'tar.gz'],
  ['.zip', 'zip'],
];

/** The skill at a path or alias. */
export function skillAt(snapshot: Snapshot, segments: readonly string[]): SkillRecord | undefined {
  if (segments.length === 0) return undefined;
  const file = snapshot.file(buildSkillUri([...segments, skillFileName]));
  return file?.path === skillFileName ? file.skill : undefined;
}

/** The skill at a path, else the skill with this name. */
export function skillCalled(snapshot: Snapshot, segments: readonly string[]): SkillRecord | undefined {
  const [name] = segments;
  const found = skillAt(snapshot, segments);
  return found ?? (segments.length === 1 && name !== undefined ? skillNames(snapshot).byName.get(name) : undefined);
}

function named(skill: SkillRecord | undefined): skill is SkillRecord {
  return skill !== undefined && namesFiles(skill);
}

/** The meaning of an address, or `undefined` if it has none. */
export function findAlias(uri: string, snapshot: Snapshot, settings: DialectSettings): FoundAlias | undefined {
  const parsed = tryParseSkillUri(uri);
  if (parsed === undefined || parsed.segments.length === 0) return undefined;
  const { segments, trailingSlash } = parsed;
  const called = (path: readonly string[]): SkillRecord | undefined => skillCalled(snapshot, path);
  const on = (...dialects: readonly ServedDialect[]): boolean => dialects.some((id) => settings.served.has(id));

  function meaning(): Alias | undefined {
    if (trailingSlash) {
      const skill = on('skilljack') ? called(segments) : undefined;
      return named(skill) ? { kind: 'collection', skill, address: segments.join('/') } : undefined;
    }
    if (parsed?.uri === skillIndexUri) return on('skill-index') ? { kind: 'index' } : undefined;
    return besideFiles() ?? archive() ?? text() ?? document() ?? fileByName();
  }

  /** `_manifest`, `documents` and `document/…` in the folder of a skill. */
  function besideFiles(): Alias | undefined {
    const folder = segments.slice(0, -1);
    const last = segments.at(-1);
    const skill = last === manifestName || last === 'documents' ? called(folder) : undefined;
    if (last === manifestName && on('fastmcp') && skill !== undefined && skill.entry.resources !== 'dynamic')
      return { kind: 'manifest', skill };
    if (last === 'documents' && on('skills-over-mcp') && named(skill))
      return { kind: 'documents', skill, address: folder.join('/') };
    if (!on('skills-over-mcp')) return undefined;
    for (let at = segments.length - 2; at > 0; at--) {
      if (segments[at] !== 'document') continue;
      const path = segments.slice(at + 1).join('/');
      const file = path === skillFileName ? undefined : called(segments.slice(0, at))?.files.get(path);
      if (file !== undefined) return { kind: 'file', file };
    }
    return undefined;
  }

  function archive(): Alias | undefined {
    const last = segments.at(-1) ?? '';
    const suffix = on('archives') ? archiveSuffixes.find(([ending]) => last.endsWith(ending)) : undefined;
    if (suffix === undefined || settings.archives === undefined) return undefined;
    const [ending, format] = suffix;
    const stem = last.slice(0, -ending.length);
    const skill = stem === '' ? undefined : skillAt(snapshot, [...segments.slice(0, -1), stem]);
    return skill === undefined || skill.entry.resources === 'dynamic' ? undefined : { kind: 'archive', skill, format };
  }

  function text(): Alias | undefined {
    const skill = on('skilljack', 'skills-over-mcp') ? called(segments) : undefined;
    return skill === undefined ? undefined : { kind: 'text', skill };
  }

  /** Documents at addresses that a skill could have. */
  function document(): Alias | undefined {
    if (on('skills-over-mcp')) {
      if (parsed?.uri === grovesIndexUri) return { kind: 'groves-index' };
      if (parsed?.uri === promptXmlUri) return { kind: 'prompt-xml' };
      const [first, ...name] = segments;
      const skill = first === 'lookup' ? called(name) : undefined;
      if (skill !== undefined) return { kind: 'text', skill };
    }
    const { usage } = settings;
    if (!on('nimblebrain') || usage === undefined || parsed?.uri !== usageUri(usage.label)) return undefined;
    const skill = called(usage.skill.split('/'));
    return skill === undefined ? undefined : { kind: 'text', skill };
  }

  /** `skill://name/file` of a skill in a deeper folder. */
  function fileByName(): Alias | undefined {
    const [name = '', ...path] = segments;
    const skill = on('skilljack') && path.length > 0 ? skillNames(snapshot).byName.get(name) : undefined;
    const file = skill?.files.get(path.join('/'));
    return file === undefined ? undefined : { kind: 'file', file };
  }

  const alias = meaning();
  return alias === undefined ? undefined : { uri: trailingSlash ? `${parsed.uri}/` : parsed.uri, alias };
}

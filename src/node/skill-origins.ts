/**
 * Which origin a served skill comes from, and what that origin calls it: decisions are stored under both. A gateway says it in the entry;
 * for folders it follows from the first segment of the URI.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SkillRecord } from '../catalog/snapshot.ts';
import { skillFileName } from '../skill/entry.ts';
import { decodeProvenance, originMetaKey, type Provenance } from '../skill/provenance.ts';
import { buildSkillUri, tryParseSkillUri } from '../skill/skill-uri.ts';
import type { UpstreamReport } from '../transforms/upstream-report.ts';

/** An origin as the server was given it. */
export interface ServedOrigin {
  /** Under which decisions about its skills are stored, and by which people know it. */
  readonly label: string;
  /** For example `folder`, `archive`, `site`, `mcp`, `runtimes`. */
  readonly kind: string;
  /** The folder, the file or the address. */
  readonly place: string;
  /** First segment of the URIs of its skills; absent if they have none in common. */
  readonly prefix?: string;
}

export interface SkillOrigins {
  originOf(skill: SkillRecord): ServedOrigin;
  labelOf(skill: SkillRecord): string;
  /** The URI that the origin gives the skill. */
  uriOf(skill: SkillRecord): string;
  kindOf(label: string): string;
  /** The origins that the server has now. */
  current(): readonly ServedOrigin[];
}

const nobody: ServedOrigin = { label: 'unknown', kind: 'unknown', place: '' };

export function skillOrigins(
  given: readonly ServedOrigin[],
  reports: () => readonly UpstreamReport[] = () => [],
): SkillOrigins {
  const known = new WeakMap<SkillRecord, ServedOrigin>();
  const prefixed = new Map(given.flatMap((origin) => (origin.prefix === undefined ? [] : [[origin.prefix, origin]])));
  const others = given.filter(({ prefix }) => prefix === undefined);

  function originOf(skill: SkillRecord): ServedOrigin {
    const found = known.get(skill) ?? named(skill) ?? find(skill.path);
    known.set(skill, found);
    return found;
  }

  /** What a gateway says about the skills that it passes on. */
  function provenanceOf({ entry }: SkillRecord): Provenance | undefined {
    const said = decodeProvenance(entry._meta?.[originMetaKey]);
    return said !== undefined && reports().some(({ label }) => label === said.label) ? said : undefined;
  }

  function named(skill: SkillRecord): ServedOrigin | undefined {
    const said = provenanceOf(skill);
    if (said === undefined) return undefined;
    const { label, kind } = said;
    return given.find((origin) => origin.label === label) ?? { label, kind, place: label };
  }

  /** Several folders without labels share one space of URIs; the first that has the file is the one that is served. */
  function find(path: string): ServedOrigin {
    const ofPrefix = prefixed.get(path.split('/', 1)[0] ?? '');
    if (ofPrefix !== undefined) return ofPrefix;
    const has = ({ kind, place }: ServedOrigin): boolean =>
      kind === 'folder' && existsSync(join(place, path, 'SKILL.md'));
    return (others.length > 1 ? others.find(has) : undefined) ?? others[0] ?? given[0] ?? nobody;
  }

  return {
    originOf,
    labelOf: (skill) => originOf(skill).label,
    uriOf(skill) {
      const { uri } = skill.entry;
      const said = provenanceOf(skill)?.uri;
      if (said !== undefined) return said.endsWith(`/${skillFileName}`) ? said : uri;
      const { prefix, kind } = originOf(skill);
      const segments = tryParseSkillUri(uri)?.segments ?? [];
      // The label of a folder was put before the URI; that of live programs is a part of it.
      return prefix === undefined || kind !== 'folder' || segments[0] !== prefix || segments.length < 3
        ? uri
        : buildSkillUri(segments.slice(1));
    },
    kindOf: (label) => given.find((origin) => origin.label === label)?.kind ?? 'unknown',
    /** A gateway knows its origins best: they change with its configuration. */
    current() {
      const reported = reports();
      if (reported.length === 0) return given;
      const now = reported.map(
        ({ label, kind }) =>
          given.find((origin) => origin.label === label || origin.place === label) ?? { label, kind, place: label },
      );
      return [...now, ...given.filter(({ kind }) => kind === 'runtimes')];
    },
  };
}

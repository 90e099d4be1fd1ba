/**
 * Finds the origin of a served skill and the URI that this origin gives it. Decisions are stored under both. A gateway puts them into the
 * entry; for folders they follow from the first segment of the URI.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SkillRecord } from '../catalog/snapshot.ts';
import { skillFileName } from '../skill/entry.ts';
import { decodeProvenance, originMetaKey, type Provenance } from '../skill/provenance.ts';
import { buildSkillUri, tryParseSkillUri } from '../skill/skill-uri.ts';
import type { UpstreamReport } from '../transforms/upstream-report.ts';

/** An origin of the server. */
export interface ServedOrigin {
  /** Name for people. Decisions about its skills are stored under it. */
  readonly label: string;
  /** For example `folder`, `archive`, `site`, `mcp`, `runtimes`. */
  readonly kind: string;
  /** Folder, file or address. */
  readonly place: string;
  /** First segment of the URIs of its skills; absent if they share none. */
  readonly prefix?: string;
}

const nobody: ServedOrigin = { label: 'unknown', kind: 'unknown', place: '' };

export function skillOrigins(fixed: readonly ServedOrigin[], reports: () => readonly UpstreamReport[] = () => []) {
  const known = new WeakMap<SkillRecord, ServedOrigin>();
  const prefixed = new Map(fixed.flatMap((origin) => (origin.prefix === undefined ? [] : [[origin.prefix, origin]])));
  const others = fixed.filter(({ prefix }) => prefix === undefined);

  function originOf(skill: SkillRecord): ServedOrigin {
    const found = known.get(skill) ?? named(skill) ?? find(skill.path);
    known.set(skill, found);
    return found;
  }

  /** The provenance that a gateway put into the entry. */
  function provenanceOf({ entry }: SkillRecord): Provenance | undefined {
    const provenance = decodeProvenance(entry._meta?.[originMetaKey]);
    return provenance !== undefined && reports().some(({ label }) => label === provenance.label)
      ? provenance
      : undefined;
  }

  function named(skill: SkillRecord): ServedOrigin | undefined {
    const provenance = provenanceOf(skill);
    if (provenance === undefined) return undefined;
    const { label, kind } = provenance;
    return fixed.find((origin) => origin.label === label) ?? { label, kind, place: label };
  }

  /** Folders without labels share one URI space; the first that has the file serves it. */
  function find(path: string): ServedOrigin {
    const ofPrefix = prefixed.get(path.split('/', 1)[0] ?? '');
    if (ofPrefix !== undefined) return ofPrefix;
    const has = ({ kind, place }: ServedOrigin): boolean =>
      kind === 'folder' && existsSync(join(place, path, 'SKILL.md'));
    return (others.length > 1 ? others.find(has) : undefined) ?? others[0] ?? fixed[0] ?? nobody;
  }

  return {
    originOf,
    labelOf: (skill: SkillRecord): string => originOf(skill).label,
    /** The URI of the skill at the origin. */
    uriOf(skill: SkillRecord): string {
      const { uri } = skill.entry;
      const provenance = provenanceOf(skill)?.uri;
      if (provenance !== undefined) return provenance.endsWith(`/${skillFileName}`) ? provenance : uri;
      const { prefix, kind } = originOf(skill);
      const segments = tryParseSkillUri(uri)?.segments ?? [];
      // The label of a folder was put before the URI. The label of live runtimes is part of it.
      return prefix === undefined || kind !== 'folder' || segments[0] !== prefix || segments.length < 3
        ? uri
        : buildSkillUri(segments.slice(1));
    },
    kindOf: (label: string): string => fixed.find((origin) => origin.label === label)?.kind ?? 'unknown',
    /** A gateway reports its own origins, which change with its configuration. */
    current(): readonly ServedOrigin[] {
      const reported = reports();
      if (reported.length === 0) return fixed;
      const now = reported.map(
        ({ label, kind }) =>
          fixed.find((origin) => origin.label === label || origin.place === label) ?? { label, kind, place: label },
      );
      return [...now, ...fixed.filter(({ kind }) => kind === 'runtimes')];
    },
  };
}

export type SkillOrigins = ReturnType<typeof skillOrigins>;

/** Live runtimes as an origin. */
export function runtimesOrigin({ label = 'mdp' }: { readonly label?: string }): ServedOrigin {
  return { label, kind: 'runtimes', place: 'live programs', prefix: label };
}

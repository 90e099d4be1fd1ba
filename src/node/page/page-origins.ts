/**
 * Where the skills that are served come from, as far as the server itself knows: the origins that it was given, and what was found in
 * each of them. Whoever knows more (when an origin answered last, why it does not) gives other `PageOrigins`.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SkillRecord, Snapshot } from '../../catalog/snapshot.ts';
import { skillFileName } from '../../skill/entry.ts';
import { countFindings, type Finding } from '../../skill/finding.ts';
import { decodeProvenance, originMetaKey, type Provenance } from '../../skill/provenance.ts';
import { buildSkillUri, tryParseSkillUri } from '../../skill/skill-uri.ts';
import type { PageOrigin } from '../../surfaces/page/page-data.ts';
import type { PageOrigins, PageReview } from '../../surfaces/page/page-ports.ts';
import type { UpstreamReport } from '../../transforms/upstream-report.ts';

/** An origin as the server was given it. */
export interface ServedOrigin {
  /** Under which decisions about its skills are kept, and by which people know it. */
  readonly label: string;
  /** For example `folder`, `archive`, `site`, `mcp`, `runtimes`. */
  readonly kind: string;
  /** The folder, the file or the address. */
  readonly place: string;
  /** First segment of the URIs of its skills; absent where they have none in common. */
  readonly prefix?: string;
}

const nobody: ServedOrigin = { label: 'unknown', kind: 'unknown', place: '' };

export function servedOrigins(
  given: readonly ServedOrigin[],
  review: () => Pick<PageReview, 'standings'>,
  reports: () => readonly UpstreamReport[] = () => [],
): PageOrigins {
  const known = new WeakMap<SkillRecord, ServedOrigin>();
  const prefixed = new Map(given.flatMap((origin) => (origin.prefix === undefined ? [] : [[origin.prefix, origin]])));
  const others = given.filter(({ prefix }) => prefix === undefined);
  const since = new Date().toISOString();

  function originOf(skill: SkillRecord): ServedOrigin {
    const found = known.get(skill) ?? named(skill) ?? find(skill.path);
    known.set(skill, found);
    return found;
  }

  /** What a gateway says about the skills that it passes on. */
  function provenanceOf({ entry }: SkillRecord): Provenance | undefined {
    const told = decodeProvenance(entry._meta?.[originMetaKey]);
    return told !== undefined && reports().some(({ label }) => label === told.label) ? told : undefined;
  }

  function named(skill: SkillRecord): ServedOrigin | undefined {
    const told = provenanceOf(skill);
    if (told === undefined) return undefined;
    const { label, kind } = told;
    return given.find((origin) => origin.label === label) ?? { label, kind, place: label };
  }

  /** A gateway knows its origins best: they change with its configuration. */
  function shownNow(): readonly ServedOrigin[] {
    const told = reports();
    if (told.length === 0) return given;
    const now = told.map(
      ({ label, kind }) =>
        given.find((origin) => origin.label === label || origin.place === label) ?? { label, kind, place: label },
    );
    return [...now, ...given.filter(({ kind }) => kind === 'runtimes')];
  }

  function uriOf(skill: SkillRecord): string {
    const { uri } = skill.entry;
    const told = provenanceOf(skill)?.uri;
    if (told !== undefined) return told.endsWith(`/${skillFileName}`) ? told : uri;
    const { prefix, kind } = originOf(skill);
    const segments = tryParseSkillUri(uri)?.segments ?? [];
    // The label of a folder was put before the URI; that of live programs is a part of it.
    return prefix === undefined || kind !== 'folder' || segments[0] !== prefix || segments.length < 3
      ? uri
      : buildSkillUri(segments.slice(1));
  }

  /** Several folders without labels share one space of URIs; the first that has the file is the one that is served. */
  function find(path: string): ServedOrigin {
    const named = prefixed.get(path.split('/', 1)[0] ?? '');
    if (named !== undefined) return named;
    const holds = ({ kind, place }: ServedOrigin): boolean =>
      kind === 'folder' && existsSync(join(place, path, 'SKILL.md'));
    return (others.length > 1 ? others.find(holds) : undefined) ?? others[0] ?? given[0] ?? nobody;
  }

  function concerns({ place, label }: ServedOrigin, found: Finding, snapshot: Snapshot): boolean {
    const skill = found.skill === undefined ? undefined : snapshot.skill(found.skill);
    if (skill !== undefined) return originOf(skill).label === label;
    if (found.file !== undefined) return found.file === place || found.file.startsWith(`${place.replace(/\/$/, '')}/`);
    return place !== '' && found.message.includes(place);
  }

  return {
    labelOf: (skill) => originOf(skill).label,
    uriOf,
    kindOf: (label) => given.find((origin) => origin.label === label)?.kind ?? 'unknown',
    dialectOf: (label) => reports().find((report) => report.label === label)?.dialect,
    async origins(snapshot) {
      const standingOf = await review().standings(snapshot);
      return shownNow().map((origin): PageOrigin => {
        const skills = snapshot.skills.filter((skill) => originOf(skill).label === origin.label);
        const findings = snapshot.findings.filter((found) => concerns(origin, found, snapshot));
        const { problems, warnings } = countFindings(findings);
        const stale = findings.find(({ rule }) => rule === 'origin-stale');
        const report = reports().find(({ label }) => label === origin.label);
        const worst = stale ?? findings.find(({ level, file }) => level === 'problem' && file === origin.place);
        return {
          label: origin.label,
          kind: origin.kind,
          place: origin.place,
          state: stale !== undefined ? 'stale' : skills.length === 0 ? 'empty' : problems > 0 ? 'problems' : 'ready',
          since,
          ...(report === undefined ? {} : told(report, problems)),
          skills: skills.length,
          problems,
          warnings,
          // One skill that is on is enough to know that the origin is.
          enabled: skills.length === 0 || skills.some((skill) => standingOf(skill).enabled),
          ...(worst === undefined ? {} : { error: { message: worst.message, remedy: worst.remedy } }),
          ...(report?.reason === undefined
            ? {}
            : { error: { message: report.reason, remedy: remedies[report.state], at: report.since } }),
        };
      });
    },
  };
}

const states = {
  ok: 'ready',
  stale: 'stale',
  unauthorized: 'not-authorized',
  unreachable: 'unreachable',
  pending: 'unreachable',
  'no-extension': 'failed',
  invalid: 'failed',
  empty: 'empty',
} as const satisfies Record<UpstreamReport['state'], PageOrigin['state']>;

const remedies: Readonly<Record<UpstreamReport['state'], string>> = {
  ok: 'look at its findings',
  stale: 'bring it back; it is asked again by itself, and what it listed last is served meanwhile',
  unauthorized: 'give it a token that it accepts: "auth" of this origin in skillwire.json',
  unreachable: 'start it, or correct its address in skillwire.json; it is asked again by itself',
  pending: 'wait a moment; it has not answered yet',
  'no-extension': 'name a server that serves skills, or say "assumeSkills" where it does and does not declare them',
  invalid: 'tell whoever runs it what is wrong, or take it out of skillwire.json',
  empty: 'put skills there, or look at "include" and "exclude" of this origin',
};

/** What a gateway knows better than the snapshot. */
function told({ state, since }: UpstreamReport, problems: number): Pick<PageOrigin, 'state' | 'since'> {
  return { state: state === 'ok' && problems > 0 ? 'problems' : states[state], since };
}

/** The origins as the page shows them: skills and findings of each, its state, and a remedy. */
import type { Snapshot } from '../../catalog/snapshot.ts';
import { countFindings, type Finding } from '../../skill/finding.ts';
import type { PageOrigin } from '../../surfaces/page/page-data.ts';
import type { PageOrigins } from '../../surfaces/page/page-ports.ts';
import type { UpstreamReport } from '../../transforms/upstream-report.ts';
import type { ServedOrigin, SkillOrigins } from '../skill-origins.ts';

export function pageOrigins(
  skills: SkillOrigins,
  isDisabled: (label: string) => boolean,
  reports: () => readonly UpstreamReport[] = () => [],
): PageOrigins {
  const since = new Date().toISOString();

  function concerns({ place, label }: ServedOrigin, found: Finding, snapshot: Snapshot): boolean {
    const skill = found.skill === undefined ? undefined : snapshot.skill(found.skill);
    if (skill !== undefined) return skills.labelOf(skill) === label;
    if (found.file !== undefined) return found.file === place || found.file.startsWith(`${place.replace(/\/$/, '')}/`);
    return place !== '' && found.message.includes(place);
  }

  return {
    labelOf: (skill) => skills.labelOf(skill),
    uriOf: (skill) => skills.uriOf(skill),
    kindOf: (label) => skills.kindOf(label),
    webAddressOf(label) {
      const origin = skills.current().find((one) => one.label === label);
      return origin === undefined ? undefined : webAddress(origin);
    },
    dialectOf: (label) => reports().find((report) => report.label === label)?.dialect,
    async origins(snapshot) {
      return skills.current().map((origin): PageOrigin => {
        const own = snapshot.skills.filter((skill) => skills.labelOf(skill) === origin.label);
        const findings = snapshot.findings.filter((found) => concerns(origin, found, snapshot));
        const { problems, warnings } = countFindings(findings);
        const stale = findings.find(({ rule }) => rule === 'origin-stale');
        const report = reports().find(({ label }) => label === origin.label);
        const worst = stale ?? findings.find(({ level, file }) => level === 'problem' && file === origin.place);
        return {
          label: origin.label,
          kind: origin.kind,
          place: origin.place,
          state: stale !== undefined ? 'stale' : own.length === 0 ? 'empty' : problems > 0 ? 'problems' : 'ready',
          since,
          ...(report === undefined ? {} : reportedState(report, problems)),
          skills: own.length,
          problems,
          warnings,
          enabled: !isDisabled(origin.label),
          error: worst === undefined ? undefined : { message: worst.message, remedy: worst.remedy },
          ...(report?.reason === undefined
            ? {}
            : { error: { message: report.reason, remedy: remedies[report.state], at: report.since } }),
        };
      });
    },
  };
}

/** The page of a site, or of a repository on a forge. Other origins are no pages: browsers cannot open folders and MCP servers. */
function webAddress({ kind, place }: ServedOrigin): string | undefined {
  const text = kind === 'git' ? place.replace(/^git:/, '') : kind === 'site' ? place : '';
  if (!/^https?:/i.test(text) || !URL.canParse(text)) return undefined;
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname.replace(/\.git$/, '')}`;
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
  ok: 'read its findings',
  stale: 'restore the origin; Skillwire retries by itself and serves the last listing meanwhile',
  unauthorized: 'set a token that it accepts, as "auth" of this origin in skillwire.json',
  unreachable: 'start it, or correct its address in skillwire.json; Skillwire retries by itself',
  pending: 'wait a moment; it has not answered yet',
  'no-extension': 'name a server that serves skills; if it does but does not advertise them, set "assumeSkills"',
  invalid: 'report the fault to its operator, or remove it from skillwire.json',
  empty: 'add skills there, or check "include" and "exclude" of this origin',
};

/** The state that a gateway reports, which is more precise than the snapshot. */
function reportedState({ state, since }: UpstreamReport, problems: number): Pick<PageOrigin, 'state' | 'since'> {
  return { state: state === 'ok' && problems > 0 ? 'problems' : states[state], since };
}

/** The report of `doctor` for a person and for a program. */
import { shownPath } from '../../node/shown-path.ts';
import { displayText } from '../../skill/display-text.ts';
import type { AgentFacts, DoctorFinding, DoctorReport } from '../doctor/finding.ts';
import type { Colors } from './color.ts';
import { counted } from './values.ts';

export interface DoctorTextOptions {
  readonly cwd: string;
  readonly colors: Colors;
}

/** Facts first and findings last, so the important part is at the cursor. */
export function doctorText(report: DoctorReport, { cwd, colors }: DoctorTextOptions): string {
  const { node, folders, agents, installed, origins, cached } = report;
  const shown = (path: string): string => shownPath(cwd, path);
  const lines = [
    `node     ${node}`,
    `state    ${shown(folders.state)}`,
    `cache    ${shown(folders.cache)} (${counted(cached, 'file')} verified)`,
    ...(folders.configuration === undefined ? [] : [`config   ${shown(folders.configuration)}`]),
    ...agents.map((agent) => `agent    ${agentText(agent, shown)}`),
    ...installed
      .filter(({ skills }) => skills.length > 0)
      .map(({ lockFile, skills }) => `lock     ${shown(lockFile)}: ${counted(skills.length, 'skill')}`),
    ...(origins ?? []).map(
      ({ origin, state, skills }) => `origin   ${shown(origin)}: ${state}, ${counted(skills, 'skill')}`,
    ),
  ];
  const facts = `${lines.map((line) => displayText(line)).join('\n')}\n`;
  const findings = report.findings.map((finding) => findingText(finding, colors)).join('');
  return findings === '' ? facts : `${facts}\n${findings}`;
}

function agentText({ id, name, reads }: AgentFacts, shown: (path: string) => string): string {
  const there = reads.filter(({ exists }) => exists).map(({ path, skills }) => `${shown(path)} (${skills})`);
  return `${name} (${id}): ${there.length === 0 ? 'no skills folder yet' : there.join(', ')}`;
}

function findingText({ level, message, remedy, fixed }: DoctorFinding, colors: Colors): string {
  const word = { problem: colors.red('problem'), warning: colors.yellow('warning'), note: colors.dim('note') }[level];
  const done = fixed === undefined ? displayText(remedy) : colors.green(displayText(fixed));
  return `${fixed === undefined ? word : colors.green('fixed')}  ${displayText(message)}\n  -> ${done}\n`;
}

export interface DoctorCounts {
  readonly problems: number;
  readonly warnings: number;
  readonly notes: number;
  readonly fixed: number;
}

/** A fixed finding counts as fixed only. */
export function doctorCounts(findings: readonly DoctorFinding[]): DoctorCounts {
  const open = findings.filter(({ fixed }) => fixed === undefined);
  const count = (level: DoctorFinding['level']): number => open.filter((finding) => finding.level === level).length;
  return {
    problems: count('problem'),
    warnings: count('warning'),
    notes: count('note'),
    fixed: findings.length - open.length,
  };
}

export function doctorJson(report: DoctorReport): object {
  const { findings, installed, ...facts } = report;
  return {
    version: 1,
    ...facts,
    installed: installed.map(({ place, lockFile, skills, unfinished, leftovers }) => ({
      scope: place.scope,
      lockFile,
      unfinished,
      leftovers,
      skills: skills.map(({ name, state, folders }) => ({ name, state, folders })),
    })),
    findings: findings.map(({ level, check, message, remedy, path, fix, fixed }) => ({
      level,
      check,
      message,
      remedy,
      path,
      fixable: fix !== undefined,
      fixed,
    })),
    counts: doctorCounts(findings),
  };
}

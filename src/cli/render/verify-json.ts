/** What `verify` gives to a program: a versioned object (docs/verifying.md), and SARIF. */
import type { Failure, SkillReport, VerifyReport } from '../../verifier/report.ts';
import { requirementRow, requirements } from '../../verifier/requirements.ts';
import { type LogResult, type SarifLog, sarifLog } from './sarif-log.ts';
import { placeOfFailure, type VerifiedPlace } from './verify-places.ts';

export function verifyJson(
  origin: string,
  report: VerifyReport,
  skills: readonly SkillReport[],
  exitCode: number,
): object {
  return {
    version: 1,
    origin,
    exitCode,
    server: report.status,
    counts: report.counts,
    eras: report.eras,
    requirements: [...report.requirements].map(([id, count]) => ({ id, ...requirementRow(id), count })),
    failures: report.failures,
    skills,
    incomplete: report.incomplete,
  };
}

const levels = { must: 'error', should: 'warning' } as const;

/** Every failure as a result. `version` is that of the tool. */
export function verifySarif(
  place: VerifiedPlace,
  report: VerifyReport,
  skills: readonly SkillReport[],
  version: string,
): SarifLog {
  const rules = Object.entries(requirements).map(([id, { level, text }]) => ({
    id,
    level: levels[level],
    text,
    remedy: 'see SEP-2640, the Skills extension of the Model Context Protocol',
  }));
  const result = ({ requirement, message, uri, era }: Failure): LogResult => {
    const { level, text } = requirementRow(requirement);
    const where = uri === undefined ? place.origin : uri;
    return {
      rule: requirement,
      level: levels[level],
      message: `${where}: ${message}${era === undefined ? '' : ` (${era})`}`,
      remedy: `the rule is: ${text}`,
      location: placeOfFailure(uri, place),
    };
  };
  const failures = [...report.failures, ...skills.flatMap((skill) => skill.failures)];
  return sarifLog(rules, failures.map(result), version);
}

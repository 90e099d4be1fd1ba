/**
 * The result of `verify` for a program: a versioned object (docs/guides/verify-a-server.md), and SARIF. GitHub refuses an upload with any
 * address that is not `file:`. So a failure is located at the path in its URI, and the message has the URI.
 */

import { resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pathInside } from '../../node/shown-path.ts';
import type { Failure, SkillReport, VerifyReport } from '../../verifier/report.ts';
import { requirementRow, requirements } from '../../verifier/requirements.ts';
import { type LogResult, type SarifLocation, type SarifLog, sarifLog, sourceLocation } from './sarif-log.ts';

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

/** Every failure as a result. @param version of the tool */
export function verifySarif(
  place: VerifiedOrigin,
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

export interface VerifiedOrigin {
  /** The label of the origin. */
  readonly origin: string;
  /** Set if the origin is a folder. */
  readonly folder?: string;
  readonly cwd: string;
}

export function placeOfFailure(uri: string | undefined, { origin, folder, cwd }: VerifiedOrigin): SarifLocation {
  const path = uri === undefined ? [] : pathOf(uri);
  if (folder === undefined) return sourceLocation(uri === undefined ? pathOf(origin.replace(/^mcp:/, '')) : path);
  const file = resolve(folder, ...path);
  const inside = pathInside(cwd, file);
  return inside === undefined ? { uri: pathToFileURL(file).href } : sourceLocation(inside.split(sep));
}

/** The decoded segments of a URI, without empty and dot segments. A server may have sent any text. */
function pathOf(uri: string): readonly string[] {
  const [rest = ''] = uri.replace(/^[A-Za-z][A-Za-z0-9+.-]*:(?:\/\/)?/, '').split(/[?#]/, 1);
  return rest
    .split(/[/\\]/)
    .map(decoded)
    .filter((segment) => !['', '.', '..'].includes(segment) && !/[/\\\0]/.test(segment));
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // Not percent-encoded.
    return segment;
  }
}

/** Findings as SARIF: paths below the working folder are relative to `%SRCROOT%`, others are file URLs. */
import { resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pathInside } from '../../node/shown-path.ts';
import type { Finding, FindingRule } from '../../skill/finding.ts';
import { findingRules } from '../../skill/finding-rules.ts';
import { type LogRule, type SarifLocation, type SarifLog, sarifLog, sourceLocation } from './sarif-log.ts';

export interface SarifOptions {
  readonly cwd: string;
  /** Of the tool. */
  readonly version: string;
  /** Stands in for the file of a finding that has none. */
  readonly folder: string;
}

const levels = { problem: 'error', warning: 'warning', note: 'note' } as const;

export function sarif(findings: readonly Finding[], { cwd, version, folder }: SarifOptions): SarifLog {
  const results = findings.map(({ rule, level, message, remedy, file, line }) => ({
    rule,
    level: levels[level],
    message,
    remedy,
    location: artifactLocation(file ?? folder, cwd),
    line,
  }));
  return sarifLog(rules(), results, version);
}

function rules(): readonly LogRule[] {
  return (Object.keys(findingRules) as FindingRule[]).map((id) => {
    const { rule, remedy, level } = findingRules[id];
    return { id, level: levels[level], text: rule, remedy };
  });
}

function artifactLocation(file: string, cwd: string): SarifLocation {
  const path = pathInside(cwd, file);
  return path === undefined ? { uri: pathToFileURL(resolve(cwd, file)).href } : sourceLocation(path.split(sep));
}

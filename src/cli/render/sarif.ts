/**
 * Findings as SARIF 2.1.0, within what GitHub code scanning accepts: every result has a location with a line, relative
 * paths stand on `%SRCROOT%`, fingerprints do not depend on line numbers, and there are no half-filled `fixes`.
 */
import { createHash } from 'node:crypto';
import { resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { limits } from '../../limits.ts';
import { displayText } from '../../skill/display-text.ts';
import type { Finding, FindingLevel, FindingRule } from '../../skill/finding.ts';
import { findingRules } from '../../skill/finding-rules.ts';
import { pathInside } from './shown-path.ts';

export interface SarifLog {
  readonly $schema: string;
  readonly version: '2.1.0';
  readonly runs: readonly [SarifRun];
}

export interface SarifRun {
  readonly tool: { readonly driver: SarifDriver };
  readonly results: readonly SarifResult[];
}

interface SarifText {
  readonly text: string;
}

interface SarifDriver {
  readonly name: string;
  readonly version: string;
  readonly semanticVersion: string;
  readonly informationUri: string;
  readonly rules: readonly {
    readonly id: string;
    readonly shortDescription: SarifText;
    readonly fullDescription: SarifText;
    readonly help: SarifText;
    readonly defaultConfiguration: { readonly level: SarifLevel };
  }[];
}

type SarifLevel = 'error' | 'warning' | 'note';

interface SarifResult {
  readonly ruleId: FindingRule;
  readonly ruleIndex: number;
  readonly level: SarifLevel;
  readonly message: SarifText;
  readonly locations: readonly {
    readonly physicalLocation: {
      readonly artifactLocation: { readonly uri: string; readonly uriBaseId?: '%SRCROOT%' };
      readonly region: { readonly startLine: number };
    };
  }[];
  readonly partialFingerprints: { readonly primaryLocationLineHash: string };
}

export interface SarifOptions {
  readonly cwd: string;
  /** Of the tool. */
  readonly version: string;
  /** Stands in for the file of a finding that has none. */
  readonly folder: string;
}

const levels = { problem: 'error', warning: 'warning', note: 'note' } as const;
const order: readonly FindingLevel[] = ['problem', 'warning', 'note'];
const ruleIds = Object.keys(findingRules) as FindingRule[];

/** All findings, the gravest first where there are more than GitHub takes. */
export function sarif(findings: readonly Finding[], options: SarifOptions): SarifLog {
  const occurrences = new Map<string, number>();
  const kept =
    findings.length <= limits.cli.sarifResults
      ? findings
      : [...findings].sort((a, b) => order.indexOf(a.level) - order.indexOf(b.level)).slice(0, limits.cli.sarifResults);
  const results = kept.map((found): SarifResult => {
    const location = artifactLocation(found.file ?? options.folder, options.cwd);
    const hash = fingerprint(found, location.uri);
    const occurrence = (occurrences.get(hash) ?? 0) + 1;
    occurrences.set(hash, occurrence);
    return {
      ruleId: found.rule,
      ruleIndex: ruleIds.indexOf(found.rule),
      level: levels[found.level],
      message: { text: plainText(`${found.message}; ${found.remedy}`) },
      locations: [{ physicalLocation: { artifactLocation: location, region: { startLine: found.line ?? 1 } } }],
      partialFingerprints: { primaryLocationLineHash: `${hash}:${occurrence}` },
    };
  });
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver: driver(options.version) }, results }],
  };
}

function driver(version: string): SarifDriver {
  return {
    name: 'skillwire',
    version,
    semanticVersion: version,
    informationUri: 'https://skillwire.dev',
    rules: ruleIds.map((id) => {
      const { rule, remedy, level } = findingRules[id];
      return {
        id,
        shortDescription: { text: rule },
        fullDescription: { text: `The rule is: ${rule}.` },
        help: { text: `What to do: ${remedy}.` },
        defaultConfiguration: { level: levels[level] },
      };
    }),
  };
}

function artifactLocation(file: string, cwd: string): { uri: string; uriBaseId?: '%SRCROOT%' } {
  const path = pathInside(cwd, file);
  if (path === undefined) return { uri: pathToFileURL(resolve(cwd, file)).href };
  const uri = path
    .split(sep)
    .map((segment) => encodeURIComponent(segment.replace(/\p{Cs}/gu, '\ufffd')))
    .join('/');
  return { uri: uri === '' ? '.' : uri, uriBaseId: '%SRCROOT%' };
}

function fingerprint({ rule, message }: Finding, uri: string): string {
  return createHash('sha256').update(`${rule}\0${uri}\0${message}`).digest('hex').slice(0, 16);
}

/** SARIF viewers make a link of `[text](target)`, which a hostile skill must not be able to place. */
function plainText(text: string): string {
  return displayText(text).replaceAll('](', '] (');
}

/**
 * A SARIF 2.1.0 log that GitHub code scanning accepts. Every result has a location with a line, fingerprints do not depend on line numbers,
 * and `fixes` are complete or absent.
 */
import { createHash } from 'node:crypto';
import { limits } from '../../limits.ts';
import { projectUrl } from '../../project.ts';
import { displayText } from '../../skill/display-text.ts';

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

export type SarifLevel = 'error' | 'warning' | 'note';

export interface SarifLocation {
  readonly uri: string;
  readonly uriBaseId?: '%SRCROOT%';
}

interface SarifResult {
  readonly ruleId: string;
  readonly ruleIndex: number;
  readonly level: SarifLevel;
  readonly message: SarifText;
  readonly locations: readonly {
    readonly physicalLocation: {
      readonly artifactLocation: SarifLocation;
      readonly region: { readonly startLine: number };
    };
  }[];
  readonly partialFingerprints: { readonly primaryLocationLineHash: string };
}

export interface LogRule {
  readonly id: string;
  readonly level: SarifLevel;
  readonly text: string;
  readonly remedy: string;
}

export interface LogResult {
  readonly rule: string;
  readonly level: SarifLevel;
  readonly message: string;
  readonly remedy: string;
  readonly location: SarifLocation;
  readonly line?: number;
}

const order: readonly SarifLevel[] = ['error', 'warning', 'note'];

/** All results, or the gravest if there are more than GitHub accepts. @param version of the tool */
export function sarifLog(rules: readonly LogRule[], results: readonly LogResult[], version: string): SarifLog {
  const indexes = new Map(rules.map(({ id }, index) => [id, index]));
  const occurrences = new Map<string, number>();
  const accepted =
    results.length <= limits.cli.sarifResults
      ? results
      : [...results].sort((a, b) => order.indexOf(a.level) - order.indexOf(b.level)).slice(0, limits.cli.sarifResults);
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: driver(rules, version) },
        results: accepted.map((result) => {
          const hash = fingerprint(result);
          const occurrence = (occurrences.get(hash) ?? 0) + 1;
          occurrences.set(hash, occurrence);
          return {
            ruleId: result.rule,
            ruleIndex: indexes.get(result.rule) ?? -1,
            level: result.level,
            message: { text: plainText(`${result.message}; ${result.remedy}`) },
            locations: [
              { physicalLocation: { artifactLocation: result.location, region: { startLine: result.line ?? 1 } } },
            ],
            partialFingerprints: { primaryLocationLineHash: `${hash}:${occurrence}` },
          };
        }),
      },
    ],
  };
}

function driver(rules: readonly LogRule[], version: string): SarifDriver {
  return {
    name: 'skillwire',
    version,
    semanticVersion: version,
    informationUri: projectUrl,
    rules: rules.map(({ id, level, text, remedy }) => ({
      id,
      shortDescription: { text },
      fullDescription: { text: `The rule is: ${text}.` },
      help: { text: `What to do: ${remedy}.` },
      defaultConfiguration: { level },
    })),
  };
}

function fingerprint({ rule, message, location }: LogResult): string {
  return createHash('sha256').update(`${rule}\0${location.uri}\0${message}`).digest('hex').slice(0, 16);
}

/** The location of a path below the root of the sources. */
export function sourceLocation(segments: readonly string[]): SarifLocation {
  const uri = segments
    .filter((segment) => segment !== '')
    .map((segment) => encodeURIComponent(segment.replace(/\p{Cs}/gu, '\ufffd')))
    .join('/');
  return { uri: uri === '' ? '.' : uri, uriBaseId: '%SRCROOT%' };
}

/** SARIF viewers turn `[text](target)` into a link, which a hostile skill must not be able to place. */
function plainText(text: string): string {
  return displayText(text).replaceAll('](', '] (');
}

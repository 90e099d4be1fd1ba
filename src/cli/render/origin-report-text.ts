/** How origins answered, for a person: nothing about origins that work, all refusals and findings of the others. */
import type { OriginReport, OriginState } from '../../host/host.ts';
import { limits } from '../../limits.ts';
import { displayText, shortText } from '../../skill/display-text.ts';
import type { RefusedEntry } from '../../sources/skill-source.ts';
import type { Colors } from './color.ts';
import { countsText, findingText } from './findings-text.ts';
import { counted } from './values.ts';

/** Each answer has different words. */
const originStateWords: Readonly<Record<OriginState, string>> = {
  ready: 'ready',
  empty: 'no skills',
  'all-refused': 'no usable entries',
  partial: 'partial answer',
  'no-skills-extension': 'does not serve skills',
  'no-index': 'publishes no skills',
  'not-authorized': 'not authorized',
  unreachable: 'unreachable',
  failed: 'failed',
  disabled: 'disabled',
};

export interface OriginReportOptions {
  readonly cwd: string;
  readonly colors: Colors;
  /** The display form of a label. */
  shown(label: string): string;
}

/** Empty if the origin is ready and there is nothing to report. */
export function originReportText(report: OriginReport, options: OriginReportOptions): string {
  const { colors, shown, cwd } = options;
  const { state, message, refused, findings } = report;
  const lines: string[] = [];
  if (state !== 'ready') {
    const color = state === 'empty' || state === 'disabled' ? colors.yellow : colors.red;
    const words = originStateWords[state];
    // A message that begins with the words of the state does not repeat them.
    const rest = message.startsWith(words) ? message.slice(words.length) : message === '' ? '' : `: ${message}`;
    lines.push(`${colors.bold(displayText(shown(report.label)))}: ${color(words)}${displayText(rest)}\n`);
  }
  if (refused.length > 0) {
    const name = displayText(shown(report.label));
    lines.push(`${name}: ${counted(refused.length, 'unusable entry', 'unusable entries')} in the listing\n`);
    lines.push(...refused.slice(0, limits.cli.refusedShown).map(refusedText));
    const more = refused.length - limits.cli.refusedShown;
    if (more > 0) lines.push(`  and ${more} more; use --json to list all\n`);
  }
  const grave = findings.filter(({ level }) => level !== 'note');
  for (const found of grave.slice(0, limits.cli.refusedShown)) lines.push(findingText(found, { cwd, colors }));
  if (findings.length > 0) lines.push(`${displayText(shown(report.label))}: ${countsText(findings)}\n`);
  return lines.join('');
}

function refusedText({ uri, name, faults }: RefusedEntry): string {
  const what = shortText(uri ?? name ?? 'an entry without a URI');
  return `  ${what}: ${faults.map((fault) => displayText(fault)).join('; ')}\n`;
}

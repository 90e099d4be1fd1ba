/** The result of `verify` for a person: one line for each skill, then failures by requirement, then totals. */
import { displayText } from '../../skill/display-text.ts';
import type { Failure, SkillReport, SkillStatus, VerifyReport } from '../../verifier/report.ts';
import { requirementRow } from '../../verifier/requirements.ts';
import type { Colors } from './color.ts';
import { tableText } from './table.ts';
import { byteSize, counted } from './values.ts';

const words: Readonly<Record<SkillStatus, string>> = {
  verified: 'ok',
  failed: 'FAILED',
  unverifiable: 'unverifiable',
  unchecked: 'not checked',
  skipped: 'unchanged',
};

export function skillLines(report: SkillReport, colors: Colors): string {
  const { status, name, uri, files, reason, failures, moreFailures } = report;
  const word = statusColor(status, colors)(words[status]);
  const warned = failures.length > 0 && status !== 'failed' ? `, ${counted(failures.length, 'warning')}` : '';
  const why = reason === undefined ? '' : `: ${displayText(reason)}`;
  const size = status === 'skipped' ? '' : `  ${colors.dim(counted(files, 'file'))}`;
  const line = `${word}${warned}  ${colors.bold(displayText(name))}  ${colors.dim(displayText(uri))}${size}${why}\n`;
  const more = moreFailures === undefined ? '' : `    and ${counted(moreFailures, 'more failure')}\n`;
  return line + failures.map((failure) => failureLine(failure, uri, colors)).join('') + more;
}

function failureLine({ requirement, message, uri, era }: Failure, skill: string, colors: Colors): string {
  const paint = requirementRow(requirement).level === 'must' ? colors.red : colors.yellow;
  const place = uri === undefined || uri === skill ? '' : `${displayText(uri)}: `;
  const when = era === undefined ? '' : ` (${era})`;
  return `    ${paint(requirement)}  ${place}${displayText(message)}${when}\n`;
}

function statusColor(status: SkillStatus, colors: Colors): (text: string) => string {
  if (status === 'verified' || status === 'skipped') return colors.green;
  return status === 'failed' ? colors.red : colors.yellow;
}

export function reportText(report: VerifyReport, colors: Colors, width: number): string {
  const parts: string[] = [];
  if (report.failures.length > 0) {
    const lines = report.failures.map((failure) => failureLine(failure, '', colors)).join('');
    parts.push(`${colors.bold('The origin as a whole')}\n${lines}`);
  }
  const rows = [...report.requirements]
    .map(([id, count]) => ({ id, count, ...requirementRow(id) }))
    .sort((a, b) => (a.level === b.level ? b.count - a.count : a.level === 'must' ? -1 : 1));
  if (rows.length > 0) {
    parts.push(
      tableText(
        rows,
        [
          {
            title: 'requirement',
            text: ({ id }) => id,
            style: ({ level }, paint) => (level === 'must' ? paint.red : paint.yellow),
          },
          { title: '', text: ({ level }) => level },
          { title: 'failures', text: ({ count }) => String(count), right: true },
          { title: 'text', text: ({ text }) => text, rest: true },
        ],
        { colors, width },
      ),
    );
  }
  for (const { era, state, protocolVersion, message } of report.eras) {
    const version = protocolVersion === undefined ? '' : ` ${displayText(protocolVersion)}`;
    parts.push(`${era}${version}: ${state === 'checked' ? '' : `${state}, `}${displayText(message)}\n`);
  }
  const { dialect, address } = report.status ?? {};
  if (dialect !== undefined && address !== undefined)
    parts.push(`${displayText(dialect)}: read every artifact of ${displayText(address)}\n`);
  else if (dialect !== undefined && report.eras.length === 0)
    parts.push(`Verified as ${displayText(dialect)}. SEP-2640 requires more.\n`);
  for (const reason of report.incomplete)
    parts.push(`${colors.yellow('not everything checked')}: ${displayText(reason)}\n`);
  parts.push(`${colors.bold(sum(report))}\n`);
  return parts.join('');
}

function sum({ counts }: VerifyReport): string {
  const parts = (['verified', 'failed', 'unverifiable', 'unchecked', 'skipped'] as const)
    .filter((status) => counts[status] > 0)
    .map((status) => `${counts[status]} ${status === 'unchecked' ? 'not checked' : status}`);
  const read = `${counted(counts.files, 'file')}, ${byteSize(counts.bytes)}`;
  return `${counted(counts.skills, 'skill')} (${read}): ${parts.length === 0 ? 'nothing to verify' : parts.join(', ')}`;
}

/** One waiting skill for a person who reviews many: a line about it, what it asks for, and what changed since the approval. */
import { limits } from '../../limits.ts';
import { displayText } from '../../skill/display-text.ts';
import { skillFileName } from '../../skill/entry.ts';
import { pathBelow } from '../../skill/resource-uri.ts';
import { isScript } from '../../skill/runs-code.ts';
import { type ApprovalOffer, factsText, type OfferSummary } from './approval-offer.ts';
import { changeSummaryText, fileDiffsText } from './change-text.ts';
import type { Colors } from './color.ts';
import { commandText } from './decision-commands.ts';
import { requestsText } from './requests-text.ts';
import { byteSize } from './values.ts';
import { wrapped } from './wrapped.ts';

export interface ReviewTextOptions {
  readonly colors: Colors;
  /** The display form of the origin. */
  readonly label: string;
}

/** @param title the position, such as "3 of 15" */
export function reviewText(
  offer: OfferSummary,
  { colors, label, title, width }: ReviewTextOptions & { readonly title: string; readonly width: number },
): string {
  const { captured, requests, change } = offer;
  const { name, description } = captured.entry.frontmatter;
  const requestLines = requestsText(requests, colors);
  return [
    `\n${colors.dim(`[${title}]`)} ${colors.bold(displayText(name))} of ${displayText(label)}: ${factsText(offer)}\n`,
    `${wrapped(displayText(description), width)}\n`,
    requestLines === '' ? `${colors.bold('asks for')} nothing\n` : `${colors.bold('asks for')}\n${requestLines}`,
    change === undefined
      ? ''
      : `${colors.bold('changed since approval')}\n${changeSummaryText(change, colors)}${fileDiffsText(change, colors)}`,
  ].join('');
}

/** Every file with its text, as far as a person reads it on a screen: `SKILL.md` first, then scripts, and licenses last. */
export function viewedFilesText(
  { captured: { entry }, bytes, texts }: ApprovalOffer,
  { colors, label }: ReviewTextOptions,
): string {
  const files = entry.resources === 'dynamic' ? [] : entry.resources;
  return files
    .map(({ uri, size }) => ({ uri, size, path: pathBelow(entry.uri, uri) }))
    .sort((a, b) => viewRank(a.path) - viewRank(b.path))
    .map(({ uri, size, path }) => {
      const head = `${colors.bold(`--- ${displayText(path)}`)} ${colors.dim(`(${byteSize(size)})`)}\n`;
      const text = texts.get(uri);
      if (text === undefined) return `${head}${bytes.has(uri) ? '(not text)\n' : ''}`;
      const lines = displayText(text, { multiline: true }).replace(/\n$/, '').split('\n');
      const most = limits.cli.viewedLines;
      const rest = lines.length - most;
      const more =
        rest > 0 ? colors.dim(`(${rest} more lines: ${commandText(['read', label, entry.uri, path])})\n`) : '';
      return `${head}${lines.slice(0, most).join('\n')}\n${more}`;
    })
    .join('\n');
}

function viewRank(path: string): number {
  if (path === skillFileName) return 0;
  if (isScript(path)) return 1;
  return /(?:^|\/)(?:licen[cs]e|copying|notice)\b[^/]*$/i.test(path) ? 3 : 2;
}

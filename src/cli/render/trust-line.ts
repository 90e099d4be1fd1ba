/** One line about a configuration that came with a folder and was not accepted; empty for all others. */

import { shownPath } from '../../node/shown-path.ts';
import { openActs } from '../../origins/judged-file.ts';
import type { JudgedOrigins } from '../../origins/named-origin.ts';
import { displayText } from '../../skill/display-text.ts';
import { actWords } from '../../trust/acts.ts';

export function isTrusted({ judged }: JudgedOrigins): boolean {
  return judged === 'own' || openActs(judged).length === 0;
}

/** Without a line break. */
export function trustLine(found: JudgedOrigins | undefined, cwd: string): string {
  if (found === undefined || found.judged === 'own' || isTrusted(found)) return '';
  const wants = [...new Set(openActs(found.judged).map(({ kind }) => actWords[kind]))];
  const file = displayText(shownPath(cwd, found.file));
  return `${file} is not trusted: it wants to ${wants.join(', ')}. Review it with "skillwire trust".`;
}

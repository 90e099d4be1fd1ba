/**
 * Lines of a `.skillignore` that cannot do what their author means: they match nothing, or matching them takes too long. Git ignores
 * such lines. Here each one would publish a file that somebody wanted to keep private, so it is reported.
 */
import { limits } from '../../limits.ts';

export interface LineFault {
  /** Continues "the line". */
  readonly message: string;
  readonly remedy: string;
}

const rows: readonly (LineFault & { readonly isFaulty: (pattern: string) => boolean })[] = [
  {
    message: `has more than ${limits.scan.ignoreStars} times "**"`,
    remedy: `use "**" at most ${limits.scan.ignoreStars} times in a line`,
    isFaulty: (pattern) => pattern.split('**').length > limits.scan.ignoreStars + 1,
  },
  {
    message: 'has a backslash between names',
    remedy: 'write "/" between the names of folders',
    isFaulty: (pattern) => /\\(?:[\p{L}\p{N}_.-]|$)/u.test(pattern.replaceAll('\\\\', '')),
  },
  {
    message: 'has ".", ".." or nothing as the name of a folder',
    remedy: 'write the path from the folder of the .skillignore, without "./", "../" and "//"',
    isFaulty: (pattern) => /(?:^|\/)\.\.?(?:\/|$)|\/\//.test(pattern),
  },
  {
    message: 'has a "[" without "]"',
    remedy: 'close the bracket, or write "\\[" for the character',
    isFaulty: (pattern) => /\[(?!.[^\]]*\])/u.test(pattern.replace(/\\./gu, '')),
  },
  {
    message: 'begins or ends with white space',
    remedy: 'remove the white space, or write "\\ " for a space that belongs to the name',
    isFaulty: (pattern) => /^\s|[^\S ]$/u.test(pattern),
  },
];

/** Why a line cannot be used; undefined for patterns, comments and empty lines. */
export function ignoreLineFault(line: string): LineFault | undefined {
  if (line.startsWith('#') || line.trim() === '') return undefined;
  const pattern = line.startsWith('!') ? line.slice(1) : line;
  const fault = rows.find(({ isFaulty }) => isFaulty(pattern));
  return fault === undefined ? undefined : { message: fault.message, remedy: fault.remedy };
}

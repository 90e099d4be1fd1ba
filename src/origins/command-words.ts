/**
 * The words of `stdio:COMMAND`. No shell runs the command: quotes keep spaces together, and variables, wildcards, pipes and redirections
 * mean nothing. A shell operator that stands alone is refused, because its author expects a shell.
 *
 * Single quotes keep everything. In double quotes `\"` and `\\` are escapes. Elsewhere a backslash escapes a space or a quote and is an
 * ordinary character before anything else, so that `C:\tools\server.exe` works as written.
 */
import { SkillwireError } from '../errors.ts';
import { quoteText } from '../skill/display-text.ts';

const blank = /\s/;
const operators: ReadonlySet<string> = new Set(['|', '||', '&', '&&', ';', '>', '>>', '<', '<<', '2>', '2>&1', '&>']);
const plainWord = /^[\w@%+=:,./-]+$/;

/** @throws SkillwireError USAGE for an empty command, an open quote, a control character or a shell operator */
export function splitCommand(command: string): readonly string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern searches for them
  if (/[\0-\x08\x0a-\x1f\x7f]/.test(command)) {
    throw refusal(command, 'it contains a control character', 'Write it in one line of text.');
  }
  const words: string[] = [];
  let word: string | undefined;
  let quoted = false;
  const end = (): void => {
    if (word === undefined) return;
    if (!quoted && operators.has(word)) {
      throw refusal(
        command,
        `no shell runs it, so "${word}" means nothing`,
        'Put a command that needs a shell into a script.',
      );
    }
    words.push(word);
    word = undefined;
    quoted = false;
  };
  for (let index = 0; index < command.length; index++) {
    const character = command.charAt(index);
    const next = command.charAt(index + 1);
    if (character === '"' || character === "'") {
      const inside = quotedPart(command, index);
      if (inside === undefined) throw refusal(command, `the quote ${character} is not closed`, 'Close it.');
      word = (word ?? '') + inside.text;
      quoted = true;
      index = inside.end;
    } else if (character === '\\' && /["'\s]/.test(next)) {
      word = (word ?? '') + next;
      quoted = true;
      index++;
    } else if (blank.test(character)) {
      end();
    } else {
      word = (word ?? '') + character;
    }
  }
  end();
  if (words[0] === undefined || words[0] === '') {
    throw refusal(command, 'it names no program', 'Write it after the prefix, for example stdio:npx my-server.');
  }
  return words;
}

/** The text between the quote at the index and the closing one, whose index is `end`. */
function quotedPart(command: string, start: number): { readonly text: string; readonly end: number } | undefined {
  const quote = command.charAt(start);
  let text = '';
  for (let index = start + 1; index < command.length; index++) {
    const character = command.charAt(index);
    if (character === quote) return { text, end: index };
    const next = command.charAt(index + 1);
    if (quote === '"' && character === '\\' && (next === '"' || next === '\\')) {
      text += next;
      index++;
    } else {
      text += character;
    }
  }
  return undefined;
}

/** The one spelling of the words: `splitCommand(joinCommand(words))` returns the same words. */
export function joinCommand(words: readonly string[]): string {
  return words
    .map((word) => {
      if (plainWord.test(word)) return word;
      return word.includes("'") ? `"${word.replace(/[\\"]/g, '\\$&')}"` : `'${word}'`;
    })
    .join(' ');
}

function refusal(command: string, fault: string, remedy: string): SkillwireError {
  return new SkillwireError('USAGE', `Cannot start the command ${quoteText(command)}: ${fault}. ${remedy}`, {
    data: { command },
  });
}

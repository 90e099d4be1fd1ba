/** What an author should know about the text of a SKILL.md as a whole. Nothing here keeps a skill from being served. */
import { limits } from '../limits.ts';
import { type Finding, finding } from './finding.ts';
import { describeHidden, hiddenCharacters } from './hidden-characters.ts';
import { lineNumber, lineStarts } from './text-lines.ts';

/** A model reads about four characters as one token. */
const charactersPerToken = 4;

/** True if a body of so many lines and characters is one that an author is told about. */
export function isLongBody(lines: number, characters: number): boolean {
  return lines > limits.skill.bodyLines || tokensOf(characters) > limits.skill.bodyTokens;
}

function tokensOf(characters: number): number {
  return Math.ceil(characters / charactersPerToken);
}

/** Findings about the body, which begins in `line`. */
export function bodyFindings(body: string, line: number): readonly Finding[] {
  const starts = lineStarts(body);
  const lines = starts.at(-1) === body.length ? starts.length - 1 : starts.length;
  const tokens = tokensOf(body.length);
  if (!isLongBody(lines, body.length)) return [];
  const message = `the body has ${lines.toLocaleString('en-US')} lines and about ${tokens.toLocaleString('en-US')} tokens`;
  return [finding('skill-md-long-body', message, { line })];
}

/** One finding for each kind of hidden characters, at its first place. */
export function hiddenCharacterFindings(text: string): readonly Finding[] {
  return hiddenCharacters(text).map(({ kind, count, first }) => {
    const message = `SKILL.md holds ${describeHidden(kind, count)}`;
    return finding('skill-md-hidden-characters', message, { line: lineNumber(text, first) });
  });
}

/**
 * The question about a file that came with a folder and would act: the same for `skillwire trust` and for the first command that needs it.
 * Without a terminal nobody is asked: the command ends and says what to run.
 */
import { shownPath } from '../../node/shown-path.ts';
import { acceptFile, type JudgedFile, notTrusted, openActs, type TrustStore } from '../../origins/judged-file.ts';
import { type JudgedOrigins, type NamedOrigin, usersWord } from '../../origins/named-origin.ts';
import { displayText } from '../../skill/display-text.ts';
import { type Act, actWords } from '../../trust/acts.ts';
import { isAccepted, replacedActs } from '../../trust/trust-record.ts';
import { type Cli, isYes } from '../cli.ts';

/** The origins, each accepted or harmless. @throws SkillwireError NOT_TRUSTED */
export async function requireTrust(
  origins: readonly NamedOrigin[],
  store: TrustStore,
  cli: Cli,
  signal: AbortSignal,
): Promise<readonly NamedOrigin[]> {
  const open = origins.filter(({ trust }) => trust.standing === 'untrusted');
  const files = new Map(open.flatMap(({ trust }) => (trust.file === undefined ? [] : [[trust.file.file, trust.file]])));
  for (const file of files.values()) {
    const at = open.flatMap(({ trust }) =>
      trust.file?.file === file.file && trust.at !== undefined ? [trust.at] : [],
    );
    await requireAccepted(file, at, store, cli, signal);
  }
  return origins.map((origin) => (open.includes(origin) ? { ...origin, trust: usersWord } : origin));
}

/** Asks about the file, or refuses. @param at the parts of it that are needed @throws SkillwireError NOT_TRUSTED */
export async function requireAccepted(
  file: JudgedFile,
  at: readonly string[],
  store: TrustStore,
  cli: Cli,
  signal: AbortSignal,
): Promise<void> {
  if (cli.ask === undefined || !(await askTrust(file, cli, signal))) throw notTrusted(file, at);
  await acceptFile(file, store);
}

/** Shows what would act and asks. */
export async function askTrust(file: JudgedFile, cli: Cli, signal: AbortSignal): Promise<boolean> {
  cli.stderr.write(trustText(file, cli.cwd));
  return cli.ask !== undefined && isYes(await cli.ask('Trust this file? [y/N] ', signal));
}

/** What the file wants to do, line by line, and what changed since it was accepted. */
export function trustText(file: JudgedFile, cwd: string): string {
  const { values, record } = file;
  const name = displayText(shownPath(cwd, file.file));
  const open = openActs(file);
  const known = values.filter((value) => isAccepted(record, value)).flatMap(({ acts }) => acts);
  const gone = replacedActs(record, values);
  const head =
    open.length === 0
      ? `${name} acts in no way that needs your word.\n`
      : record === undefined
        ? `${name} came with this folder. It wants to:\n`
        : `${name} changed since you trusted it on ${record.at.slice(0, 10)}. It now wants to:\n`;
  const rest = [
    ...actLines(record === undefined ? '  ' : '+ ', open),
    ...actLines('- ', gone),
    ...actLines('  ', known),
  ];
  return `${head}${rest.join('')}`;
}

function actLines(mark: string, acts: readonly Act[]): readonly string[] {
  return acts.map(({ kind, at, value }) => `${mark}${actWords[kind]}: ${displayText(value)}  (${displayText(at)})\n`);
}

/** One line about a configuration that came with a folder and was not accepted; empty for all others. */

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

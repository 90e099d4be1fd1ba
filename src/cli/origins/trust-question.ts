/**
 * Asks whether to trust a file that came with a folder and would act. `skillwire trust` and the first command that needs the file ask the
 * same question. Without a terminal the command fails and names the command to run.
 */
import { shownPath } from '../../node/shown-path.ts';
import { acceptFile, type JudgedFile, notTrusted, openActs, type TrustStore } from '../../origins/file-trust.ts';
import { shadowingLabels } from '../../origins/known-labels.ts';
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

/** Asks about the file, or refuses. @param at the needed parts of it @throws SkillwireError NOT_TRUSTED */
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

/** Shows the acting lines and asks. */
export async function askTrust(file: JudgedFile, cli: Cli, signal: AbortSignal): Promise<boolean> {
  cli.stderr.write(trustText(file, cli.cwd));
  return cli.ask !== undefined && isYes(await cli.ask('Trust this file? [y/N] ', signal));
}

/** The acting lines of the file, and their changes since it was accepted. */
export function trustText(file: JudgedFile, cwd: string): string {
  const { values, record } = file;
  const name = displayText(shownPath(cwd, file.file));
  const open = openActs(file);
  const known = values.filter((value) => isAccepted(record, value)).flatMap(({ acts }) => acts);
  const gone = replacedActs(record, values);
  const head =
    open.length === 0
      ? `${name} needs no trust: nothing in it acts for you.\n`
      : record === undefined
        ? `${name} came with this folder. It wants to:\n`
        : `${name} changed since you trusted it on ${record.at.slice(0, 10)}. It now wants to:\n`;
  return [
    head,
    ...actLines(record === undefined ? '  ' : '+ ', open),
    ...actLines('- ', gone),
    ...actLines('  ', known),
    labelLine(shadowingLabels(file, cwd)),
  ].join('');
}

function labelLine(labels: readonly string[]): string {
  if (labels.length === 0) return '';
  return `Once it is trusted, its labels come before folders of the same name: ${labels.map((label) => displayText(label)).join(', ')}\n`;
}

function actLines(mark: string, acts: readonly Act[]): readonly string[] {
  return acts.map(({ kind, at, value }) => `${mark}${actWords[kind]}: ${displayText(value)}  (${displayText(at)})\n`);
}

export function isTrusted({ judged }: JudgedOrigins): boolean {
  return judged === 'own' || openActs(judged).length === 0;
}

/** One line about an untrusted configuration that came with a folder, without a line break; empty for other configurations. */
export function trustLine(found: JudgedOrigins | undefined, cwd: string): string {
  if (found === undefined || found.judged === 'own' || isTrusted(found)) return '';
  const wants = [...new Set(openActs(found.judged).map(({ kind }) => actWords[kind]))];
  const file = displayText(shownPath(cwd, found.file));
  return `${file} is not trusted: it wants to ${wants.join(', ')}. Review it with "skillwire trust".`;
}

/**
 * `skillwire read`: prints one file of a skill. A pipe or file gets exactly the verified bytes; on a terminal text is escaped and binary
 * content refused. Needs no approval, because a person reads it, not a model.
 */
import type { Command } from 'commander';
import { type ExitCode, exitCodes, SkillwireError } from '../../errors.ts';
import type { InspectedFile } from '../../host/host.ts';
import type { CapturedEntry } from '../../host/load/capture.ts';
import { resolveFileReference } from '../../host/load/resolve-reference.ts';
import { hasUniqueNames } from '../../origins/named-origin.ts';
import { sha256Digest } from '../../skill/digest.ts';
import { displayText, quoteText } from '../../skill/display-text.ts';
import { withSkill } from '../chosen-skill.ts';
import { type Cli, type GlobalOptions, usageError } from '../cli.ts';
import { findSkill } from '../find-skill.ts';
import { shownLabel } from '../open-host.ts';
import { addConnectionOptions, type ConnectionOptions, originHelp, skillHelp } from '../options/connection-options.ts';
import { writeOutput } from '../options/output-options.ts';
import { startProgress } from '../progress.ts';
import { textOf } from '../read-files.ts';
import { jsonText } from '../render/json-text.ts';
import { byteSize } from '../render/values.ts';

interface ReadOptions extends GlobalOptions, ConnectionOptions {
  readonly raw?: boolean;
  readonly output?: string;
}

const help = `
${originHelp}
${skillHelp}
FILE is a path inside the skill, such as scripts/run.py, or a URI (default: SKILL.md).
On a terminal, control, bidirectional and invisible characters are escaped unless --raw is given. A pipe or file gets the
exact bytes, and only if they match the promised size and digest.

Exit codes:
  0 read, 2 failed, no such skill or no such file, 3 not authorized, 4 unreachable, 7 verification failed,
  130 interrupted

Examples:
  skillwire read ./skills pdf-tools
  skillwire read mcp:http://127.0.0.1:4711/mcp pdf-tools scripts/merge.py > merge.py
  skillwire read docs pdf-tools assets/logo.png --output logo.png`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  addConnectionOptions(
    command
      .usage('[LABEL=]ORIGIN SKILL [FILE] [options]')
      .argument('<origin>', 'Origin of the skill')
      .argument('[skill]', 'Skill to read')
      .argument('[file]', 'File of the skill')
      .option('--raw', 'Print raw bytes, on a terminal too')
      .option('--output <file>', 'Write to a file instead of stdout'),
  )
    .addHelpText('after', help)
    .action(async (origin: string, skill: string | undefined, file: string | undefined, _: unknown, self: Command) => {
      finish(await read({ origin, skill, file }, self.optsWithGlobals<ReadOptions>(), cli));
    });
}

interface ReadArguments {
  readonly origin: string;
  readonly skill: string | undefined;
  readonly file: string | undefined;
}

function read({ origin, skill, file }: ReadArguments, options: ReadOptions, cli: Cli): Promise<ExitCode> {
  const words = { origin, words: [skill, file], most: 2, command: 'read' };
  return withSkill(words, options, cli, async ({ host, origins: [named], signal }, chosenWords) => {
    const [reference, path] = chosenWords();
    const label = named?.label ?? origin;
    const progress = startProgress(cli, `Contacting ${shownLabel(label, cli.cwd)}`);
    const inspected = await findSkill(host, label, reference, signal, hasUniqueNames(named))
      .then(({ captured }) => {
        if (path !== undefined) requireFile(captured, path);
        return host.inspect({ label, uri: captured.entry.uri }, path, { signal });
      })
      .finally(() => progress.stop());
    if (inspected.checked !== 'both') cli.stderr.write(`${checkedText(inspected)}\n`);
    await write(inspected, options, cli);
    return exitCodes.ok;
  });
}

function checkedText({ uri, checked }: InspectedFile): string {
  const of = `the origin of ${quoteText(uri)} promises no`;
  if (checked === 'digest') return `Verified by digest only: ${of} size.`;
  return checked === 'size'
    ? `Not verified, only the size matches: ${of} digest.`
    : `Not verified: ${of} digest or size.`;
}

/** The files of a generated skill are not known in advance. */
function requireFile({ entry }: CapturedEntry, file: string): void {
  if (entry.resources === 'dynamic') return;
  const uri = resolveFileReference(file, { entry })?.uri;
  if (entry.resources.some((resource) => resource.uri === uri)) return;
  const { name } = entry.frontmatter;
  throw new SkillwireError(
    'FILE_NOT_FOUND',
    `The skill ${quoteText(name)} has no file ${quoteText(file)}. List its files with "skillwire show".`,
    { data: { uri: entry.uri, file } },
  );
}

async function write(inspected: InspectedFile, options: ReadOptions, cli: Cli): Promise<void> {
  if (options.output !== undefined) {
    await writeOutput(cli.cwd, options.output, inspected.bytes);
    if (options.json === true) cli.stdout.write(await json(inspected, false));
    return;
  }
  if (options.json === true) cli.stdout.write(await json(inspected, true));
  else cli.stdout.write(cli.stdout.isTTY === true && options.raw !== true ? terminalText(inspected) : inspected.bytes);
}

/** The text, escaped and with a line break at its end. */
function terminalText({ uri, bytes }: InspectedFile): string {
  const text = textOf(bytes);
  if (text === undefined)
    throw usageError(
      `${quoteText(uri)} is not text (${byteSize(bytes.length)}). Write it to a file with --output FILE, or add --raw.`,
      { uri, size: bytes.length },
    );
  const shown = displayText(text, { multiline: true });
  return shown === '' || shown.endsWith('\n') ? shown : `${shown}\n`;
}

async function json({ uri, bytes, verified, checked }: InspectedFile, withContent: boolean): Promise<string> {
  const text = textOf(bytes);
  const content = text === undefined ? { blob: Buffer.from(bytes).toString('base64') } : { text };
  const facts = { version: 1, uri, size: bytes.length, digest: await sha256Digest(bytes), verified, checked };
  return `${jsonText({ ...facts, ...(withContent ? content : {}) }, 2)}\n`;
}

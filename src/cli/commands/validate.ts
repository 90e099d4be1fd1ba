/** `skillwire validate`: reports problems in folders of skills, and exactly what would be published. */
import type { Command } from 'commander';
import { type ExitCode, exitCodes } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { signatureFileName } from '../../skill/content-digest.ts';
import { countFindings, totalFindings } from '../../skill/finding.ts';
import type { DirectoryReport } from '../../sources/directory/directory-report.ts';
import type { DirectoryRoot } from '../../sources/directory/directory-root.ts';
import { type Cli, type GlobalOptions, runs, usageError } from '../cli.ts';
import type { Fixes } from '../fix-skills.ts';
import { rareOption } from '../help/option-groups.ts';
import { addConfigOptions } from '../options/connection-options.ts';
import { chosenFormat, type Format, formatOption, writeOutput } from '../options/output-options.ts';
import { agentFoldersOption, publishOption } from '../options/publish-options.ts';
import type { FoundOrigins, OriginOptions } from '../origins/trusted-origins.ts';
import { type Colors, createColors, wantsColor } from '../render/color.ts';
import { findingsJson } from '../render/findings-json.ts';
import { countsText, findingsText } from '../render/findings-text.ts';
import { jsonText } from '../render/json-text.ts';
import { publishedFileCount, publishedFilesText, publishedSkills } from '../render/published-files.ts';
import { counted } from '../render/values.ts';

interface ValidateOptions extends GlobalOptions, OriginOptions {
  readonly format?: Format;
  readonly strict?: boolean;
  readonly fix?: boolean;
  readonly dryRun?: boolean;
  readonly files?: boolean;
  readonly output?: string;
  readonly cache: boolean;
}

const help = `
DIR is a folder of skills, the folder of one skill, or a label of skillwire.json. Without DIR, all folders of
skillwire.json are validated: the file of --config, else the nearest one upwards, else your own. Skills have the URIs that
"skillwire serve" gives them with the same arguments.

Levels:
  problem   the skill or file is not served
  warning   served, but some clients refuse it or read it differently
  note      advice

--fix makes mechanical fixes in the SKILL.md files below DIR: quotes, types of metadata and compatibility, names, "---"
lines, byte-order marks and the spelling of SKILL.md. It changes nothing else, shows a diff, and validates again.

Exit codes:
  0 no problems and no warnings, 1 some (with --strict: or notes; with --dry-run: or something to fix), 2 failed

Examples:
  skillwire validate ./skills
  skillwire validate
  skillwire validate ./skills --files
  skillwire validate ./skills --fix --dry-run
  skillwire validate ./skills team=../team/skills
  skillwire validate --config deploy/skillwire.json --json
  skillwire validate ./skills --format sarif --output skills.sarif`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  addConfigOptions(command)
    .usage('[[LABEL=]DIR...] [options]')
    .argument('[dir...]', 'Folders or labels')
    .addOption(formatOption())
    .addOption(rareOption('common', '--no-nested', 'Give nested skills no entry of their own'))
    .addOption(publishOption())
    .addOption(agentFoldersOption())
    .addOption(rareOption('common', '--no-cache', 'Do not use the cache of read files'))
    .option('--fix', 'Make mechanical fixes in the SKILL.md files below DIR')
    .option('--dry-run', 'With --fix: only show what would change')
    .option('--strict', 'Fail on notes too')
    .option('--files', 'Print which files would be published, and which not and why')
    .option('--output <file>', 'Write the result to a file instead of stdout')
    .addHelpText('after', help)
    .action(runs(cli, finish, validate));
}

async function validate(args: readonly string[], options: ValidateOptions, cli: Cli): Promise<ExitCode> {
  const format = chosenFormat(options);
  const { findOrigins } = await import('../origins/resolve-origins.ts');
  assertFixable(args, options);
  const found = await findOrigins(args, options, cli, 'validate');
  const { roots, explain } = found;
  const dryRun = options.dryRun === true;
  if (options.fix === true) assertNamed(found);
  const read = (): Promise<DirectoryReport> =>
    readReport(roots, options.cache, cli).catch((error: unknown) => {
      throw explain(error);
    });
  const fixes =
    options.fix === true
      ? await (await import('../fix-skills.ts')).fixSkills({ roots, cwd: cli.cwd, dryRun, validate: read })
      : undefined;
  const report = fixes?.report ?? (await read());
  const toFile = options.output !== undefined;
  const colors = createColors(!toFile && wantsColor(cli.stdout, { env: cli.env, color: options.color }));
  const text = await rendered(report, format, { roots, withFiles: options.files === true, colors, cli, fixes, dryRun });
  if (options.output === undefined) {
    cli.stdout.write(text);
  } else {
    await writeOutput(cli.cwd, options.output, text);
    cli.stderr.write(`${summaryText(report)}\n`);
  }
  if (format === 'sarif' && report.findings.length > limits.cli.sarifResults) {
    const left = totalFindings(report.findings) - limits.cli.sarifResults;
    cli.stderr.write(`${counted(left, 'finding')} omitted: GitHub accepts ${limits.cli.sarifResults} per run.\n`);
  }
  const { problems, warnings, notes } = countFindings(report.findings);
  const pending = dryRun ? (fixes?.fixed.length ?? 0) : 0;
  const counting = problems + warnings + pending + (options.strict === true ? notes : 0);
  return counting === 0 ? exitCodes.ok : exitCodes.findings;
}

function assertFixable(args: readonly string[], { fix, dryRun }: ValidateOptions): void {
  if (dryRun === true && fix !== true) throw usageError('--dry-run needs --fix.');
  if (fix === true && args.length === 0)
    throw usageError('--fix needs folders. For example: skillwire validate ./skills --fix');
}

/** A configuration may have come with a folder, so it must not choose where files are written. */
function assertNamed({ origins }: FoundOrigins): void {
  const configured = origins.find((origin) => origin.configured);
  if (configured === undefined) return;
  const { path } = configured.root;
  throw usageError(`--fix does not accept labels. Use "${path}" instead.`);
}

async function readReport(roots: readonly DirectoryRoot[], cache: boolean, cli: Cli): Promise<DirectoryReport> {
  const { directorySource } = await import('../../sources/directory/directory-source.ts');
  const source = directorySource(roots, { watch: false, cache });
  const progress = setTimeout(() => {
    if (cli.stderr.isTTY === true) cli.stderr.write(`Reading ${counted(roots.length, 'folder')} ...\n`);
  }, limits.cli.progressMs);
  try {
    const report = await source.report();
    if (!report.skills.some(({ files }) => files.some(({ path }) => path === signatureFileName))) return report;
    const { reportedSignatures } = await import('../signature-findings.ts');
    return { ...report, findings: [...report.findings, ...(await reportedSignatures(report.skills))] };
  } finally {
    clearTimeout(progress);
    await source.close?.();
  }
}

interface RenderOptions {
  readonly roots: readonly DirectoryRoot[];
  readonly withFiles: boolean;
  readonly colors: Colors;
  readonly cli: Cli;
  readonly fixes: Fixes | undefined;
  readonly dryRun: boolean;
}

async function rendered(report: DirectoryReport, format: Format, options: RenderOptions): Promise<string> {
  const { roots, withFiles, colors, cli, fixes, dryRun } = options;
  const { cwd, version } = cli;
  const { fixJson, fixText } = fixes === undefined ? {} : await import('../render/fix-text.ts');
  if (format === 'json') {
    const fix = fixes === undefined ? undefined : fixJson?.(fixes, dryRun, cwd);
    return `${jsonText({ ...findingsJson(report, cwd, withFiles), fix }, 2)}\n`;
  }
  if (format === 'sarif') {
    const { sarif } = await import('../render/sarif.ts');
    return `${jsonText(sarif(report.findings, { cwd, version, folder: roots[0]?.path ?? '.' }), 2)}\n`;
  }
  const parts = [
    fixes === undefined ? '' : (fixText?.(fixes, { dryRun, cwd, colors }) ?? ''),
    withFiles ? publishedFilesText(report.skills, cwd, colors) : '',
    findingsText(report.findings, { cwd, colors }),
    `${colors.bold(summaryText(report))}\n`,
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function summaryText(report: DirectoryReport): string {
  const { skills, findings } = report;
  const own = publishedSkills(report);
  const files = counted(publishedFileCount(own), 'file');
  const published = `${counted(own.length, 'skill')}, ${files} would be published`;
  const ofAgents = skills.length - own.length;
  const rest = ofAgents === 0 ? '' : ` (and ${ofAgents} in agent folders with --agent-folders)`;
  return `${published}${rest}; ${countsText(findings)}`;
}

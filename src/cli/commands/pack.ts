/**
 * `skillwire pack`: packs one skill into one file. It contains exactly what would be published; the same files give the same bytes on every
 * machine. The archive is written atomically.
 */
import { realpath } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { type ArchiveFile, type ArchiveFormat, archiveFormatOfName } from '../../archive/archive-file.ts';
import { type ExitCode, exitCodes, reasonOf, SkillwireError } from '../../errors.ts';
import { pathInside, shownPath } from '../../node/shown-path.ts';
import { sha256Digest } from '../../skill/digest.ts';
import { displayText, quoteText } from '../../skill/display-text.ts';
import type { SkillResource } from '../../skill/entry.ts';
import { countFindings, type Finding } from '../../skill/finding.ts';
import { skillFileUri, tryParseSkillUri } from '../../skill/skill-uri.ts';
import type { DirectoryReport, ReportedSkill } from '../../sources/directory/directory-report.ts';
import type { DirectorySource } from '../../sources/directory/directory-source.ts';
import { type Cli, type GlobalOptions, runs, usageError } from '../cli.ts';
import { publishOption, withPublished } from '../options/publish-options.ts';
import { colorsFor } from '../render/color.ts';
import { findingsText } from '../render/findings-text.ts';
import { writeJson } from '../render/json-text.ts';
import { byteSize, counted } from '../render/values.ts';

interface PackOptions extends GlobalOptions {
  readonly format?: ArchiveFormat;
  readonly out?: string;
  readonly publish?: readonly string[];
}

const help = `
SKILLDIR is the folder of one skill, with its SKILL.md. Files that are not published (hidden files, keys, files excluded
by .skillignore) are not packed; list them with "skillwire validate SKILLDIR --files". Nested skills are packed too. The
same files give the same archive and digest on every machine.

Without --out the archive is NAME.tar.gz or NAME.zip in the working folder, where NAME is the name of the skill. An
existing file is replaced.

Exit codes:
  0 packed, 2 failed, 5 a file name cannot be unpacked everywhere, 6 packed without files that have problems,
  130 interrupted

Examples:
  skillwire pack ./skills/pdf-tools
  skillwire pack ./skills/pdf-tools --format zip
  skillwire pack . --out ../pdf-tools.tar.gz
  skillwire pack ./skills/pdf-tools --out dist/pdf-tools.zip --json`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  command
    .usage('SKILLDIR [options]')
    .argument('<skilldir>', 'Folder of one skill')
    .addOption(
      new Option('--format <format>', 'Archive format (default: by the name of --out, else tar.gz)').choices([
        'tar.gz',
        'zip',
      ]),
    )
    .option('--out <file>', 'Archive file to write')
    .addOption(publishOption())
    .addHelpText('after', help)
    .action(runs(cli, finish, pack));
}

async function pack(named: string, options: PackOptions, cli: Cli): Promise<ExitCode> {
  const folder = resolve(cli.cwd, named);
  const format = chosenFormat(options);
  const { directorySource } = await import('../../sources/directory/directory-source.ts');
  const roots = withPublished([{ path: folder }], options.publish ?? [], cli.cwd);
  const source = directorySource(roots, { watch: false, cache: false });
  try {
    const report = await source.report();
    const skill = await skillOf(report, folder, named, cli);
    const { name } = skill.skill.entry.frontmatter;
    const out = resolve(cli.cwd, options.out ?? `${name}.${format}`);
    await refuseInside(out, folder, named, `${name}.${format}`);
    const files = await contentsOf(skill, source);
    const archive = await packChecked(files, format, skill);
    await writeArchive(out, archive);
    return await printResult({ skill, format, out, archive, findings: report.findings }, options, cli);
  } finally {
    await source.close?.();
  }
}

function chosenFormat({ format, out }: PackOptions): ArchiveFormat {
  const named = out === undefined ? undefined : /\.skill$/i.test(out) ? 'zip' : archiveFormatOfName(out);
  if (format !== undefined && named !== undefined && format !== named) {
    const message = `--format ${format} does not match the name ${quoteText(out ?? '')}. Change one of them.`;
    throw usageError(message);
  }
  return format ?? named ?? 'tar.gz';
}

/** The skill at the root of the folder. */
async function skillOf(report: DirectoryReport, folder: string, named: string, cli: Cli): Promise<ReportedSkill> {
  const found = report.skills.find((skill) => resolve(skill.folder) === folder);
  if (found !== undefined) return found;
  const [problem] = report.findings.filter(({ level, file }) => {
    return level === 'problem' && file !== undefined && dirname(resolve(file)) === folder;
  });
  if (problem !== undefined) {
    const where = problem.file === undefined ? '' : ` (${shownPath(cli.cwd, problem.file)})`;
    const message = `Cannot pack ${quoteText(named)}: ${problem.message}${where}; ${problem.remedy}`;
    throw new SkillwireError('INVALID_SKILL', message, { data: { folder, rule: problem.rule } });
  }
  const [inside] = report.skills;
  const hint =
    inside === undefined
      ? 'Name the folder of a skill.'
      : `Name the folder of one skill, for example ${quoteText(shownPath(cli.cwd, inside.folder))}.`;
  throw new SkillwireError('INVALID_SKILL', `Cannot pack ${quoteText(named)}: it has no SKILL.md. ${hint}`, {
    data: { folder },
  });
}

/** An archive inside the folder would become a file of the skill. */
async function refuseInside(out: string, folder: string, named: string, name: string): Promise<void> {
  const [to, from] = await Promise.all([
    realpath(dirname(out)).catch(() => dirname(out)),
    realpath(folder).catch(() => folder),
  ]);
  if (pathInside(from, to) === undefined) return;
  throw usageError(
    `Cannot write the archive to ${quoteText(out)}: it would become a file of the skill. ` +
      `Choose another folder, for example --out ${quoteText(resolve(from, '..', name))}.`,
    { file: out, folder: named },
  );
}

async function contentsOf({ skill, files }: ReportedSkill, source: DirectorySource): Promise<readonly ArchiveFile[]> {
  const path = tryParseSkillUri(skill.entry.uri)?.segments.slice(0, -1).join('/') ?? '';
  const resources = skill.entry.resources as readonly SkillResource[];
  const digests = new Map(resources.map(({ uri, digest }) => [uri, digest]));
  const contents: ArchiveFile[] = [];
  for (const { path: below, file, executable } of files) {
    const uri = skillFileUri(path, below);
    const content = await source.open(uri, {});
    if (content === undefined || content.digest !== digests.get(uri)) {
      const message = `Cannot pack ${quoteText(file)}: it changed meanwhile. Run this again.`;
      throw new SkillwireError('UNSTABLE', message, { data: { file } });
    }
    contents.push({ path: below, bytes: content.bytes, executable });
  }
  return contents;
}

/** Packs, then unpacks the result: nothing is written that does not contain exactly the files of the skill. */
async function packChecked(
  files: readonly ArchiveFile[],
  format: ArchiveFormat,
  { files: promised }: ReportedSkill,
): Promise<Uint8Array> {
  const [{ packArchive }, { unpackArchive }, { checkSkillLayout, checkPromisedSet }] = await Promise.all([
    import('../../archive/pack.ts'),
    import('../../archive/unpack.ts'),
    import('../../archive/check-files.ts'),
  ]);
  const archive = packArchive(files, format);
  const unpacked = await unpackArchive(archive, { format });
  checkSkillLayout(unpacked);
  await checkPromisedSet(unpacked, promised);
  return archive;
}

async function writeArchive(out: string, archive: Uint8Array): Promise<void> {
  const [{ replaceFile }, { nodeFileSystem }] = await Promise.all([
    import('../../store/embedded/replace-file.ts'),
    import('../../store/embedded/file-system.ts'),
  ]);
  try {
    await replaceFile(nodeFileSystem, out, [archive], { mode: 0o644 });
  } catch (cause) {
    const reason = reasonOf(cause);
    const message = `Cannot write ${quoteText(out)}: ${reason}. Choose a writable folder.`;
    throw new SkillwireError('WRITE_FAILED', message, { data: { file: out }, cause });
  }
}

interface Packed {
  readonly skill: ReportedSkill;
  readonly format: ArchiveFormat;
  readonly out: string;
  readonly archive: Uint8Array;
  readonly findings: readonly Finding[];
}

async function printResult(packed: Packed, options: PackOptions, cli: Cli): Promise<ExitCode> {
  const { skill, format, out, archive, findings } = packed;
  const digest = await sha256Digest(archive);
  const { name } = skill.skill.entry.frontmatter;
  const file = shownPath(cli.cwd, out);
  const problems = findings.filter(({ level }) => level === 'problem');
  if (options.json === true) {
    const files = skill.files.map(({ path, size, digest: of, executable }) => ({ path, size, digest: of, executable }));
    const { notPublished } = skill;
    writeJson(cli, { version: 1, name, file, format, size: archive.length, digest, files, notPublished, findings });
  } else {
    const what = `${counted(skill.files.length, 'file')}, ${byteSize(archive.length)}`;
    cli.stdout.write(`packed ${displayText(name)} into ${displayText(file)}: ${what}, ${digest}\n`);
    const colors = colorsFor(cli.stderr, cli, options);
    cli.stderr.write(findingsText(problems, { cwd: cli.cwd, colors }));
    const { warnings } = countFindings(findings);
    if (skill.notPublished.length > 0) {
      cli.stderr.write(`${counted(skill.notPublished.length, 'file')} not published and not packed\n`);
    }
    if (warnings > 0) {
      const command = `skillwire validate ${shownPath(cli.cwd, skill.folder)}`;
      cli.stderr.write(`${counted(warnings, 'warning')}; run "${displayText(command)}"\n`);
    }
  }
  return problems.length === 0 ? exitCodes.ok : exitCodes.partial;
}

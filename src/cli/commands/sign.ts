/** `skillwire sign`: signs the published files of each skill in a folder. A valid signature of the same key is not replaced. */
import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import type { Command } from 'commander';
import { type ExitCode, exitCodes, reasonOf, SkillwireError } from '../../errors.ts';
import { shownPath } from '../../node/shown-path.ts';
import { configuredOrigin } from '../../origins/resolve-reading.ts';
import { signatureFileName } from '../../skill/content-digest.ts';
import { displayText, quoteText } from '../../skill/display-text.ts';
import type { DirectoryReport, ReportedSkill } from '../../sources/directory/directory-report.ts';
import type { DirectoryRoot } from '../../sources/directory/directory-root.ts';
import { nodeDigest } from '../../store/embedded/node-digest.ts';
import { type Cli, type GlobalOptions, runs, usageError } from '../cli.ts';
import { addConfigOptions } from '../options/connection-options.ts';
import { publishOption } from '../options/publish-options.ts';
import type { OriginOptions } from '../origins/trusted-origins.ts';
import { writeJson } from '../render/json-text.ts';
import { counted } from '../render/values.ts';
import { type FolderSkill, reportedSkill } from '../signature-findings.ts';
import { type OtherSigstore, type SigningOptions, signatureMaker } from '../signature-makers.ts';

type SignOptions = GlobalOptions & SigningOptions & Omit<OriginOptions, 'nested'>;

const help = `
DIR is a folder of skills, the folder of one skill, or a label of skillwire.json. Each skill gets the file ${signatureFileName}: a signature in the format of
OpenSSF Model Signing over every published file. Unpublished files are not signed. Sign a label, or use --publish, if files
that look like keys or credentials are published. A skill with a valid signature of the
same signer is left as it is.

--keyless signs with the identity of a CI job: in GitHub Actions with "id-token: write", elsewhere with the token in
SIGSTORE_ID_TOKEN. Sigstore's public log then keeps the identity, names and digests of files, for ever.

Exit codes:
  0 signed or unchanged, 2 failed, 4 Sigstore unreachable

Examples:
  skillwire sign ./skills --key team.key
  skillwire sign ./skills/pdf-tools --key team.key --certificate chain.pem
  skillwire sign docs --key team.key --passphrase-env SIGNING_PASSPHRASE --json
  skillwire sign ./skills --keyless`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  addConfigOptions(command)
    .usage('DIR --key FILE | --keyless [options]')
    .argument('<dir>', 'Folder of skills, or of one skill, or a label')
    .option('--key <file>', 'Private key in PEM form')
    .option('--certificate <file>', 'Certificate of the key, then its issuers, in PEM form')
    .option('--passphrase-env <variable>', 'Variable with the passphrase of the key')
    .option('--keyless', 'Sign with the Sigstore identity of a CI job')
    .addOption(publishOption())
    .addHelpText('after', help)
    .action(runs(cli, finish, sign));
}

/** @param other Sigstore services other than the public ones */
export async function sign(named: string, options: SignOptions, cli: Cli, other?: OtherSigstore): Promise<ExitCode> {
  const maker = await signatureMaker(options, cli, other);
  const report = await readFolders(await signedRoots(named, options, cli));
  assertSignable(report, named, cli);
  const written = new Map<string, string>();
  const rows: { readonly name: string; readonly file: string; readonly state: 'signed' | 'unchanged' }[] = [];
  // Inner skills first: the signature of an outer one covers theirs.
  for (const reported of [...report.skills].sort((a, b) => b.folder.length - a.folder.length)) {
    const file = join(reported.folder, signatureFileName);
    const skill = await currentSkill(reported, written);
    const isCurrent = await maker.isCurrent(skill);
    if (!isCurrent) {
      const ignored = skill.unpublished;
      const bytes = await maker.sign(reported.skill.entry.frontmatter.name, { files: skill.files, ignored });
      await writeSignature(file, bytes);
      written.set(resolve(file), nodeDigest(bytes));
    }
    const state = isCurrent ? 'unchanged' : 'signed';
    rows.unshift({ name: reported.skill.entry.frontmatter.name, file: shownPath(cli.cwd, file), state });
  }
  if (options.json === true) writeJson(cli, { version: 1, ...maker.signer, skills: rows });
  else {
    for (const { name, file, state } of rows)
      cli.stdout.write(`${state}  ${displayText(name)}  ${displayText(file)}\n`);
    const count = rows.filter(({ state }) => state === 'signed').length;
    cli.stderr.write(`${counted(count, 'skill')} signed, ${rows.length - count} unchanged\n`);
  }
  return exitCodes.ok;
}

/** The folders that `serve` publishes for the same argument. @throws SkillwireError NOT_TRUSTED, USAGE */
async function signedRoots(named: string, options: SignOptions, cli: Cli): Promise<readonly DirectoryRoot[]> {
  const { findOrigins } = await import('../origins/resolve-origins.ts');
  const { origins, found, ...typed } = await findOrigins([named], { ...options, nested: true }, cli, 'sign');
  const roots = typed.roots.map((root) => ({ ...root, path: resolve(cli.cwd, root.path) }));
  if (origins.some(({ configured }) => configured) || found === undefined) return roots;
  const absolute = (path: string, files: readonly string[] = []): readonly string[] =>
    files.map((file) => resolve(cli.cwd, path, file));
  const signed = roots.flatMap(({ path, publish }) => absolute(path, publish));
  const below = roots.map(({ path }) => `${resolve(cli.cwd, path)}${sep}`);
  for (const origin of found.configuration.origins) {
    const { location } = configuredOrigin(origin, { cwd: cli.cwd, home: homedir(), found });
    const published = location.kind === 'folder' ? absolute(location.path, location.publish) : [];
    const left = published.find((file) => !signed.includes(file) && below.some((folder) => file.startsWith(folder)));
    if (left === undefined) continue;
    const [file, configuration] = [left, found.file].map((path) => quoteText(shownPath(cli.cwd, path)));
    const message = `Cannot sign ${quoteText(named)}: ${configuration} also publishes ${file}. Add --publish ${file}.`;
    throw usageError(message, { file: left });
  }
  return roots;
}

async function readFolders(roots: readonly DirectoryRoot[]): Promise<DirectoryReport> {
  const { directorySource } = await import('../../sources/directory/directory-source.ts');
  const source = directorySource(roots, { watch: false, cache: false });
  try {
    return await source.report();
  } finally {
    await source.close?.();
  }
}

function assertSignable({ skills, findings }: DirectoryReport, named: string, cli: Cli): void {
  const problem = findings.find(({ level }) => level === 'problem');
  if (problem !== undefined) {
    const where = problem.file === undefined ? '' : ` (${shownPath(cli.cwd, problem.file)})`;
    const message = `Cannot sign ${quoteText(named)}: ${problem.message}${where}; ${problem.remedy}`;
    throw new SkillwireError('INVALID_SKILL', message, { data: { rule: problem.rule } });
  }
  if (skills.length === 0)
    throw new SkillwireError(
      'INVALID_SKILL',
      `Cannot sign ${quoteText(named)}: it has no skills. Name a folder of skills.`,
    );
}

/** The files of a skill after inner skills were signed. @throws SkillwireError INVALID_SKILL if one is reached through a link */
async function currentSkill(reported: ReportedSkill, written: ReadonlyMap<string, string>): Promise<FolderSkill> {
  const root = await realpath(reported.folder);
  for (const { file, path } of reported.files) {
    if ((await realpath(file)) === join(root, ...path.split('/'))) continue;
    const message = `Cannot sign ${quoteText(file)}: it is a link, which other tools refuse. Replace it by a copy.`;
    throw new SkillwireError('INVALID_SKILL', message, { data: { file } });
  }
  const skill = await reportedSkill(reported);
  const files = new Map(skill.files);
  const below = `${resolve(reported.folder)}${sep}`;
  for (const [file, digest] of written)
    if (file.startsWith(below)) files.set(file.slice(below.length).split(sep).join('/'), digest);
  return { ...skill, files };
}

async function writeSignature(file: string, bytes: Uint8Array): Promise<void> {
  const [{ replaceFile }, { nodeFileSystem }] = await Promise.all([
    import('../../store/embedded/replace-file.ts'),
    import('../../store/embedded/file-system.ts'),
  ]);
  try {
    await replaceFile(nodeFileSystem, file, [bytes], { mode: 0o644 });
  } catch (cause) {
    const reason = reasonOf(cause);
    throw new SkillwireError('WRITE_FAILED', `Cannot write ${quoteText(file)}: ${reason}.`, { data: { file }, cause });
  }
}

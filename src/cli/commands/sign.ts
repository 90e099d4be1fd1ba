/** `skillwire sign`: signs the published files of each skill in a folder. A valid signature of the same key is not replaced. */
import { createPublicKey } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import type { Command } from 'commander';
import { type ExitCode, exitCodes, SkillwireError } from '../../errors.ts';
import { shownPath } from '../../node/shown-path.ts';
import { CertificateFault, parseCertificates } from '../../signing/certificate.ts';
import { checkChain, validityFault } from '../../signing/certificate-chain.ts';
import { parsePrivateKey, verifyingKey } from '../../signing/keys.ts';
import { assertSigningKey, type SigningKey, signSkill } from '../../signing/sign-skill.ts';
import type { TrustedSigner } from '../../signing/signer.ts';
import { type SignedSkill, verifySignature } from '../../signing/verify-signature.ts';
import { signatureFileName } from '../../skill/content-digest.ts';
import { displayText, quoteText } from '../../skill/display-text.ts';
import type { DirectoryReport, ReportedSkill } from '../../sources/directory/directory-report.ts';
import { nodeDigest } from '../../store/embedded/node-digest.ts';
import { type Cli, type GlobalOptions, usageError } from '../cli.ts';
import { writeJson } from '../render/json-text.ts';
import { counted } from '../render/values.ts';
import { reportedSkill } from '../signature-findings.ts';
import { passphraseOf, readTrustFile } from '../signing-files.ts';

interface SignOptions extends GlobalOptions {
  readonly key: string;
  readonly certificate?: string;
  readonly passphraseEnv?: string;
}

const help = `
DIR is a folder of skills, or the folder of one skill. Each skill gets the file ${signatureFileName}: a signature in the format of
OpenSSF Model Signing over every published file. Unpublished files are not signed. A skill with a valid signature of the
same key is left as it is.

Exit codes:
  0 signed or unchanged, 2 failed

Examples:
  skillwire sign ./skills --key team.key
  skillwire sign ./skills/pdf-tools --key team.key --certificate chain.pem
  skillwire sign ./skills --key team.key --passphrase-env SIGNING_PASSPHRASE --json`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  command
    .usage('DIR --key FILE [options]')
    .argument('<dir>', 'Folder of skills, or of one skill')
    .requiredOption('--key <file>', 'Private key in PEM form')
    .option('--certificate <file>', 'Certificate of the key, then its issuers, in PEM form')
    .option('--passphrase-env <variable>', 'Variable with the passphrase of the key')
    .addHelpText('after', help)
    .action(async (folder: string, _: unknown, self: Command) => {
      finish(await sign(folder, self.optsWithGlobals<SignOptions>(), cli));
    });
}

async function sign(named: string, options: SignOptions, cli: Cli): Promise<ExitCode> {
  const key = await signingKey(options, cli);
  const report = await readFolder(resolve(cli.cwd, named));
  assertSignable(report, named, cli);
  const written = new Map<string, string>();
  const rows: { readonly name: string; readonly file: string; readonly state: 'signed' | 'unchanged' }[] = [];
  // Inner skills first: the signature of an outer one covers theirs.
  for (const reported of [...report.skills].sort((a, b) => b.folder.length - a.folder.length)) {
    const file = join(reported.folder, signatureFileName);
    const skill = await currentSkill(reported, written);
    const isCurrent = await isSignedBy(key, skill);
    if (!isCurrent) {
      const ignored = skill.unpublished ?? [];
      const bytes = signSkill(reported.skill.entry.frontmatter.name, { files: skill.files, ignored }, key);
      await writeSignature(file, bytes);
      written.set(resolve(file), nodeDigest(bytes));
    }
    const state = isCurrent ? 'unchanged' : 'signed';
    rows.unshift({ name: reported.skill.entry.frontmatter.name, file: shownPath(cli.cwd, file), state });
  }
  if (options.json === true)
    writeJson(cli, { version: 1, key: verifyingKey(createPublicKey(key.key)).id, skills: rows });
  else {
    for (const { name, file, state } of rows)
      cli.stdout.write(`${state}  ${displayText(name)}  ${displayText(file)}\n`);
    const count = rows.filter(({ state }) => state === 'signed').length;
    cli.stderr.write(`${counted(count, 'skill')} signed, ${rows.length - count} unchanged\n`);
  }
  return exitCodes.ok;
}

async function signingKey({ key: file, certificate, passphraseEnv }: SignOptions, cli: Cli): Promise<SigningKey> {
  const key = parsePrivateKey(await readTrustFile(cli, file), file, passphraseOf(cli, passphraseEnv));
  let chain: SigningKey['chain'];
  try {
    chain = certificate === undefined ? undefined : parseCertificates(await readTrustFile(cli, certificate));
  } catch (error) {
    if (!(error instanceof CertificateFault)) throw error;
    throw usageError(`Cannot use ${quoteText(certificate ?? '')}: a certificate ${error.message}.`);
  }
  const signing: SigningKey = chain === undefined ? { key } : { key, chain };
  assertSigningKey(signing);
  return signing;
}

async function readFolder(path: string): Promise<DirectoryReport> {
  const { directorySource } = await import('../../sources/directory/directory-source.ts');
  const source = directorySource([{ path }], { watch: false, cache: false });
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
async function currentSkill(reported: ReportedSkill, written: ReadonlyMap<string, string>): Promise<SignedSkill> {
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

/** Signatures differ on every run, so a good one stays. */
async function isSignedBy({ key, chain }: SigningKey, skill: SignedSkill): Promise<boolean> {
  const at = new Date();
  const root = chain?.at(-1);
  const publicKey = verifyingKey(createPublicKey(key));
  if (chain === undefined || root === undefined || chain.length < 2) {
    const signer: TrustedSigner = { name: 'key', kind: 'key', key: publicKey };
    return chain === undefined && (await verifySignature(skill, { signers: [signer], at })).state === 'signed';
  }
  const checked = checkChain(
    chain.map(({ der }) => der),
    [root],
  );
  if (!checked.ok || validityFault(checked, at) !== undefined) return false;
  const subject = Object.fromEntries(checked.subject);
  const verdict = await verifySignature(skill, {
    signers: [{ name: 'key', kind: 'certificate', roots: [root], subject }],
    at,
  });
  return verdict.state === 'signed';
}

async function writeSignature(file: string, bytes: Uint8Array): Promise<void> {
  const [{ replaceFile }, { nodeFileSystem }] = await Promise.all([
    import('../../store/embedded/replace-file.ts'),
    import('../../store/embedded/file-system.ts'),
  ]);
  try {
    await replaceFile(nodeFileSystem, file, [bytes], { mode: 0o644 });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SkillwireError('WRITE_FAILED', `Cannot write ${quoteText(file)}: ${reason}.`, { data: { file }, cause });
  }
}

/**
 * `skillwire verify`: reads every file an origin serves and reports what fails verification, by skill and by requirement. The only command
 * that fetches everything.
 */
import type { Command } from 'commander';
import type { Era } from '../../dialects/era.ts';
import { type ExitCode, exitCodes, SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { locationText } from '../../origins/kinds.ts';
import type { NamedOrigin } from '../../origins/named-origin.ts';
import { serverOptions } from '../../origins/open-origin.ts';
import { nodeDigest } from '../../store/embedded/node-digest.ts';
import type { SkillReport, VerifyReport } from '../../verifier/report.ts';
import { requirementRow } from '../../verifier/requirements.ts';
import { type Cli, type GlobalOptions, usageError } from '../cli.ts';
import { rareOption } from '../help/option-groups.ts';
import { openVerifiedSkills } from '../installed/verified-skills.ts';
import { type CommandSession, withHost } from '../open-host.ts';
import { addConnectionOptions, type ConnectionOptions, originHelp } from '../options/connection-options.ts';
import { chosenFormat, type Format, formatOption, writeOutput } from '../options/output-options.ts';
import { originContext } from '../origins/origin-context.ts';
import { startProgress } from '../progress.ts';
import { type Colors, colorsFor } from '../render/color.ts';
import { jsonText } from '../render/json-text.ts';
import { tableWidth } from '../render/table.ts';
import { type VerifiedOrigin, verifyJson, verifySarif } from '../render/verify-json.ts';
import { reportText, skillLines } from '../render/verify-text.ts';
import type { SignerOptions } from '../signing-files.ts';

interface VerifyOptions extends GlobalOptions, ConnectionOptions, SignerOptions {
  readonly format?: Format;
  readonly output?: string;
  readonly changed?: boolean;
  readonly requireDigests?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly parallel?: number;
  readonly parity?: boolean;
}

const help = `
${originHelp}

Reads every file of every skill and compares it with its entry, skills/list with skills/get, and the frontmatter of each
SKILL.md with its entry. Also requests what does not exist, reads directories, and compares both protocol eras of an MCP
server. A site is compared with its index, and an older dialect with what it promises. Requirements:
docs/reference/requirements.md. Stores only which skills passed.

--parity reads several origins that should serve the same skills and compares their digests, over any protocol: MCP, both
forms of a site, archives, folders. To select one form of a site, name its index file.

--signer checks that the owner of a key, or of a certificate below a root, signed each skill. --issuer and --identity
do it for Sigstore. A signature is compared with the digests of the entry; run this without --signer to compare the
bytes.

Exit codes:
  0 verified or identical, 1 something is advised against, 2 failed, 3 not authorized, 4 unreachable,
  6 an origin lacks skills of others (--parity), 7 verification failed or differences, 8 not everything was checked,
  9 a skill is unverifiable (--require-digests), 130 interrupted

Examples:
  skillwire verify mcp:http://127.0.0.1:8808/mcp
  skillwire verify "stdio:npx my-server" --require-digests
  skillwire verify ./skills --format sarif --output skills.sarif
  skillwire verify team --changed --quiet
  skillwire verify https://docs.example.com
  skillwire verify ./skills --signer team.key.pub
  skillwire verify ./skills --signer team                # of "signers" in skillwire.json
  skillwire verify ./skills --signer root.pem --subject "O=Example Corporation"
  skillwire verify --parity ./skills https://example.com https://example.com/.well-known/skills/index.json`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  addConnectionOptions(command.usage('[LABEL=]ORIGIN... [options]').argument('<origin...>', 'Origins to verify'))
    .option('--parity', 'Compare several origins by digest')
    .option('--signer <signer>', 'Check signatures: a public key, a root certificate, or a name of "signers"')
    .option('--subject <attribute>', 'With a root certificate: NAME=TEXT of the signer (repeatable)', collect)
    .option('--issuer <url>', 'Check Sigstore signatures: who vouches for the signer')
    .option('--identity <text>', 'Check Sigstore signatures: the exact identity of the signer')
    .option('--changed', 'Skip skills that passed before and have the same entry')
    .option('--require-digests', 'Fail if a skill is dynamic and cannot be verified')
    .option('--verbose', 'Print every skill, not only those with failures')
    .option('--quiet', 'Print only failures, and nothing if there are none')
    .addOption(
      rareOption('connection', '--parallel <n>', `Parallel requests (1 to ${limits.verifier.mostParallel})`).argParser(
        parseParallel,
      ),
    )
    .addOption(formatOption())
    .option('--output <file>', 'Write the result to a file')
    .addHelpText('after', help)
    .action(async (origins: readonly string[], _: unknown, self: Command) => {
      const options = self.optsWithGlobals<VerifyOptions>();
      const { signer, subject, issuer, identity } = options;
      const signed = [signer, subject, issuer, identity].some((option) => option !== undefined);
      const run = signed ? signatures : options.parity === true ? compare : verify;
      finish(await run(origins, options, cli));
    });
}

function collect(text: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, text];
}

async function signatures(named: readonly string[], options: VerifyOptions, cli: Cli): Promise<ExitCode> {
  const format = chosenFormat(options);
  const others = ['changed', 'requireDigests', 'parallel', 'parity'] as const;
  if (format === 'sarif' || others.some((name) => options[name] !== undefined))
    throw usageError('--signer works only with --json, --output and --quiet. Remove the other options.');
  if (named.length > 1) throw usageError('--signer checks one origin at a time.');
  const { chosenSigner, gateOf } = await import('../signing-files.ts');
  const chosen = await chosenSigner(options, cli);
  return withHost(named, options, cli, async (session) => {
    const { verifySigner } = await import('../verify-signer.ts');
    const gate = typeof chosen === 'string' ? await session.signatures.by(chosen) : gateOf(chosen);
    return verifySigner(session, gate, { ...options, format }, cli);
  });
}

function compare(named: readonly string[], options: VerifyOptions, cli: Cli): Promise<ExitCode> {
  const format = chosenFormat(options);
  const unused = (['changed', 'requireDigests', 'parallel'] as const).find((name) => options[name] !== undefined);
  if (format === 'sarif' || unused !== undefined)
    throw usageError('--parity works only with --json, --output and --quiet. Remove the other options.');
  return withHost(named, options, cli, async (session) => {
    const { verifyParity } = await import('../verify-parity.ts');
    return verifyParity(session, { ...options, format }, cli);
  });
}

function verify(named: readonly string[], options: VerifyOptions, cli: Cli): Promise<ExitCode> {
  const format = chosenFormat(options);
  if (named.length > 1) throw usageError('One origin is verified at a time. Add --parity to compare several.');
  return withHost(named, options, cli, async (session) => {
    const [origin] = session.origins;
    if (origin === undefined) throw new TypeError('no origin');
    const { label, location } = origin;
    const colors = colorsFor(cli.stdout, cli, options);
    // Programs get every skill, people those that need attention.
    const leavesOut = options.quiet === true || (format === 'text' && options.verbose !== true);
    const skills: SkillReport[] = [];
    const report = await run(session, origin, options, cli, (skill) => {
      if (!leavesOut || !isInOrder(skill)) skills.push(skill);
    });
    // They arrive in the order in which they were done.
    skills.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.uri < b.uri ? -1 : 1));
    const exitCode = session.signal.aborted
      ? exitCodes.interrupted
      : verifyExit(report, options.requireDigests === true);
    const folder = location.kind === 'folder' ? { folder: location.path } : {};
    const silent = options.quiet === true && format === 'text' && exitCode === exitCodes.ok;
    const text = rendered(format, { origin: label, cwd: cli.cwd, ...folder }, report, skills, {
      colors,
      cli,
      exitCode,
    });
    if (options.output !== undefined) await writeOutput(cli.cwd, options.output, text);
    else if (!silent) cli.stdout.write(text);
    return exitCode;
  });
}

async function run(
  { store, signal, host }: CommandSession,
  origin: NamedOrigin,
  options: VerifyOptions,
  cli: Cli,
  onSkill: (report: SkillReport) => void,
): Promise<VerifyReport> {
  const verified = await openVerifiedSkills(store, locationText(origin.location));
  const progress = startProgress(cli, `Verifying ${origin.label}`);
  let [done, bytes] = [0, 0];
  const common = {
    digest: nodeDigest,
    signal,
    parallel: options.parallel ?? limits.verifier.parallel,
    onSkill(report: SkillReport) {
      bytes += report.bytes;
      progress.count({ done: ++done, bytes }, 'skill');
      onSkill(report);
    },
    onVerified: verified.add,
    ...(options.changed === true ? { isVerified: verified.has } : {}),
  };
  try {
    const server = await serverOptions(origin, originContext(options, cli));
    const asSource = async (): Promise<VerifyReport> => {
      const { verifySource } = await import('../../verifier/source-channel.ts');
      const [{ source } = { source: undefined }] = host.origins.list();
      if (source === undefined) throw new TypeError('no source');
      return verifySource(source, common);
    };
    /** `undefined` if it speaks no older dialect either. */
    const asOlder = async (): Promise<VerifyReport | undefined> => {
      try {
        const report = await asSource();
        const { dialect: spoken = 'skills-extension' } = report.status ?? {};
        return spoken === 'skills-extension' ? undefined : report;
      } catch (error) {
        if (isWithoutExtension(error)) return undefined;
        throw error;
      }
    };
    const { dialect = 'skills-extension' } = origin;
    if (server === undefined || dialect !== 'skills-extension') return await asSource();
    const { verifyServer } = await import('../../verifier/verify-server.ts');
    const { serverConnector } = await import('../../sources/mcp-server/server-connector.ts');
    const deadlineMs = options.timeout ?? limits.origin.deadlineMs;
    const connector = serverConnector({ ...server, concurrency: common.parallel }, deadlineMs);
    try {
      const report = await verifyServer({
        ...common,
        connect: (era, ending) => connector.connect(era, { deadlineMs, signal: ending }),
        eras: chosenEras(origin.era),
        deadlineMs,
        assumeSkills: origin.assumeSkills,
        onProgress: progress.say,
      });
      // Drafts of the extension are declared like the final one, but lack its methods.
      return report.counts.skills === 0 && report.requirements.has('S-1') ? ((await asOlder()) ?? report) : report;
    } catch (error) {
      if (!isWithoutExtension(error)) throw error;
      // It may speak an older dialect, which has its own requirements.
      const report = await asOlder();
      if (report === undefined) throw error;
      return report;
    } finally {
      connector.close();
    }
  } finally {
    progress.stop();
    await verified.finish();
  }
}

function isWithoutExtension(error: unknown): boolean {
  return error instanceof SkillwireError && error.code === 'NO_SKILLS_EXTENSION';
}

function chosenEras(era: NamedOrigin['era']): readonly Era[] {
  return era === 'auto' ? ['modern', 'legacy'] : [era];
}

function isInOrder({ status, failures }: SkillReport): boolean {
  return (status === 'verified' || status === 'skipped') && failures.length === 0;
}

/** If several apply: failed, unverifiable, not checked, advised against. */
export function verifyExit(report: VerifyReport, requireDigests: boolean): ExitCode {
  const levels = new Set([...report.requirements.keys()].map((id) => requirementRow(id).level));
  if (levels.has('must') || report.counts.failed > 0) return exitCodes.verificationFailed;
  if (requireDigests && report.counts.unverifiable > 0) return exitCodes.unverifiable;
  if (report.incomplete.length > 0) return exitCodes.incomplete;
  return levels.has('should') ? exitCodes.findings : exitCodes.ok;
}

interface RenderOptions {
  readonly colors: Colors;
  readonly cli: Cli;
  readonly exitCode: ExitCode;
}

function rendered(
  format: Format,
  place: VerifiedOrigin,
  report: VerifyReport,
  skills: readonly SkillReport[],
  { colors, cli, exitCode }: RenderOptions,
): string {
  if (format === 'json') return `${jsonText(verifyJson(place.origin, report, skills, exitCode), 2)}\n`;
  if (format === 'sarif') return `${jsonText(verifySarif(place, report, skills, cli.version), 2)}\n`;
  return skills.map((skill) => skillLines(skill, colors)).join('') + reportText(report, colors, tableWidth(cli.stdout));
}

function parseParallel(text: string): number {
  const count = Number(text);
  const most = limits.verifier.mostParallel;
  if (/^\d{1,3}$/.test(text) && count >= 1 && count <= most) return count;
  throw usageError(`--parallel "${text}" is not a number from 1 to ${most}.`);
}

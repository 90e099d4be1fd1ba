/**
 * `skillwire verify`: reads everything that an origin serves and tells what does not hold, by skill and by requirement. The
 * only command that fetches without being asked for something in particular.
 */

import { type Command, Option } from 'commander';
import { type ExitCode, exitCodes, SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { locationText } from '../../origins/kinds.ts';
import type { NamedOrigin } from '../../origins/named-origin.ts';
import { serverOptions } from '../../origins/open-origin.ts';
import { nodeDigest } from '../../store/embedded/node-digest.ts';
import type { Era, SkillReport, VerifyReport } from '../../verifier/report.ts';
import { requirementRow } from '../../verifier/requirements.ts';
import { type Cli, type GlobalOptions, type OutputStream, usageError } from '../cli.ts';
import { openVerifiedSkills } from '../installed/verified-skills.ts';
import { type Session, withHost } from '../open-host.ts';
import { addConnectionOptions, type ConnectionOptions, originHelp } from '../options/connection-options.ts';
import { originContext } from '../origins/origin-context.ts';
import { startProgress } from '../progress.ts';
import { type Colors, colorsFor } from '../render/color.ts';
import { jsonText } from '../render/json-text.ts';
import { tableWidth } from '../render/table.ts';
import { counted } from '../render/values.ts';
import { type VerifiedPlace, verifyJson, verifySarif } from '../render/verify-json.ts';
import { reportText, skillLines } from '../render/verify-text.ts';
import { writeOutput } from '../write-output.ts';

type Format = 'text' | 'json' | 'sarif';

interface VerifyOptions extends GlobalOptions, ConnectionOptions {
  readonly format?: Format;
  readonly output?: string;
  readonly changed?: boolean;
  readonly requireDigests?: boolean;
  readonly quiet?: boolean;
  readonly parallel?: number;
  readonly parity?: boolean;
}

const help = `
${originHelp}

Reads every file of every skill and compares it with its entry; compares skills/list with skills/get, and the frontmatter
of each SKILL.md with its entry field by field; asks for what is not there; reads directories; and compares both protocol
eras of an MCP server. Of a site every artifact is compared with its index, and a server that speaks an older dialect
with whatever that promises. Nothing is kept of what was read, except
which skills were in order. The requirements are in docs/reference/requirements.md.

With --parity several origins that should serve the same are read and their digests compared, whatever the wire: MCP,
both forms of a site, archives, folders. To mean one form of a site, name its index file.

Exit codes:
  0 everything holds, or is the same everywhere, 1 something is advised against, 2 could not run, 3 not authorized,
  4 unreachable, 6 an origin lacks skills that others have (with --parity), 7 something does not hold, or differs,
  8 not everything could be checked, 9 a skill is unverifiable (with --require-digests), 130 interrupted

Examples:
  skillwire verify mcp:http://127.0.0.1:8808/mcp
  skillwire verify "stdio:npx my-server" --require-digests
  skillwire verify ./skills --format sarif --output skills.sarif
  skillwire verify team --changed --quiet
  skillwire verify https://docs.example.com
  skillwire verify --parity ./skills https://example.com https://example.com/.well-known/skills/index.json`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  addConnectionOptions(command.usage('[LABEL=]ORIGIN... [options]').argument('<origin...>', 'what is verified'))
    .option('--parity', 'compare what several origins serve, by digest')
    .option('--changed', 'leave out skills that were in order before and have the same entry')
    .option('--require-digests', 'fail where a skill cannot be verified because it is dynamic')
    .option('--quiet', 'print only skills that are not in order')
    .option('--parallel <n>', `requests in flight (1 to ${limits.verifier.mostParallel})`, parseParallel)
    .addOption(new Option('--format <format>', 'what to print').choices(['text', 'json', 'sarif']))
    .option('--output <file>', 'write the result to a file')
    .addHelpText('after', help)
    .action(async (given: readonly string[], _: unknown, self: Command) => {
      const options = self.optsWithGlobals<VerifyOptions>();
      finish(await (options.parity === true ? compare(given, options, cli) : verify(given, options, cli)));
    });
}

function compare(given: readonly string[], options: VerifyOptions, cli: Cli): Promise<ExitCode> {
  const format = chosenFormat(options);
  const unused = (['changed', 'requireDigests', 'parallel'] as const).find((name) => options[name] !== undefined);
  if (format === 'sarif' || unused !== undefined)
    throw usageError('--parity goes with --json, --output and --quiet only; leave --changed, --require-digests, --parallel and sarif out');
  return withHost(given, options, cli, async (session) => {
    const { verifyParity } = await import('../verify-parity.ts');
    return verifyParity(session, { ...options, format }, cli);
  });
}

function verify(given: readonly string[], options: VerifyOptions, cli: Cli): Promise<ExitCode> {
  const format = chosenFormat(options);
  if (given.length > 1)
    throw usageError(`one origin is verified at a time, and ${given.length} are given; add --parity to compare them`);
  return withHost(given, options, cli, async (session) => {
    const [origin] = session.origins;
    if (origin === undefined) throw new TypeError('no origin');
    const { label, location } = origin;
    const colors = colorsFor(cli.stdout, cli, options);
    const streams = format === 'text' && options.output === undefined;
    // Lines of skills and a line of progress do not go together on one terminal.
    const showsProgress = !(streams && cli.stdout.isTTY === true);
    const skills: SkillReport[] = [];
    const report = await run(session, origin, options, showsProgress ? cli : { ...cli, stderr: silent }, (skill) => {
      if (options.quiet === true && isInOrder(skill)) return;
      if (streams) cli.stdout.write(skillLines(skill, colors));
      else skills.push(skill);
    });
    const exitCode = session.signal.aborted
      ? exitCodes.interrupted
      : verifyExit(report, options.requireDigests === true);
    const folder = location.kind === 'folder' ? { folder: location.path } : {};
    const text = rendered(format, { origin: label, cwd: cli.cwd, ...folder }, report, skills, {
      colors,
      cli,
      exitCode,
    });
    if (options.output === undefined) cli.stdout.write(text);
    else await writeOutput(cli.cwd, options.output, text);
    return exitCode;
  });
}

const silent: OutputStream = { write() {} };

async function run(
  { store, signal, host }: Session,
  origin: NamedOrigin,
  options: VerifyOptions,
  cli: Cli,
  onSkill: (report: SkillReport) => void,
): Promise<VerifyReport> {
  const verified = await openVerifiedSkills(store, locationText(origin.location));
  const progress = startProgress(cli, `verifying ${origin.label}`);
  let done = 0;
  const common = {
    digest: nodeDigest,
    signal,
    parallel: options.parallel ?? limits.verifier.parallel,
    onSkill(report: SkillReport) {
      progress.say(`verifying ${origin.label}: ${counted(++done, 'skill')} done`);
      onSkill(report);
    },
    onVerified: verified.add,
    ...(options.changed === true ? { isVerified: verified.has } : {}),
  };
  try {
    const server = await serverOptions(origin, originContext(options, cli));
    const asSource = async (): Promise<VerifyReport> => {
      const { verifySource } = await import('../../verifier/verify-source.ts');
      const [{ source } = { source: undefined }] = host.origins.list();
      if (source === undefined) throw new TypeError('no source');
      return verifySource(source, common);
    };
    /** Undefined if it speaks no older dialect either. */
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
      // Drafts of the extension were declared like the final one, and had none of its methods.
      return report.counts.skills === 0 && report.requirements.has('S-1') ? ((await asOlder()) ?? report) : report;
    } catch (error) {
      if (!isWithoutExtension(error)) throw error;
      // It may speak an older dialect, which is held to its own promises.
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

/** Several at once: what does not hold, what cannot be verified, what was not checked, what is advised against. */
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
  place: VerifiedPlace,
  report: VerifyReport,
  skills: readonly SkillReport[],
  { colors, cli, exitCode }: RenderOptions,
): string {
  if (format === 'json') return `${jsonText(verifyJson(place.origin, report, skills, exitCode), 2)}\n`;
  if (format === 'sarif') return `${jsonText(verifySarif(place, report, skills, cli.version), 2)}\n`;
  return skills.map((skill) => skillLines(skill, colors)).join('') + reportText(report, colors, tableWidth(cli.stdout));
}

function chosenFormat({ format, json }: VerifyOptions): Format {
  if (json !== true) return format ?? 'text';
  if (format === undefined || format === 'json') return 'json';
  throw usageError(`--json and --format ${format} ask for two formats; give one of them`);
}

function parseParallel(text: string): number {
  const count = Number(text);
  const most = limits.verifier.mostParallel;
  if (/^\d{1,3}$/.test(text) && count >= 1 && count <= most) return count;
  throw usageError(`--parallel "${text}" is not allowed; write a number from 1 to ${most}`);
}

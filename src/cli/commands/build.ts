/** `skillwire build`: builds or updates a static site of skills for any web server or CDN. `--check` writes nothing. */
import { type Command, Option } from 'commander';
import type { ArchiveFormat } from '../../archive/archive-file.ts';
import { type ExitCode, exitCodes, reasonOf } from '../../errors.ts';
import type { OneStore } from '../../gateway/one-store.ts';
import type { ServedSourceOptions } from '../../gateway/served-source.ts';
import { limits } from '../../limits.ts';
import { shownPath } from '../../node/shown-path.ts';
import type { SiteReport } from '../../node/site/build-site.ts';
import { type ByteCopies, createByteCopies } from '../../node/site/byte-copies.ts';
import type { SiteCheck } from '../../node/site/check-site.ts';
import type { SiteStateOptions } from '../../node/site/site-state.ts';
import { usersStore } from '../../node/users-store.ts';
import { displayText } from '../../skill/display-text.ts';
import { countFindings, type Finding } from '../../skill/finding.ts';
import type { SkillSource } from '../../sources/skill-source.ts';
import type { Store } from '../../store/store.ts';
import { type Cli, type GlobalOptions, usageError } from '../cli.ts';
import { rareOption } from '../help/option-groups.ts';
import { interruptible } from '../interrupts.ts';
import {
  addConfigOptions,
  addCredentialOptions,
  addStateOption,
  type StateOptions,
} from '../options/connection-options.ts';
import { agentFoldersOption, archiveFormatOption, publishOption } from '../options/publish-options.ts';
import type { FoundOrigins, OriginOptions } from '../origins/trusted-origins.ts';
import { startProgress } from '../progress.ts';
import { colorsFor } from '../render/color.ts';
import { countsText, findingsText } from '../render/findings-text.ts';
import { writeJson } from '../render/json-text.ts';
import { counted } from '../render/values.ts';
import { optimizeLate } from '../v8-flags.ts';

interface BuildOptions extends GlobalOptions, OriginOptions, StateOptions {
  readonly out: string;
  readonly baseUrl?: string;
  readonly archiveFormat?: ArchiveFormat;
  readonly keep?: number;
  readonly check?: boolean;
  readonly full?: boolean;
  readonly cache: boolean;
}

const help = `
ORIGIN is a folder, a label of skillwire.json, an archive, a site or an MCP server, as for "skillwire serve".

The site has both indexes (/.well-known/agent-skills/ and /.well-known/skills/), every skill as an archive and as single
files, and a page for people. Put the folder on any web server (recipes: docs/guides/publish-a-site.md). The same skills always give
the same bytes.

An existing site is updated: new files first, then the indexes. Unpublished files stay for --keep days. With a "policy"
in skillwire.json, approvals and denials decide what is published, and unpublished files are deleted at once.

Exit codes:
  0 built or up to date, 1 built with problems, or a stale site or signature (--check), 2 failed, 3 not authorized, 4 unreachable,
  7 verification failed, 130 interrupted

Examples:
  skillwire build ./skills --out site
  skillwire build ./skills team=../team/skills --out site --base-url https://skills.example.com
  skillwire build ./skills --out site --check`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  const { keepDays } = limits.wellKnown;
  addStateOption(addConfigOptions(addCredentialOptions(command)))
    .usage('[[LABEL=]ORIGIN...] --out SITE [options]')
    .argument('[origin...]', 'Folders, labels, archives, sites or MCP servers')
    .requiredOption('--out <folder>', 'Folder of the site')
    .option('--base-url <url>', 'Address of the site, for absolute URLs in the index', parseBaseUrl)
    .addOption(archiveFormatOption())
    .option('--keep <days>', `How long to keep unpublished files (default: ${keepDays})`, parseDays)
    .option('--full', 'Check every file of the site, not only changed skills')
    .addOption(
      new Option('--check', 'Write nothing; exit 1 if the site or a signature is stale').conflicts(['full', 'keep']),
    )
    .addOption(rareOption('common', '--no-nested', 'Give nested skills no entry of their own'))
    .addOption(agentFoldersOption())
    .addOption(publishOption())
    .addOption(rareOption('common', '--no-cache', 'Do not use the cache of read files'))
    .addHelpText('after', help)
    .action(async (args: readonly string[], _: unknown, self: Command) => {
      optimizeLate();
      finish(await build(args, self.optsWithGlobals<BuildOptions>(), cli));
    });
}

async function build(args: readonly string[], options: BuildOptions, cli: Cli): Promise<ExitCode> {
  const { findOrigins } = await import('../origins/resolve-origins.ts');
  const { resolve } = await import('node:path');
  const origins = await findOrigins(args, options, cli, 'build');
  const out = resolve(cli.cwd, options.out);
  await refuseInsideSkill(out);
  const copies = createByteCopies(limits.wellKnown.builtBytes);
  const decisions = await openDecisions(origins, options, cli);
  const read = await publishedSource(origins, options, cli, copies, decisions?.police);
  let absent: Absent = [];
  const source: SkillSource = {
    ...read,
    async close() {
      absent = decisions?.absent() ?? [];
      await read.close?.();
    },
  };
  const progress = startProgress(cli, `${options.check === true ? 'Checking' : 'Building'} ${shownPath(cli.cwd, out)}`);
  try {
    return await interruptible(async (signal) => {
      const { archiveFormat, baseUrl } = options;
      const site: SiteStateOptions = { source, out, version: cli.version, signal, archiveFormat, baseUrl };
      if (options.check === true) {
        const { checkSite } = await import('../../node/site/check-site.ts');
        const { publishedSignatures } = await import('../signature-findings.ts');
        const signatures = await publishedSignatures(source, signal);
        const check = await checkSite(site);
        progress.stop();
        return reportCheck(check, signatures, absent, out, options, cli);
      }
      const { buildSite } = await import('../../node/site/build-site.ts');
      const report = await buildSite({
        ...site,
        // A denied skill must not stay on the site.
        keepDays: options.keep ?? (decisions === undefined ? limits.wellKnown.keepDays : 0),
        full: options.full === true,
        known: copies.get,
        onProgress: (work) => progress.count(work, 'skill'),
      });
      progress.stop();
      return reportBuilt(report, absent, out, options, cli);
    });
  } catch (error) {
    throw origins.explain(error);
  } finally {
    progress.stop();
    await decisions?.close();
  }
}

/** The authority on what is published: the policy and people's decisions. `undefined` if everything is published. */
async function openDecisions({ found }: FoundOrigins, options: BuildOptions, cli: Cli) {
  const warn = (message: string): unknown => cli.stderr.write(`warning: ${displayText(message)}\n`);
  const one = usersStore(options, cli, warn);
  const policy = found?.configuration.policy ?? ((await restricts(one)) ? {} : undefined);
  if (policy === undefined) {
    await one.close();
    return undefined;
  }
  const [{ createServing }, { decisionFeed }, { policedOrigins }, { nodeDigest }] = await Promise.all([
    import('../../serving/serving.ts'),
    import('../../serving/decision-feed.ts'),
    import('../../transforms/policed-origins.ts'),
    import('../../store/embedded/node-digest.ts'),
  ]);
  const store = await one.open();
  const signatures = await publishedSigners(found, store, cli);
  const onerror = ({ message }: Error): unknown => warn(message);
  const serving = createServing({
    feed: decisionFeed(async () => store, onerror),
    store: async () => store,
    policy,
    signatures,
    digest: nodeDigest,
    onerror,
    onPinFailed: (_, error) => warn(reasonOf(error)),
  });
  return {
    police: policedOrigins(serving).police,
    /** Skills that are not published, with the reason. */
    absent: () =>
      serving.absent().map(({ label, entry, state, reason }) => {
        return { origin: label, uri: entry.uri, name: entry.frontmatter.name, state, reason };
      }),
    close: () => one.close(),
  };
}

type Absent = ReturnType<NonNullable<Awaited<ReturnType<typeof openDecisions>>>['absent']>;

async function publishedSigners(found: FoundOrigins['found'], store: Store, cli: Cli) {
  if (found?.configuration.policy === undefined) return undefined;
  const [{ servedSignatures }, { servingMachine }, { originContext }, { nodeDigest }] = await Promise.all([
    import('../../gateway/served-signatures.ts'),
    import('../../node/serving-machine.ts'),
    import('../origins/origin-context.ts'),
    import('../../store/embedded/node-digest.ts'),
  ]);
  const place = servingMachine(originContext({}, cli));
  return (await servedSignatures({ found, place, digest: nodeDigest }, found.configuration, store)).served;
}

/** Whether a person denied or disabled anything. */
async function restricts(store: OneStore): Promise<boolean> {
  if (!store.exists()) return false;
  const { createDecisionReader } = await import('../../store/decisions/decisions.ts');
  return (await createDecisionReader((await store.open()).state).read()).restricts;
}

async function publishedSource(
  origins: FoundOrigins,
  options: BuildOptions,
  cli: Cli,
  copies: ByteCopies,
  police: ServedSourceOptions['police'],
): Promise<SkillSource> {
  const source = await plainSource(origins, options, cli, copies, police);
  const rules = origins.found?.configuration.rules ?? [];
  if (rules.length === 0) return source;
  const { withRules } = await import('../../transforms/selected.ts');
  return withRules(source, rules);
}

/** Plain folders without a policy are one source, as in `serve`; anything else is a gateway. */
async function plainSource(
  origins: FoundOrigins,
  { cache, check }: BuildOptions,
  cli: Cli,
  copies: ByteCopies,
  police: ServedSourceOptions['police'],
): Promise<SkillSource> {
  if (origins.mirrors.length === 0 && police === undefined) {
    const { directorySource } = await import('../../sources/directory/directory-source.ts');
    // A check compares digests and needs no bytes.
    const onRead = check === true ? {} : { onRead: copies.add };
    return directorySource(origins.roots, { watch: false, cache, ...onRead });
  }
  const [{ servedSource }, { servingMachine }, { originContext }] = await Promise.all([
    import('../../gateway/served-source.ts'),
    import('../../node/serving-machine.ts'),
    import('../origins/origin-context.ts'),
  ]);
  // An origin that does not answer must not look empty.
  const policed = police === undefined ? {} : { police };
  return servedSource(
    origins,
    { watch: false, cache, tolerant: false, ...policed },
    servingMachine(originContext({}, cli)),
  );
}

function reportBuilt(report: SiteReport, absent: Absent, out: string, options: BuildOptions, cli: Cli): ExitCode {
  const { skills, added, removed, written, leftover, deleted, foreignPage, findings } = report;
  const counts = countFindings(findings);
  const exitCode = counts.problems === 0 ? exitCodes.ok : exitCodes.findings;
  if (options.json === true) {
    writeJson(cli, { version: 1, out, ...report, counts, notPublished: absent });
    return exitCode;
  }
  printFindings(findings, options, cli);
  printAbsent(absent, cli);
  if (foreignPage) cli.stderr.write('index.html was not made by "skillwire build" and was not changed.\n');
  const changes = [
    [added.length, 'added'],
    [report.changed.length, 'changed'],
    [removed.length, 'removed'],
  ] as const;
  const changed = changes.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  const old = [leftover === 0 ? '' : `${leftover} old ones kept`, deleted === 0 ? '' : `${deleted} old ones deleted`];
  const files = [`${counted(written, 'file')} written`, ...old].filter((part) => part !== '').join(', ');
  const shown = displayText(shownPath(cli.cwd, out));
  cli.stderr.write(
    `${shown}: ${counted(skills.length, 'skill')} (${changed.length === 0 ? 'nothing changed' : changed.join(', ')}); ${files}; ` +
      `${countsText(findings)}\n`,
  );
  return exitCode;
}

function reportCheck(
  check: SiteCheck,
  signatures: readonly Finding[],
  absent: Absent,
  out: string,
  options: BuildOptions,
  cli: Cli,
): ExitCode {
  const { skills, stale, damaged, findings } = check;
  const exitCode = stale.length + signatures.length === 0 ? exitCodes.ok : exitCodes.findings;
  if (options.json === true) {
    writeJson(cli, {
      version: 1,
      out,
      skills,
      upToDate: stale.length === 0,
      stale,
      findings: [...findings, ...signatures],
      notPublished: absent,
    });
    return exitCode;
  }
  printFindings(signatures, options, cli);
  printAbsent(absent, cli);
  const most = limits.cli.staleShown;
  for (const reason of stale.slice(0, most)) cli.stderr.write(`${displayText(reason)}\n`);
  if (stale.length > most) cli.stderr.write(`and ${counted(stale.length - most, 'more difference')}\n`);
  const shown = displayText(shownPath(cli.cwd, out));
  cli.stderr.write(
    stale.length === 0
      ? `${shown}: ${counted(skills, 'skill')}, up to date\n`
      : `${shown} is stale. Run this ${damaged ? 'with --full instead of' : 'without'} --check.\n`,
  );
  return exitCode;
}

/** Skills that the policy or a person keeps from being published. */
function printAbsent(absent: Absent, cli: Cli): void {
  const most = limits.cli.staleShown;
  for (const { name, state, reason } of absent.slice(0, most))
    cli.stderr.write(`not published: ${displayText(name)} is ${state}: ${displayText(reason)}\n`);
  if (absent.length > most) cli.stderr.write(`and ${counted(absent.length - most, 'more skill')}, see --json\n`);
}

function printFindings(findings: readonly Finding[], options: BuildOptions, cli: Cli): void {
  if (findings.length === 0) return;
  const colors = colorsFor(cli.stderr, cli, options);
  cli.stderr.write(`${findingsText(findings, { cwd: cli.cwd, colors })}\n`);
}

/** A site inside the folder of a skill would become part of that skill. */
async function refuseInsideSkill(out: string): Promise<void> {
  const [{ existsSync }, { dirname, join }] = await Promise.all([import('node:fs'), import('node:path')]);
  for (let folder = out; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'SKILL.md')))
      throw usageError(
        `Cannot build a site in "${out}": "${folder}" is a skill. Choose a folder outside of it with --out.`,
        { out, folder },
      );
    if (folder === dirname(folder)) return;
  }
}

function parseBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const usable = url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  if (usable && url.search === '' && url.hash === '') return url.href.replace(/\/+$/, '');
  throw usageError(
    `--base-url "${text}" is not the address of a site. For example: https://skills.example.com or https://example.com/path`,
  );
}

function parseDays(text: string): number {
  const most = limits.wellKnown.mostKeepDays;
  if (/^\d{1,4}$/.test(text) && Number(text) <= most) return Number(text);
  throw usageError(`--keep "${text}" is not a number of days from 0 to ${most}.`);
}

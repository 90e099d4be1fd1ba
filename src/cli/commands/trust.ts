/** `skillwire trust`: shows what a file that came with a folder would do for the user, and stores the user's acceptance. */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { type ExitCode, exitCodes, SkillwireError } from '../../errors.ts';
import { findConfiguration, judgedConfiguration, readAgain } from '../../node/find-configuration.ts';
import { shownPath } from '../../node/shown-path.ts';
import { acceptFile, forgetFile, type JudgedFile, openActs, trustedFiles } from '../../origins/file-trust.ts';
import { judgeLock } from '../../origins/judge-file.ts';
import { findProject, lockFileName } from '../../origins/project-folders.ts';
import { displayText } from '../../skill/display-text.ts';
import type { KeyValueStore } from '../../store/store.ts';
import { lockedOrigins, parseLock } from '../../sync/install-lock.ts';
import { isForeignLockName, parseForeignLock } from '../../sync/skills-lock.ts';
import { replacedActs } from '../../trust/trust-record.ts';
import { type Cli, type GlobalOptions, runs, usageError } from '../cli.ts';
import { type CommandSession, withHost } from '../open-host.ts';
import {
  addStateOption,
  addTrustOption,
  type ConnectionOptions,
  type StateOptions,
} from '../options/connection-options.ts';
import { askTrust, trustText } from '../origins/trust-question.ts';
import { writeJson } from '../render/json-text.ts';

interface TrustOptions extends GlobalOptions, StateOptions, Pick<ConnectionOptions, 'trustConfig'> {
  readonly list?: boolean;
  readonly revoke?: boolean;
}

const help = `
FILE is a skillwire.json, skillwire.lock or skills-lock.json (default: the nearest configuration and lock file of this
project).

Without trust, such a file may only name folders inside the project and public https addresses. These need your trust:
starting programs, sending variables, headers or tokens, Git over ssh, plain http, and local or private addresses. So do
files outside the project, callers without a token, and search endpoints. This command shows those lines and asks. Only
changes of these lines ask again.

Exit codes:
  0 trusted or nothing to trust, 2 failed, 5 not trusted, 130 interrupted

Examples:
  skillwire trust
  skillwire trust ./skillwire.lock
  skillwire trust --list
  skillwire trust --revoke
  skillwire install --trust-config sha256:…                 # in CI, with the digest that this command prints`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  addStateOption(addTrustOption(command))
    .usage('[FILE...] [options]')
    .argument('[files...]', 'Files to trust')
    .option('--list', 'List trusted files')
    .option('--revoke', 'Stop trusting the files')
    .addHelpText('after', help)
    .action(runs(cli, finish, trust));
}

function trust(named: readonly string[], options: TrustOptions, cli: Cli): Promise<ExitCode> {
  if (options.list === true && (options.revoke === true || named.length > 0))
    throw usageError('--list takes no files and no --revoke. Remove them.');
  return withHost(
    'none',
    options,
    cli,
    async (session) => {
      if (options.list === true) return list(session, options, cli);
      const files = named.length > 0 ? named : await filesHere(cli);
      if (options.revoke === true) return revoke(session, files, options, cli);
      if (files.length === 0) {
        if (options.json === true) writeJson(cli, { version: 1, files: [] });
        else cli.stderr.write('Nothing to trust: no skillwire.json or skillwire.lock came with this folder.\n');
        return exitCodes.ok;
      }
      const judged: { readonly file: JudgedFile; readonly trusted: boolean }[] = [];
      for (const file of files) judged.push(await trustOne(file, session, options, cli));
      if (options.json === true)
        writeJson(cli, { version: 1, files: judged.map(({ file, trusted }) => fileJson(file, trusted)) });
      return judged.every(({ file, trusted }) => trusted || openActs(file).length === 0)
        ? exitCodes.ok
        : exitCodes.refused;
    },
    { local: true },
  );
}

async function trustOne(
  named: string,
  { store, signal }: CommandSession,
  options: TrustOptions,
  cli: Cli,
): Promise<{ readonly file: JudgedFile; readonly trusted: boolean }> {
  const before = await judgeNamed(named, store.state, {}, cli);
  const shown = displayText(shownPath(cli.cwd, before.file));
  if (before.accepted) {
    if (options.json !== true) cli.stderr.write(`${trustText(before, cli.cwd)}${shown} is trusted already.\n`);
    return { file: before, trusted: true };
  }
  const inAdvance = options.trustConfig?.includes(before.digest) === true;
  if (options.json !== true && (inAdvance || cli.ask === undefined)) cli.stderr.write(trustText(before, cli.cwd));
  const accepted = inAdvance || (cli.ask !== undefined && (await askTrust(before, cli, signal)));
  if (accepted) await acceptFile(before, store);
  if (options.json !== true)
    cli.stderr.write(
      accepted
        ? `Trusted ${shown}. For CI: --trust-config ${before.digest}\n`
        : openActs(before).length === 0
          ? `To use your credentials with its origins: --trust-config ${before.digest}\n`
          : `${shown} is not trusted. To accept exactly these lines: --trust-config ${before.digest}\n`,
    );
  return { file: before, trusted: accepted };
}

function fileJson(file: JudgedFile, trusted: boolean): object {
  return {
    file: file.file,
    digest: file.digest,
    trusted,
    acts: file.values.flatMap(({ acts }) => acts),
    open: openActs(file),
    replaced: replacedActs(file.record, file.values),
  };
}

async function list({ store }: CommandSession, options: TrustOptions, cli: Cli): Promise<ExitCode> {
  const all = await trustedFiles(store.state);
  if (options.json === true) {
    const trusted = all.map(({ file, record }) => ({
      file,
      at: record?.at ?? null,
      acts: (record?.values ?? []).flatMap(({ acts }) => acts),
    }));
    writeJson(cli, { version: 1, trusted });
    return exitCodes.ok;
  }
  for (const { file, record } of all)
    cli.stdout.write(`${record?.at.slice(0, 10) ?? 'unreadable'}  ${displayText(shownPath(cli.cwd, file))}\n`);
  if (all.length === 0) cli.stderr.write('No trusted files.\n');
  return exitCodes.ok;
}

async function revoke(
  { store }: CommandSession,
  files: readonly string[],
  options: TrustOptions,
  cli: Cli,
): Promise<ExitCode> {
  const revoked: string[] = [];
  for (const named of files) {
    const file = realPathOf(resolve(cli.cwd, named));
    if (await forgetFile(file, store)) revoked.push(file);
  }
  if (options.json === true) writeJson(cli, { version: 1, revoked });
  else if (revoked.length === 0) cli.stderr.write('None of these files was trusted.\n');
  else for (const file of revoked) cli.stderr.write(`No longer trusted: ${displayText(shownPath(cli.cwd, file))}\n`);
  return exitCodes.ok;
}

/** A deleted file can still be removed from the list. */
function realPathOf(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return file;
    throw error;
  }
}

type TrustBase = Pick<Cli, 'cwd' | 'env'>;

/** The nearest configuration and lock file that came with a folder. Empty if there is none. */
async function filesHere({ cwd, env }: TrustBase): Promise<readonly string[]> {
  const home = homedir();
  const found = await findConfiguration({ cwd, env, home, platform: process.platform });
  const lock = join(findProject(cwd, home), lockFileName);
  return [...(found?.from === 'folder' ? [found.file] : []), ...(existsSync(lock) ? [lock] : [])];
}

/** Reads a file and judges it as if it came with a folder, even if the user named it. */
async function judgeNamed(
  named: string,
  state: Pick<KeyValueStore, 'get'>,
  { trustConfig }: { readonly trustConfig?: readonly string[] },
  { cwd }: TrustBase,
): Promise<JudgedFile> {
  const file = resolve(cwd, named);
  if (!existsSync(file))
    throw new SkillwireError('CONFIG_NOT_FOUND', `There is no "${file}". Name a skillwire.json or a skillwire.lock.`, {
      data: { file },
    });
  const place = { file, home: homedir() };
  if (isForeignLockName(file)) {
    const { skills } = parseForeignLock(readFileSync(file, 'utf8'), file);
    return judgeLock(skills, place, state, { trustConfig });
  }
  if (basename(file) === lockFileName) {
    const lock = parseLock(readFileSync(file, 'utf8'), file);
    return judgeLock(lockedOrigins(lock), place, state, { trustConfig });
  }
  const found = await readAgain({ file, from: 'folder' }, { cwd });
  const judged = (await judgedConfiguration(found, state, { trustConfig })).judged;
  if (judged === 'own') throw new TypeError(`"${file}" was not judged`);
  return judged;
}

/** `skillwire init`: writes a skillwire.json after three questions. It never changes an existing file. */
import { existsSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { type ExitCode, exitCodes, SkillwireError } from '../../errors.ts';
import { parseConfiguration } from '../../gateway/configuration.ts';
import { configurationFileName } from '../../node/find-configuration.ts';
import { locationText } from '../../origins/kinds.ts';
import { locationOf } from '../../origins/location.ts';
import { parseConfiguredOrigin, parseReadableOrigin } from '../../origins/parse-origin.ts';
import { displayText, quoteText } from '../../skill/display-text.ts';
import { suggestName } from '../../skill/name.ts';
import { type Cli, type GlobalOptions, isYes, runs, usageError } from '../cli.ts';
import { interruptible } from '../interrupts.ts';
import { writeJson } from '../render/json-text.ts';

interface InitOptions extends GlobalOptions {
  readonly yes?: boolean;
}

interface Answers {
  readonly folder: string;
  /** A second origin; empty for none. */
  readonly origin: string;
  readonly approvedOnly: boolean;
}

const defaults: Answers = { folder: './skills', origin: '', approvedOnly: false };

/** Editors read it; a project that has the package has the file. */
const schemaFile = './node_modules/skillwire/schema/skillwire.json';

const help = `
Asks for the folder of your skills, a second origin, and whether new versions wait for approval. Writes skillwire.json here,
and creates the folder if it is missing. An answer that cannot be used is asked for again. --yes takes the defaults: ./skills, no second origin, no approval.

Exit codes:
  0 written, 2 skillwire.json is there already or nobody can be asked, 130 interrupted

Examples:
  skillwire init
  skillwire init --yes
  skillwire init --yes --json`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  command
    .usage('[options]')
    .option('-y, --yes', 'Do not ask; take the defaults')
    .addHelpText('after', help)
    .action(runs(cli, finish, init));
}

async function init(options: InitOptions, cli: Cli): Promise<ExitCode> {
  const file = join(cli.cwd, configurationFileName);
  if (existsSync(file)) throw isThere(file);
  const answers = options.yes === true ? defaults : await askAll(options, cli);
  const text = configurationText(answers, cli.cwd);
  // A wrong answer is reported before anything is written.
  parseConfiguration(text, file);
  const folder = resolve(cli.cwd, answers.folder);
  const isNew = !existsSync(folder);
  await mkdir(folder, { recursive: true });
  await writeFile(file, text, { flag: 'wx' }).catch((cause: unknown) => {
    if (cause instanceof Error && 'code' in cause && cause.code === 'EEXIST') throw isThere(file);
    throw new SkillwireError('WRITE_FAILED', `Cannot write ${quoteText(file)}. Choose a writable folder.`, { cause });
  });
  if (options.json === true) {
    writeJson(cli, { version: 1, file, configuration: JSON.parse(text) as object, created: isNew ? [folder] : [] });
    return exitCodes.ok;
  }
  const made = isNew ? ` Created ${answers.folder}: add a skill with "skillwire new NAME".` : '';
  cli.stderr.write(`Wrote ${configurationFileName}.${made}\nNext: skillwire config check, then skillwire serve\n`);
  return exitCodes.ok;
}

function isThere(file: string): SkillwireError {
  return usageError(`${quoteText(file)} is there already. Edit it, or remove it first.`, { file });
}

async function askAll({ json }: InitOptions, cli: Cli): Promise<Answers> {
  const { ask } = cli;
  if (ask === undefined || json === true) throw usageError('Nobody can be asked here. Run "skillwire init --yes".');
  return interruptible(async (signal) => {
    /** Asks again until the answer can be used. */
    const askUntil = async <Value>(question: string, read: (typed: string) => Value): Promise<Value> => {
      for (;;) {
        const typed = (await ask(question, signal)).trim();
        try {
          return read(typed);
        } catch (error) {
          if (!(error instanceof SkillwireError)) throw error;
          cli.stderr.write(`${displayText(error.message)}\n`);
        }
      }
    };
    return {
      folder: await askUntil(`Folder with your skills? [${defaults.folder}] `, (typed) => readFolder(typed, cli.cwd)),
      origin: await askUntil('A second origin, such as owner/repo or https://HOST? [none] ', (typed) =>
        writtenOrigin(typed, cli.cwd),
      ),
      approvedOnly: await askUntil('Must somebody approve new versions? [y/N] ', readYes),
    };
  });
}

function readFolder(typed: string, cwd: string): string {
  if (typed === '') return defaults.folder;
  if (!('folder' in parseConfiguredOrigin(typed, {})))
    throw usageError(`${quoteText(typed)} is not a folder. The next question is about other origins.`);
  if (statSync(resolve(cwd, typed), { throwIfNoEntry: false })?.isDirectory() === false)
    throw usageError(`${quoteText(typed)} is a file. Name a folder.`);
  return typed;
}

function readYes(typed: string): boolean {
  if (isYes(typed)) return true;
  if (typed === '' || /^no?$/i.test(typed)) return false;
  throw usageError(`${quoteText(typed)} is not an answer. Type y or n.`);
}

function configurationText({ folder, origin, approvedOnly }: Answers, cwd: string): string {
  const isPath = /^(?:\.{0,2}[\\/]|~|[A-Za-z]:)/.test(folder) || folder === '.';
  const own = labelOf(basename(resolve(cwd, folder)), 'skills');
  const second = origin === '' ? undefined : labelOf(hostOf(origin), 'others');
  const configuration = {
    ...(existsSync(resolve(cwd, schemaFile)) ? { $schema: schemaFile } : {}),
    origins: {
      [own]: isPath ? folder : `./${folder}`,
      ...(second === undefined ? {} : { [second === own ? `${second}-2` : second]: origin }),
    },
    ...(approvedOnly ? { policy: { mode: 'approved-only' } } : {}),
  };
  return `${JSON.stringify(configuration, null, 2)}\n`;
}

/** A file names a repository by its address: a short form could be a folder on another machine. */
function writtenOrigin(typed: string, cwd: string): string {
  if (typed === '') return '';
  const exists = (path: string): boolean => existsSync(resolve(cwd, path));
  const spec = parseReadableOrigin(typed, { exists, labels: [] });
  if (!('repository' in spec) || spec.short === undefined) return typed;
  if (spec.skill !== undefined || spec.tree !== undefined)
    throw usageError(
      `${quoteText(typed)} is a part of a repository. Write OWNER/REPO, OWNER/REPO/PATH or OWNER/REPO#REF.`,
    );
  return locationText(locationOf(spec, cwd, cwd));
}

function labelOf(text: string, usual: string): string {
  return suggestName(text) ?? usual;
}

/** The most specific word of an origin: the owner of a repository, else its host, or its last part. */
function hostOf(origin: string): string {
  const address = origin.replace(/^(?:mcp|git|mdp|stdio):/, '');
  const [, owner] = /^https:\/\/git(?:hub|lab)\.com\/([^/]+)\//.exec(address) ?? [];
  if (owner !== undefined) return owner.toLowerCase();
  if (URL.canParse(address)) return new URL(address).hostname.replace(/^www\./, '').split('.')[0] ?? '';
  return address.split(/[\s/]/).filter(Boolean).at(-1) ?? '';
}

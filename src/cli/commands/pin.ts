/**
 * `skillwire pin`: pins live skills as a snapshot with digests. A hub with the same state serves the snapshot, and every command reads it,
 * until it expires or is unpinned.
 */
import type { Command } from 'commander';
import { type ExitCode, exitCodes } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { locationText } from '../../origins/kinds.ts';
import { spanMs } from '../../origins/time-span.ts';
import { displayText } from '../../skill/display-text.ts';
import type { SkillSource } from '../../sources/skill-source.ts';
import { isActive, type PinnedSkill } from '../../transforms/pinned-skill.ts';
import { type PinnedKey, storePin } from '../../transforms/store-pin.ts';
import { readPinned, type StoredPinned } from '../../transforms/stored-pins.ts';
import { type ChosenWords, withSkill } from '../chosen-skill.ts';
import { type Cli, type GlobalOptions, runs, usageError } from '../cli.ts';
import { matchStored } from '../decisions/stored-skill.ts';
import { type CommandSession, withHost } from '../open-host.ts';
import { addConnectionOptions, type ConnectionOptions, originHelp, skillHelp } from '../options/connection-options.ts';
import { originContext } from '../origins/origin-context.ts';
import { startProgress } from '../progress.ts';
import { writeJson } from '../render/json-text.ts';
import { type Column, writeTable } from '../render/table.ts';
import { writeMissing } from '../store-pin.ts';

interface PinCommandOptions extends GlobalOptions, ConnectionOptions {
  readonly for?: number;
  readonly list?: boolean;
}

const help = `
${originHelp}
${skillHelp}
Pins every file that the origin lists, or, without a list, every file that the skill links to. Unreadable files are
reported, and the others are pinned. Pin again to replace the snapshot. To pin a skill with a live skill inside, name both.

Exit codes:
  0 pinned or listed, 1 --list found a changed live skill, 2 failed or no such skill, 3 not authorized, 4 unreachable,
  6 pinned without unreadable files, 130 interrupted

Examples:
  skillwire pin mdp:ws://127.0.0.1:4711 skill://mdp/shop/cart/SKILL.md --for 30d
  skillwire pin mcp:https://example.com/mcp daily-report
  skillwire pin --list`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  addConnectionOptions(
    command
      .usage('[LABEL=]ORIGIN SKILL... [options] | --list')
      .argument('[origin]', 'Origin of the skills')
      .argument('[skill...]', 'Skills to pin')
      .option('--for <time>', 'Expiry, for example 30d, 12h or 45m (default: never)', parseSpan)
      .option('--list', 'List pinned skills and changes of the live ones'),
  )
    .addHelpText('after', help)
    .action(runs(cli, finish, pin));
}

function pin(
  origin: string | undefined,
  words: readonly string[],
  options: PinCommandOptions,
  cli: Cli,
): Promise<ExitCode> {
  if (options.list === true) return withHost('none', options, cli, (session) => list(session, origin, options, cli));
  if (origin === undefined) throw usageError('Nothing to pin. Name an origin and a skill, or use --list.');
  if (words.length > limits.pin.skills) throw usageError(`Too many skills. Pin at most ${limits.pin.skills} at once.`);
  const given = { origin, words, most: limits.pin.skills, command: 'pin' };
  const run = async (session: CommandSession, chosenWords: ChosenWords): Promise<ExitCode> => {
    const [named] = await session.resolve([origin]);
    const references = chosenWords();
    if (named === undefined || named.location.kind === 'folder' || named.location.kind === 'archive')
      throw usageError(`"${origin}" is not a live origin: its skills have digests already.`);
    const { openOrigin } = await import('../../origins/open-origin.ts');
    const { source, label } = await openOrigin(named, originContext(options, cli));
    const progress = startProgress(cli, `Contacting ${label}`);
    try {
      const uris = await findAll(source, references, session.signal);
      const place = { label, origin: locationText(named.location) };
      const pins: Pinned[] = [];
      for (const uri of uris) pins.push(await pinOne(session, source, uri, place, options, cli));
      const pinned = pins.map(({ json }) => json);
      // Always one value on stdout.
      if (options.json === true) writeJson(cli, { version: 1, pinned: pinned.length === 1 ? pinned[0] : pinned });
      return pins.every(({ whole }) => whole) ? exitCodes.ok : exitCodes.partial;
    } finally {
      progress.stop();
      await source.close?.();
    }
  };
  return withSkill(given, options, cli, run, { wanted: 'none' });
}

/** Inner skills come first, so both can be named in any order. */
async function findAll(source: SkillSource, references: readonly string[], signal: AbortSignal): Promise<string[]> {
  const rows: { label: string; uri: string; name: string }[] = [];
  for await (const { skills } of source.list({ signal }))
    for (const { entry } of skills) rows.push({ label: '', uri: entry.uri, name: entry.frontmatter.name });
  const uris = references.map((reference) =>
    reference.includes('://') ? reference : matchStored(reference, rows, 'Its origin does not list it.').uri,
  );
  return [...new Set(uris)].sort((a, b) => b.split('/').length - a.split('/').length);
}

async function pinOne(
  session: CommandSession,
  source: SkillSource,
  uri: string,
  place: PinnedKey,
  options: PinCommandOptions,
  cli: Cli,
): Promise<Pinned> {
  const { store, signal } = session;
  const newPin = await storePin(store, source, uri, place, { forMs: options.for, signal });
  if (options.json !== true) cli.stderr.write(`pinned: ${displayText(uri)}, ${untilText(newPin.skill)}\n`);
  writeMissing(newPin, cli);
  const { missing } = newPin;
  const whole = missing.length === 0;
  return { whole, json: { ...pinnedJson({ ...place, ...newPin.skill }), ...(whole ? {} : { missing }) } };
}

interface Pinned {
  readonly whole: boolean;
  readonly json: object;
}

async function list(
  { store }: CommandSession,
  label: string | undefined,
  options: PinCommandOptions,
  cli: Cli,
): Promise<ExitCode> {
  const all = await readPinned(store, label);
  const drifted = all.some((skill) => stateOf(skill) === 'drift');
  if (options.json === true) {
    writeJson(cli, { version: 1, pinned: all.map(pinnedJson) });
  } else {
    writeTable(all, columns, options, cli);
    if (all.length === 0) cli.stderr.write('Nothing is pinned. Pin a skill with "skillwire pin ORIGIN SKILL".\n');
  }
  return drifted ? exitCodes.findings : exitCodes.ok;
}

const columns: readonly Column<StoredPinned>[] = [
  {
    title: 'STATE',
    text: stateOf,
    style: (skill, colors) => (stateOf(skill) === 'pinned' ? colors.green : colors.yellow),
  },
  { title: 'PINNED', text: ({ pinnedAt }) => pinnedAt.slice(0, 16) },
  { title: 'UNTIL', text: ({ expiresAt }) => expiresAt?.slice(0, 16) ?? '-' },
  { title: 'ORIGIN', text: ({ label }) => label },
  { title: 'SKILL', rest: true, text: ({ entry }) => entry.uri },
];

function stateOf(skill: PinnedSkill): 'pinned' | 'drift' | 'ended' {
  if (!isActive(skill, Date.now())) return 'ended';
  return skill.drift === undefined ? 'pinned' : 'drift';
}

function untilText({ expiresAt }: PinnedSkill): string {
  return expiresAt === undefined ? 'until it is unpinned' : `until ${expiresAt}`;
}

function parseSpan(text: string): number {
  const ms = spanMs(text);
  if (ms !== undefined) return ms;
  throw usageError(`"${text}" is not a duration. Use days, hours or minutes: 30d, 12h or 45m.`, { text });
}

function pinnedJson(skill: StoredPinned): object {
  const { label, origin, entry, pinnedAt, expiresAt, drift } = skill;
  const { uri, frontmatter, resources } = entry;
  const times = { pinnedAt, expiresAt, drift };
  return { label, origin, uri, name: frontmatter.name, state: stateOf(skill), ...times, resources };
}

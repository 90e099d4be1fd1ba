/** `skillwire add`: installs skills of any origin into the folders of agents and pins them in `skillwire.lock`. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type ExitCode, exitCodes, SkillwireError } from '../../errors.ts';
import type { DiscoveredSkill, SkillAddress } from '../../host/discover/discovered-skill.ts';
import type { NamedOrigin } from '../../origins/named-origin.ts';
import { resolveReadingOrigins, withOptions } from '../../origins/resolve-reading.ts';
import { displayText, quoteText } from '../../skill/display-text.ts';
import type { Store } from '../../store/store.ts';
import type { LockedOrigin } from '../../sync/install-lock.ts';
import { agentPlaceOf, type InstallPlace, lockPath } from '../../sync/install-place.ts';
import { installSkills } from '../../sync/install-skills.ts';
import { isForeignLockName } from '../../sync/skills-lock.ts';
import { type Cli, type GlobalOptions, noteTo, usageError, withInput } from '../cli.ts';
import { originFindings } from '../find-skill.ts';
import { foundAgents } from '../found-agents.ts';
import { rareOption } from '../help/option-groups.ts';
import { askEdits } from '../installed/ask-edits.ts';
import { chooseSkills, listedSkills, namedSkills } from '../installed/chosen-skills.ts';
import { addDecisionOptions, type DecideOptions, decideAtTerminal } from '../installed/decide-install.ts';
import { foreignOrigins, foreignReading } from '../installed/foreign-lock.ts';
import { type CommandSession, shownLabel, type WantedOrigins, withHost } from '../open-host.ts';
import { addConnectionOptions, type ConnectionOptions, originHelp, skillHelp } from '../options/connection-options.ts';
import {
  addEditsOption,
  addPlaceOptions,
  collectAgents,
  type EditOptions,
  type PlaceOptions,
  placeFor,
} from '../options/install-options.ts';
import { installedFilesOption, publishingFrom } from '../options/publish-options.ts';
import { absolutePath, lockedOrigin, revisionOf, writtenLocation } from '../origins/lock-origins.ts';
import { startProgress } from '../progress.ts';
import { writeOutcome } from '../render/install-text.ts';
import { counted } from '../render/values.ts';
import { withPins } from '../store-pin.ts';
import { optimizeLate } from '../v8-flags.ts';

export interface AddOptions extends GlobalOptions, ConnectionOptions, DecideOptions, EditOptions, PlaceOptions {
  readonly agent?: readonly string[];
  readonly copy?: boolean;
  readonly link?: boolean;
  readonly replace?: boolean;
  readonly pin?: boolean;
  readonly all?: boolean;
  readonly publish?: readonly string[];
}

const help = `
${originHelp}
${skillHelp}
Without SKILL, a terminal shows a list to choose from; elsewhere, and with --all, all skills are installed. Without
--agent, they are installed for the agents found on this machine. Each skill has one real copy in .agents/skills; agents
that do not read that folder get a link.

All files are verified, and the plan is shown before anything is installed. Files become executable only if their origin
marks them so and you agree, at the prompt or with --scripts.

-y accepts the plan if you typed its origin here. It never makes files executable, overwrites edits, or accepts hidden
text or an origin of a file. "install": "approved-only" in your skillwire.json overrides it. Without a terminal and
without -y, the exit code is 5, and the command to approve the plan is printed.

A skills-lock.json of the "skills" program as ORIGIN imports the skills it names.

--pin installs skills whose origin promises no digests. They are shown, and pinned if you approve.

Exit codes:
  0 installed or nothing to do, 1 edited files (see --edits), 2 failed, 3 not authorized, 4 unreachable,
  5 not approved, refused or name taken (see --replace), 6 a pinned skill lacks unreadable files,
  7 verification failed, 130 interrupted

Examples:
  skillwire add owner/repo
  skillwire add owner/repo@pdf-tools -y
  skillwire add ./skills --all
  skillwire add https://docs.example.com pdf-tools --agent claude-code --agent codex
  skillwire add git:https://github.com/acme/skills.git#v2 --global
  skillwire add mcp:https://example.com/mcp refunds --dry-run
  skillwire add ./skills-lock.json
  skillwire add ./skills --json                             # exit 5; "command" and "planDigest" are in the error
  skillwire add ./skills --approve sha256:…`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  const withPlace = addPlaceOptions(
    command
      .usage('[LABEL=]ORIGIN [SKILL...] [options]')
      .argument('<origin>', 'Origin of the skills')
      .argument('[skills...]', 'Skills to install')
      .option('-a, --agent <id>', 'Install for this agent (repeatable)', collectAgents),
  )
    .addOption(rareOption('common', '--link', 'Link the folders of agents to one copy (default)'))
    .option('--copy', 'Give each agent its own copy');
  addDecisionOptions(addEditsOption(withPlace))
    .option('--all', 'Install all skills of the origin, without a list to choose from')
    .addOption(rareOption('common', '--replace', 'Replace another skill of the same name, which is moved aside'))
    .option('--pin', 'Install a snapshot of skills whose origin promises no digests')
    .addOption(installedFilesOption());
  addConnectionOptions(command)
    .addHelpText('after', help)
    .action(async (origin: string, skills: readonly string[], _: unknown, self: Command) => {
      optimizeLate();
      const options = self.optsWithGlobals<AddOptions>();
      const here = withInput(cli, options);
      if (options.all === true && skills.length > 0) throw usageError('--all excludes SKILL. Use one.');
      const place = await placeFor(options, here);
      const file = isForeignLockName(origin) ? resolve(cli.cwd, origin) : undefined;
      const foreign = file === undefined ? undefined : foreignOrigins(file, skills, here);
      // The skill of "owner/repo@skill" is known once the origin is read.
      const fromOrigin: string[] = [];
      const wanted = foreign?.wanted.map(({ references }) => references) ?? [skills];
      const sources: WantedOrigins = async (reading, store) =>
        foreign === undefined
          ? publishingFrom(await resolveReadingOrigins([origin], options, reading), options.publish, cli.cwd)
          : withOptions(await foreignReading(foreign, store, options.trustConfig), options);
      if (foreign !== undefined && options.publish !== undefined)
        throw usageError('--publish has no effect for a skills-lock.json. Name the origin of the skill.');
      const run = (session: CommandSession): Promise<ExitCode> => {
        const named = fromOrigin.length === 0 ? wanted : [[...fromOrigin, ...skills]];
        const wish = { named, typed: foreign === undefined };
        return add(session, wish, place, options, here).catch((error: unknown) =>
          refInstead(error, fromOrigin[0], session.origins[0]),
        );
      };
      const chosen = (skill: string): unknown => fromOrigin.push(skill);
      finish(await withHost(sources, options, here, run, { ownDigests: true, pins: options.pin, chosen }));
    });
}

interface Wish {
  /** The skills of each origin. Empty: all, or those that the person chooses. */
  readonly named: readonly (readonly string[])[];
  /** The origins are words of the command line, not of a file. */
  readonly typed: boolean;
}

async function add(
  session: CommandSession,
  { named, typed }: Wish,
  place: InstallPlace,
  options: AddOptions,
  cli: Cli,
): Promise<ExitCode> {
  const { host, store, origins, signal } = session;
  for (const origin of origins) warnOutside(origin, place, options, cli);
  const agents = options.agent ?? agentsHere(place);
  let progress = startProgress(cli, `Contacting ${origins.map(({ label }) => shownLabel(label, cli.cwd)).join(', ')}`);
  const lockedAt = new Map<string, Promise<LockedOrigin>>();
  const originOf = (label: string): Promise<LockedOrigin> => {
    const origin = origins.find((one) => one.label === label);
    if (origin === undefined) throw new TypeError(`no origin ${label}`);
    const known =
      lockedAt.get(label) ?? revisionOf(host, origin, signal).then((at) => lockedOrigin(origin, place.root, at));
    lockedAt.set(label, known);
    return known;
  };
  try {
    const skills: (SkillAddress | DiscoveredSkill)[] = [];
    for (const [index, references] of named.entries()) {
      const origin = origins[index];
      if (origin === undefined) throw new TypeError('an origin was not opened');
      if (references.length > 0) skills.push(...(await namedSkills(session, origin, references)));
      else {
        const listed = await listedSkills(session, origin.label);
        progress.stop();
        if (listed.copies > 0 && options.json !== true)
          cli.stderr.write(
            `${counted(listed.copies, 'copy', 'copies')} with the same files at another path left out.\n`,
          );
        skills.push(...(await chooseSkills(listed.skills, options, cli, signal)));
      }
    }
    const hidden = await hiddenNotes(session, skills);
    progress.stop();
    for (const note of hidden) cli.stderr.write(note);
    const uris = new Set(skills.map(({ uri }) => uri));
    const edits = await askEdits((_, { uri }) => uris.has(uri), place, options, cli, signal);
    progress = startProgress(cli, 'Reading');
    const who = agents.length === 0 ? 'Install' : `Install for ${agents.join(', ')}`;
    const labels = typed ? origins.map(({ label }) => label) : [];
    const plan = { origins, typed: new Set(labels), setting: await session.installs() };
    const decide = decideAtTerminal(options, { cli, signal, who, plan });
    const install = (): ReturnType<typeof installSkills> =>
      installSkills(host, {
        place,
        skills,
        store,
        agents,
        signal,
        originOf,
        edits: edits ?? 'refuse',
        replace: options.replace === true,
        dryRun: options.dryRun === true,
        ...modeOf(options),
        scripts: options.scripts,
        allowSignerChange: options.allowSignerChange === true,
        decide: async (offers) => {
          progress.stop();
          return decide(offers);
        },
        onProgress: (work) => progress.count(work, 'skill'),
      });
    const { result: rows, whole } = await withPins(session, skills, options, cli, install);
    progress.stop();
    if (options.dryRun !== true) await acceptAdded(origins, place, store);
    writeOutcome({ command: 'add', place, dryRun: options.dryRun === true, rows }, options, cli);
    if (!whole) return exitCodes.partial;
    return rows.some(({ action }) => action === 'kept') ? exitCodes.findings : exitCodes.ok;
  } finally {
    progress.stop();
  }
}

/** A lock file is committed, and an absolute path seldom exists on the machines of others. */
function warnOutside(origin: NamedOrigin, place: InstallPlace, options: AddOptions, cli: Cli): void {
  if (place.scope === 'global') return;
  const outside = absolutePath(lockedOrigin(origin, place.root).origin);
  if (outside === undefined) return;
  const why = 'is outside the project, so skillwire.lock records its absolute path';
  noteTo(cli, options)(`warning: ${quoteText(outside)} ${why}. Others need the same path, or a shared origin.`);
}

/** Other programs write `owner/repo@ref`. If there is no such skill but such a ref, the error says how to write it. */
async function refInstead(error: unknown, skill: string | undefined, origin: NamedOrigin | undefined): Promise<never> {
  const isUnknown = error instanceof SkillwireError && error.code === 'SKILL_NOT_FOUND';
  if (!isUnknown || skill === undefined || origin?.location.kind !== 'git') throw error;
  const { refsOf } = await import('../../origins/open-git.ts');
  const ref = (await refsOf(origin.location.repository)).find(({ name }) => name === skill);
  if (ref === undefined) throw error;
  const message = `No skill named ${quoteText(skill)}. It is a ${ref.kind}: write "#${skill}" instead of "@${skill}".`;
  throw new SkillwireError('SKILL_NOT_FOUND', message, { data: { skill, ref: ref.name }, cause: error });
}

/** Hidden files are not installed, which a reader of the text may not expect. */
async function hiddenNotes(
  { host, signal }: CommandSession,
  skills: readonly (SkillAddress | DiscoveredSkill)[],
): Promise<readonly string[]> {
  const chosen = new Set(skills.map(({ uri }) => uri));
  const notes: string[] = [];
  for (const label of new Set(skills.map((skill) => skill.label)))
    for (const { rule, skill = '', message } of await originFindings(host, label, undefined, signal))
      if (rule === 'file-hidden' && chosen.has(skill))
        notes.push(`note: ${displayText(skill)}: ${displayText(message)}\n`);
  return notes;
}

/**
 * Adding an origin accepts it, so the next install does not ask about it. A repository that does not act is accepted, too: `update` then
 * reads it with the credentials that `add` used.
 */
async function acceptAdded(origins: readonly NamedOrigin[], place: InstallPlace, store: Store): Promise<void> {
  const file = lockPath(place);
  if (place.scope === 'global' || !existsSync(file)) return;
  const { locationValue } = await import('../../origins/judge-file.ts');
  const { acceptValues } = await import('../../origins/file-trust.ts');
  const values = origins.map((origin) => locationValue('skills', writtenLocation(origin), { file, home: place.home }));
  const isRead = origins.some(({ location }) => location.kind === 'git');
  if (isRead || values.some(({ acts }) => acts.length > 0)) await acceptValues(file, values, store);
}

/** Agents found on this machine that have a skills folder in this scope. */
function agentsHere(place: InstallPlace): readonly string[] {
  return foundAgents(agentPlaceOf(place), place.platform, place.agents)
    .filter((agent) => (place.scope === 'project' ? agent.projectFolder : agent.globalFolder) !== undefined)
    .map(({ id }) => id);
}

function modeOf({ copy, link }: Pick<AddOptions, 'copy' | 'link'>): { readonly mode?: 'copy' | 'link' } {
  if (copy === true && link === true) throw usageError('--copy and --link exclude each other. Use one.');
  return copy === true ? { mode: 'copy' } : link === true ? { mode: 'link' } : {};
}

/** `skillwire add`: installs skills of any origin into the folders of agents and pins them in `skillwire.lock`. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { agentTraces, knownAgents } from '../../agents/agent-table.ts';
import { type ExitCode, exitCodes, SkillwireError } from '../../errors.ts';
import type { DiscoveredSkill, SkillAddress } from '../../host/discover/discovered-skill.ts';
import { hasUniqueNames, type NamedOrigin } from '../../origins/named-origin.ts';
import { withOptions } from '../../origins/resolve-reading.ts';
import { displayText, quoteText } from '../../skill/display-text.ts';
import { skillFileName } from '../../skill/entry.ts';
import type { Store } from '../../store/store.ts';
import type { LockedOrigin } from '../../sync/install-lock.ts';
import { agentPlaceOf, type InstallPlace, lockPath } from '../../sync/install-place.ts';
import { installSkills } from '../../sync/install-skills.ts';
import { isForeignLockName } from '../../sync/skills-lock.ts';
import { type Cli, type GlobalOptions, usageError } from '../cli.ts';
import { findSkill, originFailure, originFindings } from '../find-skill.ts';
import { askEdits } from '../installed/ask-edits.ts';
import { addDecisionOptions, type DecideOptions, decideAtTerminal } from '../installed/decide-install.ts';
import { foreignOrigins, foreignReading } from '../installed/foreign-lock.ts';
import { type Session, shownLabel, type WantedOrigins, withHost } from '../open-host.ts';
import { addConnectionOptions, type ConnectionOptions, originHelp, skillHelp } from '../options/connection-options.ts';
import {
  addEditsOption,
  addPlaceOptions,
  collectAgents,
  type EditOptions,
  type PlaceOptions,
  placeFor,
} from '../options/install-options.ts';
import { lockedOrigin, revisionOf } from '../origins/lock-origins.ts';
import { startProgress } from '../progress.ts';
import { writeOutcome } from '../render/install-text.ts';
import { withPins } from '../store-pin.ts';
import { optimizeLate } from '../v8-flags.ts';

export interface AddOptions extends GlobalOptions, ConnectionOptions, DecideOptions, EditOptions, PlaceOptions {
  readonly agent?: readonly string[];
  readonly copy?: boolean;
  readonly link?: boolean;
  readonly replace?: boolean;
  readonly pin?: boolean;
}

const help = `
${originHelp}
${skillHelp}
Without SKILL, all skills of the origin are installed. Without --agent, they are installed for the agents found on this
machine. Each skill has one real copy in .agents/skills; agents that do not read that folder get a link.

All files are verified and shown first, and only approved skills are installed. Files become executable only if their
origin marks them so and you agree, at the prompt or with --scripts.

A skills-lock.json of the "skills" program as ORIGIN imports the skills it names.

--pin installs skills whose origin promises no digests. They are shown, and pinned if you approve.

Exit codes:
  0 installed or nothing to do, 1 edited files (see --edits), 2 failed, 3 not authorized, 4 unreachable,
  5 not approved, refused or name taken (see --replace), 6 a pinned skill lacks unreadable files,
  7 verification failed, 130 interrupted

Examples:
  skillwire add ./skills
  skillwire add https://docs.example.com pdf-tools --agent claude-code --agent codex
  skillwire add git:https://github.com/acme/skills.git#v2 --global
  skillwire add mcp:https://example.com/mcp refunds --dry-run
  skillwire add ./skills-lock.json
  skillwire add ./skills --json                             # exit 5; "planDigest" is in the error
  skillwire add ./skills --approve sha256:…`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  const withPlace = addPlaceOptions(
    command
      .usage('[LABEL=]ORIGIN [SKILL...] [options]')
      .argument('<origin>', 'Origin of the skills')
      .argument('[skills...]', 'Skills to install')
      .option('-a, --agent <id>', 'Install for this agent (repeatable)', collectAgents),
  )
    .option('--link', 'Link the folders of agents to one copy (default)')
    .option('--copy', 'Give each agent its own copy');
  addDecisionOptions(addEditsOption(withPlace))
    .option('--replace', 'Replace another skill of the same name, which is moved aside')
    .option('--pin', 'Install a snapshot of skills whose origin promises no digests');
  addConnectionOptions(command)
    .addHelpText('after', help)
    .action(async (origin: string, skills: readonly string[], _: unknown, self: Command) => {
      optimizeLate();
      const options = self.optsWithGlobals<AddOptions>();
      const place = await placeFor(options, cli);
      const file = isForeignLockName(origin) ? resolve(cli.cwd, origin) : undefined;
      const foreign = file === undefined ? undefined : foreignOrigins(file, skills, cli);
      // The skill of "owner/repo@skill" is known once the origin is read.
      const fromOrigin: string[] = [];
      const wanted = foreign?.wanted.map(({ references }) => references) ?? [skills];
      const sources: WantedOrigins =
        foreign === undefined
          ? [origin]
          : async (_place, store) => withOptions(await foreignReading(foreign, store, options.trustConfig), options);
      const run = (session: Session): Promise<ExitCode> => {
        const named = fromOrigin.length === 0 ? wanted : [[...fromOrigin, ...skills]];
        return add(session, named, place, options, cli).catch((error: unknown) =>
          refInstead(error, fromOrigin[0], session.origins[0]),
        );
      };
      const chosen = (skill: string): unknown => fromOrigin.push(skill);
      finish(await withHost(sources, options, cli, run, { ownDigests: true, pins: options.pin, chosen }));
    });
}

async function add(
  session: Session,
  wanted: readonly (readonly string[])[],
  place: InstallPlace,
  options: AddOptions,
  cli: Cli,
): Promise<ExitCode> {
  const { host, store, origins, signal } = session;
  const agents = options.agent ?? foundAgents(place);
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
    for (const [index, references] of wanted.entries()) {
      const origin = origins[index];
      if (origin === undefined) throw new TypeError('an origin was not opened');
      skills.push(...(await chosenSkills(session, origin.label, references, hasUniqueNames(origin))));
    }
    const hidden = await hiddenNotes(session, skills);
    progress.stop();
    for (const note of hidden) cli.stderr.write(note);
    const uris = new Set(skills.map(({ uri }) => uri));
    const edits = await askEdits((_, { uri }) => uris.has(uri), place, options, cli, signal);
    progress = startProgress(cli, 'Reading skills');
    const who = agents.length === 0 ? 'Install' : `Install for ${agents.join(', ')}`;
    const decide = decideAtTerminal(options, cli, signal, who);
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
        decide: async (offers) => {
          progress.stop();
          return decide(offers);
        },
        onProgress: progress.say,
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
  { host, signal }: Session,
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
  const values = origins.map((origin) => locationValue('skills', origin.location, { file, home: place.home }));
  const isRead = origins.some(({ location }) => location.kind === 'git');
  if (isRead || values.some(({ acts }) => acts.length > 0)) await acceptValues(file, values, store);
}

async function chosenSkills(
  { host, signal }: Session,
  label: string,
  references: readonly string[],
  byName: boolean,
): Promise<readonly (SkillAddress | DiscoveredSkill)[]> {
  if (references.length > 0) {
    const chosen: SkillAddress[] = [];
    for (const reference of references) {
      const { captured } = await findSkill(host, label, reference, signal, byName);
      if (!chosen.some(({ uri }) => uri === captured.entry.uri)) chosen.push({ label, uri: captured.entry.uri });
    }
    return chosen;
  }
  const discovery = await host.discover({ signal });
  signal.throwIfAborted();
  const report = discovery.origins.find((one) => one.label === label);
  const failure = report === undefined ? undefined : originFailure(report);
  if (failure !== undefined) throw failure;
  const listed = discovery.skills.filter((skill) => skill.label === label);
  if (listed.length === 0)
    throw new SkillwireError(
      'SKILL_NOT_FOUND',
      `"${label}" has no skills to install. Run "skillwire list" for the reason.`,
    );
  const chosen = new Set(outermost(listed.map(({ uri }) => uri)));
  return listed.filter(({ uri }) => chosen.has(uri));
}

/** A nested skill is installed with the outer one. */
function outermost(uris: readonly string[]): readonly string[] {
  const folders = new Set(uris.map((uri) => uri.slice(0, -skillFileName.length)));
  return uris.filter((uri) => {
    const own = uri.slice(0, -skillFileName.length);
    for (let end = own.lastIndexOf('/', own.length - 2); end > 0; end = own.lastIndexOf('/', end - 1))
      if (folders.has(own.slice(0, end + 1))) return false;
    return true;
  });
}

/** Agents found on this machine that have a skills folder in this scope. */
function foundAgents(place: InstallPlace): readonly string[] {
  return knownAgents(place.agents)
    .filter((agent) => (place.scope === 'project' ? agent.projectFolder : agent.globalFolder) !== undefined)
    .filter((agent) => agentTraces(agent, agentPlaceOf(place)).some((path) => existsSync(path)))
    .map(({ id }) => id);
}

function modeOf({ copy, link }: Pick<AddOptions, 'copy' | 'link'>): { readonly mode?: 'copy' | 'link' } {
  if (copy === true && link === true) throw usageError('--copy and --link exclude each other. Use one.');
  return copy === true ? { mode: 'copy' } : link === true ? { mode: 'link' } : {};
}

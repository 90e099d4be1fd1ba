/** `ORIGIN SKILL` and `ORIGIN@SKILL` are the same: the words after the origin, with the skill of its own word first. */
import type { ExitCode } from '../errors.ts';
import { type Cli, type GlobalOptions, usageError } from './cli.ts';
import { type CommandSession, type OpenHow, type WantedOrigins, withHost } from './open-host.ts';
import type { ConnectionOptions } from './options/connection-options.ts';

export interface SkillWords {
  readonly origin: string;
  /** The words of the command line after the origin. */
  readonly words: readonly (string | undefined)[];
  /** The most words, with the skill. Default: one. */
  readonly most?: number;
  readonly command: string;
}

/** The skill comes first. It is known once the origin is resolved. @throws SkillwireError USAGE */
export type ChosenWords = () => readonly [skill: string, ...more: string[]];

/** Opens the origin of a command about a skill. @param wanted default: the origin */
export function withSkill(
  { origin, words, most = 1, command }: SkillWords,
  options: ConnectionOptions & Pick<GlobalOptions, 'json'>,
  cli: Cli,
  run: (session: CommandSession, chosenWords: ChosenWords) => Promise<ExitCode>,
  { wanted = [origin], ...how }: OpenHow & { readonly wanted?: WantedOrigins } = {},
): Promise<ExitCode> {
  const typed = words.filter((word) => word !== undefined);
  const chosen: string[] = [];
  const chosenWords: ChosenWords = () => {
    const [skill, ...more] = [...chosen, ...typed];
    if (skill === undefined) throw wrongCount("Missing required argument 'skill'", command);
    if (more.length >= most) throw wrongCount('Too many arguments', command);
    return [skill, ...more];
  };
  // Nothing is opened for a word that cannot name a skill.
  if (!origin.includes('@')) chosenWords();
  return withHost(wanted, options, cli, (session) => run(session, chosenWords), {
    ...how,
    chosen: (skill) => chosen.push(skill),
  });
}

function wrongCount(fault: string, command: string): ReturnType<typeof usageError> {
  return usageError(`${fault}. Run "skillwire ${command} --help".`);
}

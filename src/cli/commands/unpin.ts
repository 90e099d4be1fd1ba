/** `skillwire unpin`: deletes a snapshot, so the live skill is served again. Contacts no origin. */
import type { Command } from 'commander';
import { type ExitCode, exitCodes } from '../../errors.ts';
import { displayText } from '../../skill/display-text.ts';
import { removePin } from '../../transforms/store-pin.ts';
import { readPinned } from '../../transforms/stored-pins.ts';
import { type ChosenWords, withSkill } from '../chosen-skill.ts';
import { type Cli, type GlobalOptions, runs } from '../cli.ts';
import { matchStored, storedLabel } from '../decisions/stored-skill.ts';
import type { CommandSession } from '../open-host.ts';
import { addConfigOptions, addStateOption, type StateOptions } from '../options/connection-options.ts';
import { writeJson } from '../render/json-text.ts';

interface UnpinOptions extends GlobalOptions, StateOptions {
  readonly config?: string;
}

const help = `
Use ORIGIN and SKILL as "skillwire pin --list" prints them.

Exit codes:
  0 unpinned, 2 failed, not pinned, or part of another pinned skill, 130 interrupted

Examples:
  skillwire unpin mdp:ws://127.0.0.1:4711 skill://mdp/shop/cart/SKILL.md`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  addStateOption(addConfigOptions(command))
    .usage('ORIGIN SKILL [options]')
    .argument('<origin>', 'Origin of the pinned skill')
    .argument('[skill]', 'Pinned skill')
    .addHelpText('after', help)
    .action(runs(cli, finish, unpin));
}

function unpin(origin: string, skill: string | undefined, options: UnpinOptions, cli: Cli): Promise<ExitCode> {
  const words = { origin, words: [skill], command: 'unpin' };
  const run = async ({ store, place }: CommandSession, chosenWords: ChosenWords): Promise<ExitCode> => {
    const all = await readPinned(store);
    const label = await storedLabel(origin, all, place);
    const [reference] = chosenWords();
    const own = all.filter((skill) => skill.label === label);
    const rows = own.map(({ entry }) => ({ label, uri: entry.uri, name: entry.frontmatter.name }));
    const { uri } = matchStored(reference, rows, `"${label}" has no such pinned skill. Run "skillwire pin --list".`);
    await removePin(store, own, { label, uri });
    if (options.json === true) writeJson(cli, { version: 1, unpinned: { origin: label, uri } });
    else cli.stderr.write(`unpinned: ${displayText(uri)} of ${displayText(label)}\n`);
    return exitCodes.ok;
  };
  return withSkill(words, options, cli, run, { wanted: 'none' });
}

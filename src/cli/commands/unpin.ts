/** `skillwire unpin`: ends a snapshot, so that the live skill is served again. The origin is not asked. */
import type { Command } from 'commander';
import { type ExitCode, exitCodes } from '../../errors.ts';
import { displayText, quoteText } from '../../skill/display-text.ts';
import { folderOf, isActive } from '../../transforms/pinned-skill.ts';
import { deletePinned, readPinned } from '../../transforms/stored-pins.ts';
import { type Cli, type GlobalOptions, usageError } from '../cli.ts';
import { matchStored, storedLabel } from '../decisions/stored-skill.ts';
import { withHost } from '../open-host.ts';
import { addStateOption, configOption, type StateOptions, trustOption } from '../options/connection-options.ts';
import { writeJson } from '../render/json-text.ts';

interface UnpinOptions extends GlobalOptions, StateOptions {
  readonly config?: string;
}

const help = `
ORIGIN and SKILL are those of "skillwire pin --list".

Exit codes:
  0 unpinned, 2 could not run, not pinned, or a pinned skill around it names its bytes, 130 interrupted

Examples:
  skillwire unpin mdp:ws://127.0.0.1:4711 skill://mdp/shop/cart/SKILL.md`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  addStateOption(
    command
      .usage('ORIGIN SKILL [options]')
      .argument('<origin>', 'where it was pinned from')
      .argument('<skill>', 'which one')
      .addOption(configOption())
      .addOption(trustOption()),
  )
    .addHelpText('after', help)
    .action(async (origin: string, skill: string, _: unknown, self: Command) => {
      finish(await unpin(origin, skill, self.optsWithGlobals<UnpinOptions>(), cli));
    });
}

function unpin(origin: string, reference: string, options: UnpinOptions, cli: Cli): Promise<ExitCode> {
  return withHost('none', options, cli, async ({ store, place }) => {
    const all = await readPinned(store);
    const label = await storedLabel(origin, all, place);
    const own = all.filter((skill) => skill.label === label);
    const rows = own.map(({ entry }) => ({ label, uri: entry.uri, name: entry.frontmatter.name }));
    const { uri } = matchStored(reference, rows, `nothing of it is pinned at "${label}"; see "skillwire pin --list"`);
    const around = own.find(
      (skill) => skill.entry.uri !== uri && uri.startsWith(folderOf(skill.entry.uri)) && isActive(skill, Date.now()),
    );
    if (around !== undefined)
      throw usageError(`cannot unpin ${quoteText(uri)}: the pinned ${quoteText(around.entry.uri)} around it names its bytes; ` +
          'unpin that first', { uri, around: around.entry.uri });
    await deletePinned(store, label, uri);
    if (options.json === true) writeJson(cli, { version: 1, unpinned: { origin: label, uri } });
    else cli.stderr.write(`unpinned: ${displayText(uri)} of ${displayText(label)}\n`);
    return exitCodes.ok;
  });
}

/** `skillwire runtimes`: lists the programs connected to a hub, with start, number of paths and last call. */
import type { Command } from 'commander';
import type { ListedRuntime } from '../../dialects/mdp/decode-listing.ts';
import { type ExitCode, exitCodes } from '../../errors.ts';
import { type Cli, type GlobalOptions, runs } from '../cli.ts';
import { withHost } from '../open-host.ts';
import { addConnectionOptions, type ConnectionOptions } from '../options/connection-options.ts';
import { defaultListenAddress } from '../options/listen-address.ts';
import { originContext } from '../origins/origin-context.ts';
import { startProgress } from '../progress.ts';
import { hiddenLiveText } from '../render/decision-commands.ts';
import { writeJson } from '../render/json-text.ts';
import { type Column, writeTable } from '../render/table.ts';
import { counted, secondText } from '../render/values.ts';

type RuntimesOptions = GlobalOptions & ConnectionOptions;

const usualHub = `mdp:ws://${defaultListenAddress.host}:${defaultListenAddress.port}`;

const help = `
HUB is mdp:ws://HOST:PORT (default: ${usualHub}), mdp:stdio:COMMAND for a server that lists its runtimes only over
stdio, or a label of one of these.

Exit codes:
  0 listed, 2 failed or not a hub, 3 not authorized, 4 unreachable, 130 interrupted

Examples:
  skillwire runtimes
  skillwire runtimes mdp:wss://hub.example.com --token-env HUB_TOKEN`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  addConnectionOptions(command.usage('[HUB] [options]').argument('[hub]', 'Hub of the runtimes', usualHub))
    .addHelpText('after', help)
    .action(runs(cli, finish, runtimes));
}

function runtimes(hub: string, options: RuntimesOptions, cli: Cli): Promise<ExitCode> {
  return withHost('none', options, cli, async ({ resolve, signal }) => {
    const [origin] = await resolve([hub]);
    if (origin === undefined) throw new TypeError(`no origin "${hub}"`);
    const { openDirectory } = await import('../../origins/open-origin.ts');
    const directory = await openDirectory(origin, originContext(options, cli));
    const progress = startProgress(cli, `Contacting ${origin.label}`);
    try {
      const found = await directory.clients({ signal });
      progress.stop();
      if (options.json === true) {
        writeJson(cli, { version: 1, runtimes: found });
        return exitCodes.ok;
      }
      const hidden = found.reduce((sum, runtime) => sum + (runtime.hidden ?? 0), 0);
      writeTable(
        found,
        hidden === 0 ? columns : [...columns.slice(0, 2), hiddenColumn, ...columns.slice(2)],
        options,
        cli,
      );
      cli.stderr.write(`${counted(found.length, 'runtime')} at ${origin.label}\n`);
      if (hidden > 0) cli.stderr.write(hiddenLiveText(hidden));
      return exitCodes.ok;
    } finally {
      progress.stop();
      await directory.close?.();
    }
  });
}

const columns: readonly Column<ListedRuntime>[] = [
  { title: 'ID', text: ({ id }) => id, style: (_, colors) => colors.bold },
  { title: 'PATHS', right: true, text: ({ paths }) => String(paths) },
  { title: 'OVER', text: ({ transport = '-' }) => transport },
  { title: 'SINCE', text: ({ connectedAt }) => secondText(connectedAt) },
  { title: 'LAST CALL', text: ({ lastCallAt }) => secondText(lastCallAt) },
  { title: 'NAME', rest: true, text: ({ name }) => name },
];

const hiddenColumn: Column<ListedRuntime> = {
  title: 'NOT SERVED',
  right: true,
  text: ({ hidden = 0 }) => String(hidden),
};

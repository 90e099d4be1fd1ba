/** `skillwire state move`: from the folder to the database of the configuration, or back. */
import { type ExitCode, exitCodes } from '../../errors.ts';
import { openBothStates, userName } from '../../node/open-state.ts';
import { displayText } from '../../skill/display-text.ts';
import { moveState } from '../../store/move-state.ts';
import { type Cli, type GlobalOptions, usageError } from '../cli.ts';
import { interruptible } from '../interrupts.ts';
import type { StateOptions } from '../options/connection-options.ts';
import { writeJson } from '../render/json-text.ts';
import { counted } from '../render/values.ts';

const kinds = ['embedded', 'postgres'] as const;
type StoreKind = (typeof kinds)[number];

export interface MoveCommandOptions extends GlobalOptions, StateOptions {
  readonly from: StoreKind;
  readonly to: StoreKind;
}

export function parseStore(text: string): StoreKind {
  const kind = kinds.find((one) => one === text);
  if (kind !== undefined) return kind;
  throw usageError(`"${text}" is not a kind of store. Use ${kinds.join(' or ')}.`, { kind: text });
}

export function moveBetween({ from, to, ...options }: MoveCommandOptions, cli: Cli): Promise<ExitCode> {
  if (from === to) throw usageError(`--from and --to are both "${from}". Name two stores.`);
  return interruptible(async (signal) => {
    const warn = (message: string): unknown => cli.stderr.write(`warning: ${displayText(message)}\n`);
    const states = await openBothStates({ ...options, createCluster: to === 'postgres' }, cli, warn);
    try {
      const own = { at: new Date().toISOString(), user: userName(), signal };
      const { resumed, ...moved } = await moveState(states[from], states[to], own);
      const places = { from: states[from].place ?? '', to: states[to].place ?? '' };
      if (options.json === true) writeJson(cli, { version: 1, ...places, ...moved, resumed });
      else {
        const { state, audit, blobs } = moved;
        const counts = [counted(state, 'value'), counted(audit, 'record'), counted(blobs, 'blob')].join(', ');
        cli.stderr.write(
          `${resumed ? 'Completed the interrupted move. ' : ''}Moved and verified: ${counts}.\n` +
            `From ${displayText(places.from)}, which is unchanged, to ${displayText(places.to)}.\n`,
        );
      }
      return exitCodes.ok;
    } finally {
      await Promise.all([states.embedded.close(), states.postgres.close()]);
    }
  });
}

/**
 * Whether the terminal of this process was closed. A process without one, as under nohup or a service manager, has nothing to lose: Node
 * drops the "ignore" that nohup sets for SIGHUP, so the streams are the only sign of it.
 */
import { isatty } from 'node:tty';

const terminals = [0, 1, 2].filter((descriptor) => isatty(descriptor));

export function isTerminalClosed(): boolean {
  return terminals.length > 0 && !terminals.some((descriptor) => isatty(descriptor));
}

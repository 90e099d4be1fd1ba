import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { guardExecution, type Host } from 'skillwire/host';

const run = promisify(execFile);

/** The shell tool of an agent. While a remote skill is loaded it asks first, naming the skill, its origin and the command. */
export function shellTool(host: Host) {
  return guardExecution(host, async (command: string) => (await run('/bin/sh', ['-c', command])).stdout);
}

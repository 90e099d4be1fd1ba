/**
 * Skill servers that others wrote, run as they ship, for our client to read: the framework mcp-use and the server of Hugging
 * Face. Both speak a form from before SEP-2640 was final (no `size`, cache fields missing), which is what makes them useful.
 */
import { cp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';
import { directorySource } from '../../src/sources/directory/directory-source.ts';
import { installedFile } from './installed.ts';
import { node24 } from './node24.ts';
import { describeOutput, type GroupedProcess, spawnGroup } from './process-group.ts';
import { scratchFolder } from './scratch-folder.ts';

const START_DEADLINE_MS = 60_000;

export interface PeerServer {
  readonly mcp: string;
  stop(): Promise<void>;
}

/** Serves a copy of `skills` with mcp-use. */
export function startMcpUse(skills: string): Promise<PeerServer> {
  const script = fileURLToPath(new URL('./mcp-use-server.mjs', import.meta.url));
  return start(async (folder) => {
    await cp(skills, join(folder, 'skills'), { recursive: true });
    return { args: [script], env: {}, port: (group) => /^listening on (\d+)$/m.exec(group.stdout())?.[1] };
  });
}

/** Serves a copy of `skills` with hf-mcp-server, which needs a prepared manifest. */
export function startHuggingFace(skills: string): Promise<PeerServer> {
  const program = installedFile('@llmindset/hf-mcp-server/dist/server/streamableHttp.js');
  return start(async (folder) => {
    const distribution = join(folder, 'distribution');
    await cp(skills, distribution, { recursive: true });
    await writeFile(join(distribution, 'skills.json'), JSON.stringify({ skills: await manifest(skills) }));
    const free = String(await freePort());
    return {
      args: [program, '--port', free],
      env: { HF_SKILLS_DIR: distribution },
      port: (group) => (group.stdout().includes(`:${free}"`) ? free : undefined),
    };
  });
}

/** Entries without sizes, as hf-mcp-server reads them. */
async function manifest(skills: string): Promise<readonly object[]> {
  const source = directorySource(skills, { watch: false });
  const entries: object[] = [];
  try {
    for await (const page of source.list({})) {
      for (const { entry } of page.skills) {
        const { uri, frontmatter, resources } = entry;
        if (resources === 'dynamic') throw new Error(`"${uri}" comes from a folder and cannot be dynamic`);
        entries.push({
          uri,
          frontmatter,
          resources: resources.map(({ uri: file, digest }) => ({ uri: file, digest })),
        });
      }
    }
  } finally {
    await source.close?.();
  }
  return entries;
}

interface PeerCommand {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** The port it says it listens on, as soon as it says so. */
  port(group: GroupedProcess): string | undefined;
}

async function start(prepare: (folder: string) => Promise<PeerCommand>): Promise<PeerServer> {
  const scratch = await scratchFolder();
  let group: GroupedProcess | undefined;
  const stop = async (): Promise<void> => {
    group?.signal('SIGKILL');
    await group?.ended;
    await scratch.remove();
  };
  try {
    const command = await prepare(scratch.path);
    const started = spawnGroup(node24(), command.args, {
      env: { ...scratch.env, ...command.env },
      cwd: scratch.path,
    });
    group = started;
    const port = await vi.waitFor(
      () => {
        const found = command.port(started);
        if (found === undefined) throw new Error(describeOutput(node24(), command.args, started));
        return found;
      },
      { timeout: START_DEADLINE_MS, interval: 50 },
    );
    return { mcp: `http://127.0.0.1:${port}/mcp`, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}

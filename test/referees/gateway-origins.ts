/**
 * One gateway as it is shipped, over every kind of origin at once:
 * - the official SDK's own skill server
 * - two servers of other people that give no `size`
 * - a static site behind a plain web server
 * - a folder
 * - a live runtime at a hub
 * Each has different skills, so every report of a referee is about one origin.
 */
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRuntime } from '../../src/runtime-client/index.node.ts';
import { openHub } from '../mdp-hub.ts';
import { officialServer } from '../sdk-servers.ts';
import { startHuggingFace, startMcpUse } from './peer-servers.ts';
import { staticServer } from './plain-web-server.ts';
import { scratchFolder } from './scratch-folder.ts';
import { runSkillwire, startSkillwire } from './skillwire-process.ts';

const EXAMPLES = fileURLToPath(new URL('../../examples/skills', import.meta.url));

/** Folders of the example skills by the label of the origin that serves them. */
const SHARES = {
  docs: ['accessible-colors', 'platform'],
  face: ['commit-messages', 'code-review'],
  frame: ['spreadsheet-check', 'write-a-skill'],
  official: ['api-design', 'changelog-writer'],
  site: ['sql-migrations', 'translate-ui-text'],
} as const;

type Label = keyof typeof SHARES;

/** Skills whose every file has a digest and a size at the gateway. */
export const VERIFIABLE: readonly string[] = [
  'skill://docs/accessible-colors/SKILL.md',
  'skill://docs/platform/deploy/rollback-release/SKILL.md',
  'skill://docs/platform/incident-review/SKILL.md',
  'skill://official/api-design/SKILL.md',
  'skill://official/api-design/error-responses/SKILL.md',
  'skill://official/changelog-writer/SKILL.md',
  'skill://site/sql-migrations/SKILL.md',
  'skill://site/translate-ui-text/SKILL.md',
];

/** Skills of servers that promise digests and no sizes. */
export const SIZELESS: readonly string[] = [
  'skill://face/code-review/SKILL.md',
  'skill://face/commit-messages/SKILL.md',
  'skill://frame/spreadsheet-check/SKILL.md',
  'skill://frame/write-a-skill/SKILL.md',
];

export const LIVE = 'skill://editor/mdp/editor/open-file/SKILL.md';

export interface GatewayOfAll {
  readonly url: string;
  readonly mcp: string;
  /** The folder of its `skillwire.json` and its state, for commands beside it. */
  readonly configuration: string;
  readonly state: string;
  /** The file behind a URI of the gateway that comes from an example. */
  example(uri: string): string;
  stop(): Promise<void>;
}

/** @param more members of the configuration besides the origins */
export async function startGatewayOfAll(more: Readonly<Record<string, unknown>> = {}): Promise<GatewayOfAll> {
  const ends: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    const scratch = await scratchFolder();
    ends.push(() => scratch.remove());
    const folder = async (label: Label): Promise<string> => {
      const path = join(scratch.path, label);
      await mkdir(path);
      for (const name of SHARES[label]) await cp(join(EXAMPLES, name), join(path, name), { recursive: true });
      return path;
    };
    const official = await officialServer(await folder('official'));
    ends.push(() => official.close());
    const face = await startHuggingFace(await folder('face'));
    ends.push(() => face.stop());
    const frame = await startMcpUse(await folder('frame'));
    ends.push(() => frame.stop());
    const out = join(scratch.path, 'built');
    const built = await runSkillwire(['build', await folder('site'), '--out', out]);
    if (built.exitCode !== 0) throw new Error(`the site cannot be built: ${built.stderr}`);
    const site = await staticServer(out);
    ends.push(() => site.stop());
    const hub = await openHub();
    ends.push(() => hub.handle.close());
    const runtime = createRuntime({ url: hub.ws, id: 'editor' });
    runtime.expose('/open-file/skill.md', { description: 'About the file that is open.' }, () => '# The open file\n');
    await runtime.connect();
    ends.push(() => runtime.close());
    await hub.registered('editor');

    const configuration = join(scratch.path, 'skillwire.json');
    const origins = {
      docs: await folder('docs'),
      editor: { mdp: hub.ws },
      face: { mcp: face.mcp },
      frame: { mcp: frame.mcp },
      official: { mcp: official.url },
      site: site.url,
    };
    await writeFile(configuration, JSON.stringify({ origins, ...more }));
    const state = join(scratch.path, 'state');
    const gateway = await startSkillwire([
      'serve',
      ...['--config', configuration, '--state', state, '--http', '127.0.0.1:0', '--json'],
    ]);
    ends.push(() => gateway.stop());
    return {
      url: gateway.url,
      mcp: gateway.mcp,
      configuration,
      state,
      example: (uri) => join(EXAMPLES, ...uri.split('/').slice(3).map(decodeURIComponent)),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A token of a profile of the gateway, as its operator makes it. */
export async function addToken(gateway: GatewayOfAll, name: string, ...options: readonly string[]): Promise<string> {
  const { configuration, state } = gateway;
  const args = ['token', 'add', name, '--config', configuration, '--state', state, ...options];
  const run = await runSkillwire(args);
  if (run.exitCode !== 0) throw new Error(`no token: ${run.stderr}`);
  return run.stdout.trim();
}

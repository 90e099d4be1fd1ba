/**
 * The client of mcp-use before our server. `@mcp-use/client` is not on npm, so this runs if `SKILLWIRE_MCP_USE_CLIENT` names its folder,
 * built from its repository (`libraries/typescript/packages/client`, with `dist/index.js`).
 */
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { sha256Digest } from '../../src/skill/digest.ts';
import { clientRow } from '../client-row.ts';
import { node24 } from './node24.ts';
import { runToEnd } from './process-group.ts';
import { scratchFolder } from './scratch-folder.ts';
import { runSkillwire, serveOverHttp } from './skillwire-process.ts';

const DEADLINE_MS = 120_000;
const examples = fileURLToPath(new URL('../../examples/skills', import.meta.url));
const program = fileURLToPath(new URL('mcp-use-client.mjs', import.meta.url));
const folder = process.env['SKILLWIRE_MCP_USE_CLIENT'] ?? '';

interface Report {
  readonly entries: readonly {
    readonly name: string;
    readonly files: readonly { readonly uri: string; readonly digest: string; readonly base64: string }[];
  }[];
  readonly directory: readonly string[];
}

describe.skipIf(folder === '')('the client of mcp-use', { timeout: DEADLINE_MS }, () => {
  test('lists every skill, reads every file with its digest, and a directory', async () => {
    const server = await serveOverHttp(examples);
    const scratch = await scratchFolder();
    try {
      const env = { ...scratch.env, MCP_USE_ANONYMIZED_TELEMETRY: 'false' };
      const argv = [program, folder, server.mcp];
      const run = await runToEnd(node24(), argv, { env, cwd: scratch.path, deadlineMs: DEADLINE_MS });
      expect(run.exitCode, run.stderr).toBe(0);
      const { entries, directory } = JSON.parse(run.stdout) as Report;
      const listed = await runSkillwire(['list', examples, '--json']);
      const { skills } = JSON.parse(listed.stdout) as { skills: readonly { name: string }[] };
      expect(entries.map(({ name }) => name).sort()).toEqual(skills.map(({ name }) => name).sort());
      for (const { uri, digest, base64 } of entries.flatMap(({ files }) => files))
        expect([uri, await sha256Digest(Buffer.from(base64, 'base64'))]).toEqual([uri, digest]);
      expect(directory).toContain(entries[0]?.files.find(({ uri }) => uri.endsWith('/SKILL.md'))?.uri);
    } finally {
      await scratch.remove();
      await server.stop();
    }
  });

  clientRow({ client: '@mcp-use/client', folder, needs: 'nothing' }, import.meta);
});

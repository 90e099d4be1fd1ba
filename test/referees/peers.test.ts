/** Our client before skill servers that others wrote: all their faults are reported, and nothing else. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PeerServer, startHuggingFace, startMcpUse } from './peer-servers.ts';
import { runSkillwire } from './skillwire-process.ts';

const TIMEOUT_MS = 180_000;
const examples = fileURLToPath(new URL('../../examples/skills', import.meta.url));

interface VerifyResult {
  readonly counts: Readonly<Record<string, number>>;
  readonly requirements: readonly { readonly id: string }[];
  readonly eras: readonly { readonly era: string; readonly state: string }[];
}

const PEERS = [
  { name: 'hf-mcp-server', start: startHuggingFace, fails: ['S-30', 'S-46'] },
  { name: 'mcp-use', start: startMcpUse, fails: ['S-30', 'S-39', 'S-46', 'base:cursor'] },
] as const;

describe.each(PEERS)('$name', { timeout: TIMEOUT_MS }, ({ start, fails }) => {
  let server: PeerServer;
  let origin: string;

  beforeAll(async () => {
    server = await start(examples);
    origin = `peer=mcp:${server.mcp}`;
  }, TIMEOUT_MS);

  afterAll(async () => {
    await server?.stop();
  }, TIMEOUT_MS);

  test('has exactly the expected failures in verify, in both eras', async () => {
    const run = await runSkillwire(['verify', origin, '--json']);
    expect(run.exitCode, run.stderr).toBe(7);
    const { counts, requirements, eras } = JSON.parse(run.stdout) as VerifyResult;
    expect(requirements.map(({ id }) => id).sort()).toEqual([...fails]);
    expect(counts).toMatchObject({ skills: 12, refused: 0 });
    expect(eras.map(({ era, state }) => `${era} ${state}`)).toEqual(['modern checked', 'legacy checked']);
  });

  test('is listed with every skill, none of them completely verifiable', async () => {
    const run = await runSkillwire(['list', origin, '--json']);
    expect(run.exitCode, run.stderr).toBe(0);
    const { skills } = JSON.parse(run.stdout) as { skills: readonly { verifiable: boolean }[] };
    expect(skills).toHaveLength(12);
    expect(skills.every(({ verifiable }) => !verifiable)).toBe(true);
  });

  test('cannot have its skills approved permanently', async () => {
    const run = await runSkillwire(['approve', origin, 'commit-messages', '--yes', `sha256:${'0'.repeat(64)}`]);
    expect(run.exitCode, run.stderr).toBe(5);
    expect(run.stderr).toMatch(/size/);
  });
});

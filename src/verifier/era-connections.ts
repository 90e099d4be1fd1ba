/**
 * Connects to a server in its protocol eras until one of them declares skills. The other eras are connected only on
 * request, so that no session or process idles during the long read.
 */

import type { Era } from '../dialects/era.ts';
import { decodeCapabilities, type SkillsCapability } from '../dialects/skills-extension/capability.ts';
import { SkillwireError } from '../errors.ts';
import type { Wire } from '../sources/mcp-server/wire.ts';
import { limitedWire, withoutSilentMethods } from './gate.ts';
import { isInterruption } from './judge.ts';
import type { EraReport } from './report.ts';

export interface EraConnectionsOptions {
  /** Connects in this era only. */
  readonly connect: (era: Era, signal: AbortSignal) => Promise<Wire>;
  /** In order of preference. */
  readonly eras: readonly Era[];
  readonly signal: AbortSignal;
  /** Requests in flight in each era. */
  readonly parallel: number;
}

export interface EraConnection {
  readonly era: Era;
  readonly wire: Wire;
  readonly capability: SkillsCapability;
}

export function createEraConnections({ connect, eras, signal, parallel }: EraConnectionsOptions) {
  const left = [...eras];
  const connected: EraConnection[] = [];
  const absent: EraReport[] = [];
  const errors: SkillwireError[] = [];
  let chosen: EraConnection | undefined;

  async function connectIn(era: Era): Promise<EraConnection | undefined> {
    try {
      const wire = limitedWire(withoutSilentMethods(await connect(era, signal)), parallel);
      const found = { era, wire, capability: decodeCapabilities(wire.capabilities) };
      connected.push(found);
      return found;
    } catch (error) {
      if (!(error instanceof SkillwireError) || isInterruption(error)) throw error;
      errors.push(error);
      const passing = ['UNREACHABLE', 'TIMED_OUT', 'NOT_AUTHORIZED'].includes(error.code);
      absent.push({ era, state: passing ? 'failed' : 'absent', message: error.message, skills: 0 });
      return undefined;
    }
  }

  return {
    /** Eras without a connection so far. */
    absent,
    /** The first era that declares skills, or else the first one spoken. @throws SkillwireError if none is spoken */
    async first(): Promise<EraConnection> {
      for (let era = left.shift(); era !== undefined; era = left.shift()) {
        const found = await connectIn(era);
        if (found?.capability.declared !== true) continue;
        chosen = found;
        break;
      }
      chosen ??= connected[0];
      if (chosen === undefined) throw mostUseful(errors);
      return chosen;
    },
    /** All other eras that the server speaks. */
    async others(): Promise<readonly EraConnection[]> {
      for (let era = left.shift(); era !== undefined; era = left.shift()) await connectIn(era);
      return connected.filter((other) => other !== chosen);
    },
    async close(): Promise<void> {
      await Promise.all(connected.map(({ wire }) => wire.close()));
    },
  };
}

export type EraConnections = ReturnType<typeof createEraConnections>;

/** Many servers do not speak the newer revision, so the reason why the older one fails says more. */
function mostUseful(errors: readonly SkillwireError[]): unknown {
  return errors.find(({ code }) => code !== 'BAD_ANSWER') ?? errors.at(-1);
}

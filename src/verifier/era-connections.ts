/**
 * Meets a server in its protocol eras: until one of them declares skills, and in the others only when they are wanted, so that
 * no session and no process of theirs idles while everything is read.
 */
import { decodeCapabilities, type SkillsCapability } from '../dialects/skills-extension/capability.ts';
import { SkillwireError } from '../errors.ts';
import type { Wire } from '../sources/mcp-server/wire.ts';
import { limitedWire, withoutSilentMethods } from './gate.ts';
import { isInterruption } from './judge.ts';
import type { Era, EraReport } from './report.ts';

export interface EraConnectionsOptions {
  /** Connects in this era only. */
  readonly connect: (era: Era, signal: AbortSignal) => Promise<Wire>;
  /** The one that is preferred first. */
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

export interface EraConnections {
  /** The first era that declares skills, or else the first that is spoken. @throws SkillwireError where none is */
  first(): Promise<EraConnection>;
  /** All others that are spoken. */
  others(): Promise<readonly EraConnection[]>;
  /** Eras that could not be met so far. */
  readonly absent: readonly EraReport[];
  close(): Promise<void>;
}

export function createEraConnections({ connect, eras, signal, parallel }: EraConnectionsOptions): EraConnections {
  const left = [...eras];
  const met: EraConnection[] = [];
  const absent: EraReport[] = [];
  const errors: SkillwireError[] = [];
  let chosen: EraConnection | undefined;

  async function meet(era: Era): Promise<EraConnection | undefined> {
    try {
      const wire = limitedWire(withoutSilentMethods(await connect(era, signal)), parallel);
      const found = { era, wire, capability: decodeCapabilities(wire.capabilities) };
      met.push(found);
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
    absent,
    async first() {
      for (let era = left.shift(); era !== undefined; era = left.shift()) {
        const found = await meet(era);
        if (found?.capability.declared !== true) continue;
        chosen = found;
        break;
      }
      chosen ??= met[0];
      if (chosen === undefined) throw mostTelling(errors);
      return chosen;
    },
    async others() {
      for (let era = left.shift(); era !== undefined; era = left.shift()) await meet(era);
      return met.filter((other) => other !== chosen);
    },
    async close() {
      await Promise.all(met.map(({ wire }) => wire.close()));
    },
  };
}

/** That a server does not speak the newer revision says less than why it does not speak the older one either. */
function mostTelling(errors: readonly SkillwireError[]): unknown {
  return errors.find(({ code }) => code !== 'BAD_ANSWER') ?? errors.at(-1);
}

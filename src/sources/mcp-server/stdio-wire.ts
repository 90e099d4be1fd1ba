/**
 * An MCP server as a child process, in either era. It is started once: the process that is asked for its revision also
 * serves all later requests. Only a server that exits at that question is started again, and then addressed in the
 * older way from the beginning.
 */
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { type ChildCommand, type ChildSession, type StartChild, startSession } from './child-session.ts';
import {
  type Introduction,
  introductionRefused,
  isLegacyError,
  modernRefused,
  readDiscovery,
  readInitialize,
} from './introduction.ts';
import { type ClientProfile, clientInfo, type EraOption, legacyVersion } from './protocol.ts';
import { legacyRules, modernRules, RpcError, type Wire } from './wire.ts';

export interface StdioWireOptions {
  readonly era: EraOption;
  readonly profile: ClientProfile;
  readonly deadlineMs: number;
  readonly signal?: AbortSignal;
}

export async function connectStdio(command: ChildCommand, start: StartChild, options: StdioWireOptions): Promise<Wire> {
  let session = await startSession(command, start);
  try {
    if (options.era !== 'legacy') {
      const found = await probe(session, options);
      if (found !== undefined) return wireOf(session, found, 'modern', options.profile);
      if (session.ended !== undefined) {
        await session.close();
        session = await startSession(command, start);
      }
    }
    return wireOf(session, await initialize(session, options), 'legacy', options.profile);
  } catch (error) {
    await session.close();
    throw error;
  }
}

/** The server's introduction in the modern way; `undefined` if it does not know that way. */
async function probe(session: ChildSession, options: StdioWireOptions): Promise<Introduction | undefined> {
  const { era, deadlineMs } = options;
  const { requestMeta } = options.profile;
  const wait = era === 'auto' ? Math.min(deadlineMs, limits.origin.probeMs) : deadlineMs;
  try {
    const result = await session.request('server/discover', { _meta: requestMeta }, { ...options, deadlineMs: wait });
    const found = readDiscovery(result);
    if (found !== 'legacy') return found;
  } catch (error) {
    if (error instanceof RpcError) {
      if (!isLegacyError(error)) throw introductionRefused(error);
      if (era === 'modern') throw modernRefused(error);
      return undefined;
    }
    // An older server may also stay silent, or exit.
    const isSilent = error instanceof SkillwireError && (error.code === 'TIMED_OUT' || error.code === 'UNREACHABLE');
    if (era === 'modern' || !isSilent) throw error;
  }
  if (era === 'modern') throw modernRefused();
  return undefined;
}

async function initialize(session: ChildSession, options: StdioWireOptions): Promise<Introduction> {
  const params = { protocolVersion: legacyVersion, capabilities: options.profile.capabilities, clientInfo };
  let result: unknown;
  try {
    result = await session.request('initialize', params, options);
  } catch (error) {
    throw error instanceof RpcError ? introductionRefused(error) : error;
  }
  const found = readInitialize(result);
  session.notify('notifications/initialized');
  return found;
}

function wireOf(session: ChildSession, introduction: Introduction, era: Wire['era'], manner: ClientProfile): Wire {
  const modern = era === 'modern';
  return {
    ...introduction,
    era,
    rules: modern ? modernRules : legacyRules,
    stateless: false,
    request: (method, params, options) =>
      session.request(method, modern ? { ...params, _meta: manner.requestMeta } : params, options),
    onClose: (listener) => session.onEnd(listener),
    close: () => session.close(),
  };
}

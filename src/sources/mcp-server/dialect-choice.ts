/**
 * Chooses how a server is read: by the final extension, or by an older dialect. The extension comes first if it is
 * declared or assumed. Only "method not found" leads to a dialect with less verification. Servers with the extension
 * need no extra requests.
 */
import { readProbe } from '../../dialects/probe.ts';
import { type DialectVerdict, nextProbe, type RecognizeOptions } from '../../dialects/recognize.ts';
import type { CompletionAnswer } from '../../dialects/resource-templates/completion.ts';
import type { ParsedSkillTemplate } from '../../dialects/resource-templates/skill-templates.ts';
import { decodeCapabilities } from '../../dialects/skills-extension/capability.ts';
import type { Remark } from '../../dialects/skills-extension/remark.ts';
import type { SourceContext, SourceFile, SourceSkill } from '../skill-source.ts';
import type { Connection } from './connection.ts';
import type { RequestServer } from './dialects/ask.ts';
import { createDialectReader } from './dialects/dialect-reader.ts';
import type { ProbeHistory } from './dialects/interview.ts';
import { type CompletionQuestion, completeVariable, listTemplates } from './dialects/templates.ts';
import type { TimedPage } from './listing.ts';
import { brokenDialect, noSkills, originError, unknownMethod } from './origin-errors.ts';
import { rpcCodes } from './protocol.ts';
import { RpcError, type Wire } from './wire.ts';

export interface DialectChoiceOptions {
  readonly name: string;
  readonly connection: Connection;
  readonly deadlineMs: number;
  readonly rules: RecognizeOptions;
  /** Use the extension even if it is not declared. */
  readonly assumeSkills: boolean;
  readonly digest: (bytes: Uint8Array) => string | Promise<string>;
  readonly onRemark: (remark: Remark) => void;
}

type Give = (page: TimedPage) => void;

export function createDialectChoice(options: DialectChoiceOptions) {
  const { name, connection, deadlineMs, rules, digest, onRemark } = options;
  const assumes = options.assumeSkills && rules.force === undefined;
  /** `undefined` until a listing shows it. */
  let spoken: 'extension' | 'older' | undefined;
  /** The server's answers to requests of the extension. */
  let history: ProbeHistory = [];

  const ask: RequestServer = (method, params, { maxBytes, signal, deadlineMs: own = deadlineMs }) =>
    connection.request(method, params, { deadlineMs: Math.min(own, deadlineMs), maxBytes, signal });

  const reader = createDialectReader({
    ask,
    server: async (signal) => {
      const { capabilities, instructions } = await connection.wire(signal);
      return { capabilities, instructions };
    },
    recognize: rules,
    digest,
    onRemark,
  });

  function declaresExtension({ capabilities }: Wire): boolean {
    return nextProbe({ capabilities, probes: [] }, rules)?.kind === 'skills-list';
  }

  function asksExtension(wire: Wire): boolean {
    return spoken === undefined ? declaresExtension(wire) || assumes : spoken === 'extension';
  }

  /**
   * The history after an error of `skills/list` that permits an older dialect; `undefined` if the error is a failure of
   * the extension.
   */
  function leadsOn(wire: Wire, error: unknown): ProbeHistory | undefined {
    if (!(error instanceof RpcError)) return undefined;
    if (error.code !== rpcCodes.methodNotFound && !declaresExtension(wire)) return undefined;
    const probe = { kind: 'skills-list' } as const;
    const history = [{ probe, outcome: readProbe(probe, { kind: 'error', code: error.code }) }];
    const next = nextProbe({ capabilities: wire.capabilities, probes: history }, rules);
    return next === undefined || next.kind === 'skills-list' ? undefined : history;
  }

  function listingError({ protocolVersion }: Wire, error: unknown): unknown {
    if (error instanceof RpcError && error.code === rpcCodes.methodNotFound)
      return unknownMethod(name, protocolVersion);
    return originError(name, 'skills/list', error);
  }

  /** @throws SkillwireError if the server speaks no dialect, or one that fails */
  function requireSkills(wire: Wire, { dialect, state, reason }: DialectVerdict): void {
    if (state !== 'none' && state !== 'failed') return;
    if (history.length > 0 && (dialect === 'skills-extension' || dialect === 'none'))
      throw unknownMethod(name, wire.protocolVersion);
    if (state === 'failed') throw brokenDialect(name, reason);
    throw noSkills(name, wire, decodeCapabilities(wire.capabilities), reason);
  }

  async function answered<T>(method: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw originError(name, method, error);
    }
  }

  return {
    /** Whether the server is read by the extension, as far as is known. */
    asksExtension,
    /** Whether it speaks an older dialect. */
    get older(): boolean {
      return spoken === 'older';
    },
    /** The dialect in use, if known. */
    dialect(wire: Wire): string | undefined {
      if (asksExtension(wire)) return 'skills-extension';
      const verdict = reader.verdict();
      return verdict === undefined || verdict.dialect === 'none' ? undefined : verdict.dialect;
    },
    /** Emits pages. `byExtension` lists by the extension and throws RpcError if the server does not support it. */
    async list(
      give: Give,
      signal: AbortSignal,
      byExtension: (wire: Wire, give: Give, signal: AbortSignal) => Promise<boolean>,
    ): Promise<boolean> {
      const wire = await connection.wire(signal);
      let fallback: ProbeHistory = [];
      if (declaresExtension(wire) || assumes) {
        try {
          const complete = await byExtension(wire, give, signal);
          spoken = 'extension';
          return complete;
        } catch (error) {
          const next = leadsOn(wire, error);
          if (next === undefined) throw listingError(wire, error);
          fallback = next;
        }
      }
      history = fallback;
      return answered('resources/read', () =>
        reader.list(give, signal, history, (verdict) => {
          requireSkills(wire, verdict);
          spoken = 'older';
          return decodeCapabilities(wire.capabilities).remarks;
        }),
      );
    },
    /** In an older dialect. */
    get: (uri: string, context: SourceContext): Promise<SourceSkill | undefined> =>
      answered('resources/read', async () => {
        const found = await reader.get(uri, context, history);
        const verdict = reader.verdict();
        if (found === undefined && verdict !== undefined) requireSkills(await connection.wire(context.signal), verdict);
        return found;
      }),
    open: (uri: string, context: SourceContext): Promise<SourceFile | undefined> =>
      answered('resources/read', () => reader.open(uri, context, history)),
    templates: (context: SourceContext): Promise<readonly ParsedSkillTemplate[]> =>
      answered('resources/templates/list', async () => {
        const wire = await connection.wire(context.signal);
        const known = asksExtension(wire) ? [] : await reader.templates(context, history);
        return listTemplates(ask, known, context.signal);
      }),
    complete: (question: CompletionQuestion, context: SourceContext): Promise<CompletionAnswer | undefined> =>
      answered('completion/complete', () => completeVariable(ask, question, context.signal)),
    clear: reader.clear,
  };
}

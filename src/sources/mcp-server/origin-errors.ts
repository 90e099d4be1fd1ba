/** Errors that name the server and what it does not do, or does wrong. */
import { type SkillsCapability, skillsExtensionId } from '../../dialects/skills-extension/capability.ts';
import { SkillwireError } from '../../errors.ts';
import { quoteText } from '../../skill/display-text.ts';
import { RpcError, type Wire } from './wire.ts';

function describeServer({ serverInfo, protocolVersion }: Wire): string {
  const who = serverInfo === undefined ? 'the server' : `the server ${quoteText(serverInfo.name)}`;
  return protocolVersion === '' ? who : `${who} (revision ${protocolVersion})`;
}

/** @param reason what is known about other dialects, as a clause without a period */
export function noSkills(name: string, wire: Wire, { remarks }: SkillsCapability, reason?: string): SkillwireError {
  const [fault] = remarks;
  const why =
    fault === undefined ? `does not declare the extension "${skillsExtensionId}"` : `is not clear: ${fault.message}`;
  return new SkillwireError(
    'NO_SKILLS_EXTENSION',
    `Cannot list the skills of ${quoteText(name)}: ${describeServer(wire)} answers, but ${why}${reason === undefined ? '' : `, and ${reason}`}. If it serves skills, try --assume-skills, or --dialect with its dialect.`,
    { data: { name, serverInfo: wire.serverInfo, remarks } },
  );
}

export function unknownMethod(name: string, protocolVersion: string): SkillwireError {
  return new SkillwireError(
    'NO_SKILLS_EXTENSION',
    `Cannot list the skills of ${quoteText(name)}: the server does not know the method "skills/list". It may follow an earlier draft of the extension.`,
    { data: { name, protocolVersion, requirement: 'S-1' } },
  );
}

/** A server that declares a dialect and does not answer in it. */
export function brokenDialect(name: string, reason: string): SkillwireError {
  return new SkillwireError('ORIGIN_FAILED', `Cannot list the skills of ${quoteText(name)}: ${reason}.`, {
    data: { name },
  });
}

export function badDirectory(uri: string, fault: string): SkillwireError {
  return new SkillwireError('BAD_ANSWER', `Cannot use the directory ${quoteText(uri)}: ${fault}.`, { data: { uri } });
}

/** Converts an RpcError of the server to ours; other errors pass unchanged. */
export function originError(name: string, method: string, error: unknown): unknown {
  if (!(error instanceof RpcError)) return error;
  return new SkillwireError(
    'ORIGIN_FAILED',
    `Cannot use ${quoteText(method)} of ${quoteText(name)}: the server returned error ${error.code}, ${quoteText(error.message)}.`,
    { cause: error, data: { method, rpcCode: error.code } },
  );
}

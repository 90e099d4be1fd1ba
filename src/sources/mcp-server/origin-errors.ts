/** What a server does not do, or does wrong, in words that name the server. */
import { type SkillsCapability, skillsExtensionId } from '../../dialects/skills-extension/capability.ts';
import { SkillwireError } from '../../errors.ts';
import { quoteText } from '../../skill/display-text.ts';
import { RpcError, type Wire } from './wire.ts';

function describeServer({ serverInfo, protocolVersion }: Wire): string {
  const who = serverInfo === undefined ? 'the server' : `the server ${quoteText(serverInfo.name)}`;
  return protocolVersion === '' ? who : `${who} (revision ${protocolVersion})`;
}

/** @param reason what was found out about other dialects, as a sentence without a final period */
export function noSkills(name: string, wire: Wire, { remarks }: SkillsCapability, reason?: string): SkillwireError {
  const [fault] = remarks;
  const why =
    fault === undefined ? `does not declare the extension "${skillsExtensionId}"` : `is not clear: ${fault.message}`;
  return new SkillwireError(
    'NO_SKILLS_EXTENSION',
    `cannot list the skills of ${quoteText(name)}: ${describeServer(wire)} answers, but ${why}${reason === undefined ? '' : `, and ${reason}`}; if you know that it serves skills, try again with --assume-skills, or with --dialect and what it speaks`,
    { data: { name, serverInfo: wire.serverInfo, remarks } },
  );
}

export function unknownMethod(name: string, protocolVersion: string): SkillwireError {
  return new SkillwireError(
    'NO_SKILLS_EXTENSION',
    `cannot list the skills of ${quoteText(name)}: the server does not know the method "skills/list"; it may follow an earlier draft of the extension`,
    { data: { name, protocolVersion, requirement: 'S-1' } },
  );
}

/** A server that declares a dialect and does not answer in it. */
export function brokenDialect(name: string, reason: string): SkillwireError {
  return new SkillwireError('ORIGIN_FAILED', `cannot list the skills of ${quoteText(name)}: ${reason}`, {
    data: { name },
  });
}

export function badDirectory(uri: string, fault: string): SkillwireError {
  return new SkillwireError('BAD_ANSWER', `cannot use the directory ${quoteText(uri)}: ${fault}`, { data: { uri } });
}

/** An error that the server answered, as ours; others as they are. */
export function originError(name: string, method: string, error: unknown): unknown {
  if (!(error instanceof RpcError)) return error;
  return new SkillwireError(
    'ORIGIN_FAILED',
    `cannot use ${quoteText(method)} of ${quoteText(name)}: the server answers with error ${error.code}, ${quoteText(error.message)}`,
    { cause: error, data: { method, rpcCode: error.code } },
  );
}

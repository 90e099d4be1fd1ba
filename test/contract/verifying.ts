/** Runs the verifier as the command does, in this process, and returns a short result. */
import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { verifyExit } from '../../src/cli/commands/verify.ts';
import { createColors } from '../../src/cli/render/color.ts';
import { reportText, skillLines } from '../../src/cli/render/verify-text.ts';
import type { Era } from '../../src/dialects/era.ts';
import { SkillwireError } from '../../src/errors.ts';
import { startServerChild } from '../../src/origins/start-server-child.ts';
import { type ServerLocation, serverConnector } from '../../src/sources/mcp-server/server-connector.ts';
import type { Failure, SkillReport, VerifyReport } from '../../src/verifier/report.ts';
import { type VerifyServerOptions, verifyServer } from '../../src/verifier/verify-server.ts';

export interface Verification {
  readonly report: VerifyReport;
  readonly skills: readonly SkillReport[];
  readonly failures: readonly Failure[];
  /** Violated requirements, each once, sorted. */
  readonly broken: readonly string[];
  readonly exit: number;
  readonly text: string;
}

export interface VerifyingOptions extends Partial<Pick<VerifyServerOptions, 'signal' | 'parallel' | 'assumeSkills'>> {
  readonly eras?: readonly Era[];
  readonly deadlineMs?: number;
  readonly onSkill?: (report: SkillReport) => void;
}

export const digest = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

const colors = createColors(false);

export async function verifying(
  given: { readonly url: string } | { readonly command: string; readonly args: readonly string[] },
  options: VerifyingOptions = {},
): Promise<Verification> {
  const { eras = ['modern', 'legacy'], deadlineMs = 30_000, parallel = 16, onSkill, ...more } = options;
  const place: ServerLocation =
    'url' in given ? { ...given, concurrency: parallel } : { ...given, startChild: startServerChild };
  const connector = serverConnector(place, deadlineMs);
  const skills: SkillReport[] = [];
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  try {
    const report = await verifyServer({
      connect: (era, signal) => connector.connect(era, { deadlineMs, signal }),
      signal,
      eras,
      deadlineMs,
      digest,
      parallel,
      ...more,
      onSkill(skill) {
        skills.push(skill);
        onSkill?.(skill);
      },
    });
    return {
      report,
      skills,
      failures: [...report.failures, ...skills.flatMap(({ failures }) => failures)],
      broken: [...report.requirements.keys()].sort(),
      exit: verifyExit(report, false),
      text: skills.map((skill) => skillLines(skill, colors)).join('') + reportText(report, colors, 120),
    };
  } finally {
    connector.close();
  }
}

/** The code of the error by which the verification ends without a report. */
export async function refusalOf(verification: Promise<Verification>): Promise<SkillwireError> {
  try {
    await verification;
  } catch (error) {
    if (error instanceof SkillwireError) return error;
    throw error;
  }
  throw new Error('there is a report where an error was expected');
}

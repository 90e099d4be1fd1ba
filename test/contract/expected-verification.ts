/** One test for each misbehavior: the verifier reports it in bounded time. */
import { beforeAll, describe, expect, test } from 'vitest';
import { misbehavingServer } from '../../src/testing/misbehaving/misbehaving-server.ts';
import type { Misbehavior } from '../../src/testing/misbehaving/misbehavior.ts';
import { requirements } from '../../src/verifier/requirements.ts';
import { refusalOf, verifying } from './verifying.ts';

export interface Expected {
  /** Exactly the violated requirements. */
  readonly broken?: readonly string[];
  /** Not everything could be checked. */
  readonly incomplete?: true;
  /** It concerns all skills, so the other skills fail, too. */
  readonly neighbours?: 'concerned';
  /** The run fails with this error, without a report. */
  readonly error?: string;
  readonly exit: number;
  /** For servers that do not answer. */
  readonly deadlineMs?: number;
}

/** The behavior is allowed, or cannot be seen from outside. */
export const fine: Expected = { exit: 0 };

export function breaks(...broken: readonly string[]): Expected {
  return { broken: [...broken].sort(), exit: 7 };
}

export function warns(...broken: readonly string[]): Expected {
  return { broken: [...broken].sort(), exit: 1 };
}

/** Violates them for all skills, or makes the listing unreadable. */
export function breaksAll(...broken: readonly string[]): Expected {
  return { ...breaks(...broken), neighbours: 'concerned' };
}

export function unlisted(...broken: readonly string[]): Expected {
  return { ...breaksAll(...broken), incomplete: true };
}

export function partly(expected: Expected): Expected {
  return { ...expected, incomplete: true };
}

export function ends(error: string, exit: number): Expected {
  return { error, exit };
}

/** With a short deadline. */
export function soon(expected: Expected): Expected {
  return { ...expected, deadlineMs: 1_000 };
}

export const unchecked: Expected = { incomplete: true, exit: 8 };

const neighbours = ['skill://release-notes/SKILL.md', 'skill://acme/docs/glossary/SKILL.md'];

// Safe text for a terminal: no control characters except line breaks, and nothing that reorders or hides text.
const unsafe = /[\p{Cc}\p{Bidi_Control}\p{Cs}]|[\u{e0000}-\u{e007f}\u200b-\u200f\u2060-\u2064]/u;

export function verifiesAs(
  name: string,
  rows: readonly Misbehavior[],
  expectations: Readonly<Record<string, Expected>>,
): void {
  describe(name, () => {
    // Loads lazy modules first, so that they do not use up a short deadline.
    beforeAll(async () => {
      await using server = await misbehavingServer();
      expect(await verifying({ url: server.url })).toMatchObject({ broken: [], exit: 0 });
    }, 60_000);

    test('has an expectation for each row and no other', () => {
      expect(Object.keys(expectations).sort()).toEqual(rows.map(({ id }) => id).sort());
    });
    test.each(rows.map((row) => [row.id, row.title, row] as const))('%s: %s', async (id, _, row) => {
      const expected = expectations[id];
      expect(expected).toBeDefined();
      if (expected !== undefined) await verifiesRow(row, expected);
    });
  });
}

async function verifiesRow({ id, stage }: Misbehavior, expected: Expected): Promise<void> {
  await using server = await misbehavingServer({ behavior: id });
  if (stage === 'again') server.advance();
  const { deadlineMs } = expected;
  const running = verifying({ url: server.url }, deadlineMs === undefined ? {} : { deadlineMs });
  if (expected.error !== undefined) {
    const { code, exitCode, message } = await refusalOf(running);
    expect({ code, exitCode }).toEqual({ code: expected.error, exitCode: expected.exit });
    expect(message).not.toMatch(unsafe);
    return;
  }
  const { report, skills, failures, broken, exit, text } = await running;
  expect({ broken, incomplete: report.incomplete.length > 0, exit }, text).toEqual({
    broken: expected.broken ?? [],
    incomplete: expected.incomplete === true,
    exit: expected.exit,
  });
  for (const { requirement, message } of failures) {
    expect(Object.keys(requirements)).toContain(requirement);
    expect(message).not.toMatch(/\.$|^$/);
  }
  for (const line of text.split('\n')) expect(line).not.toMatch(unsafe);
  if (expected.neighbours === 'concerned') return;
  for (const uri of neighbours)
    expect(skills.find((skill) => skill.uri === uri)).toMatchObject({ status: 'verified', failures: [] });
}

/** A host connects to every misbehaving server, and reacts as the row says. */
import { describe, expect, test } from 'vitest';
import { SkillwireError } from '../../../src/errors.ts';
import type { Host } from '../../../src/host/host.ts';
import type { LoadedSkill } from '../../../src/host/load/loaded-skill.ts';
import { misbehaviors } from '../../../src/testing/misbehaving/misbehaving-server.ts';
import type { Misbehavior } from '../../../src/testing/misbehaving/misbehavior.ts';
import { type MisbehavingOrigin, misbehavingOrigin, type OpenedHost, openedHost } from './opened-host.ts';

/** The result of the steps that the row describes. */
interface Observed {
  readonly states: readonly string[];
  /** Entries and findings that the user saw. */
  readonly reported: number;
  readonly others: number;
  readonly failures: readonly SkillwireError[];
  readonly loaded: readonly LoadedSkill[];
  readonly texts: readonly string[];
  readonly why: readonly string[];
}

async function observe(
  { host, questions }: OpenedHost,
  origin: MisbehavingOrigin,
  row: Misbehavior,
): Promise<Observed> {
  const failures: SkillwireError[] = [];
  const loaded: LoadedSkill[] = [];
  const texts: string[] = [];
  const attempt = async (step: () => Promise<void>): Promise<void> => {
    try {
      await step();
    } catch (error) {
      if (!(error instanceof SkillwireError)) throw error;
      failures.push(error);
    }
  };
  const { skills, origins } = await host.discover();
  const address = { label: origin.label, uri: row.target };
  const readAt = async (skill: LoadedSkill | undefined): Promise<void> => {
    if (row.at === undefined || skill === undefined || row.stage === 'directory') return;
    texts.push((await skill.read(row.at)).text);
  };
  const load = async (): Promise<void> => {
    const skill = await host.load(address);
    loaded.push(skill);
    texts.push(skill.text);
  };
  await attempt(load);
  if (row.stage === 'file') await attempt(() => readAt(loaded.at(-1)));
  if (row.id.startsWith('rotate-second-')) {
    await host.cache.clear();
    await attempt(row.stage === 'file' ? () => readAt(loaded.at(-1)) : load);
  }
  if (row.stage === 'again') {
    await attempt(() => readAt(loaded.at(-1)));
    origin.server.advance();
    await host.cache.clear();
    await attempt(() => readAt(loaded.at(-1)));
    await attempt(load);
  }
  texts.push((await host.catalogText()).text);
  const report = origins[0];
  return {
    states: origins.map(({ state }) => state),
    reported: (report?.refused.length ?? 0) + (report?.findings.length ?? 0),
    others: skills.filter(({ uri }) => uri !== row.target).length,
    failures,
    loaded,
    texts,
    why: questions.filter(({ kind }) => kind === 'load').map(({ why }) => why),
  };
}

const failedStates = ['no-skills-extension', 'not-authorized', 'unreachable', 'failed', 'all-refused', 'partial'];
const hidden = /(?![\n\t\r])\p{Cc}|[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u;

function check(row: Misbehavior, seen: Observed, host: Host): void {
  const { failures, states, loaded, texts } = seen;
  const wrong = failures.length > 0 || states.some((state) => failedStates.includes(state));
  for (const text of texts) expect(text).not.toMatch(hidden);
  for (const { grants } of loaded) expect(grants).toEqual({ execution: false, allowedTools: [] });
  switch (row.expected) {
    case 'accept':
      if (row.stage !== 'directory') expect(loaded.length, String(failures[0])).toBeGreaterThan(0);
      break;
    case 'refuse':
      if (row.stage === 'directory') break;
      if (row.id === 'get-other-skill') {
        // The wrong entry is not used; the listing has the right one.
        expect(loaded.map(({ uri }) => uri)).toEqual([row.target]);
        break;
      }
      expect(wrong || seen.reported > 0).toBe(true);
      if ((row.stage === 'load' || row.stage === 'get') && row.kind !== 'content')
        expect(host.acting.list()).toEqual([]);
      break;
    case 'ask-again':
      if (row.stage === 'again')
        expect(seen.why.length > 1 || failures.some(({ data }) => data.changed === true)).toBe(true);
      break;
    case 'isolate':
      expect(seen.others).toBeGreaterThan(0);
      expect(wrong || seen.reported > 0).toBe(true);
      break;
    case 'bounded':
      if (row.stage !== 'directory') expect(wrong || seen.reported > 0).toBe(true);
      break;
    case 'inert':
    case 'shown-escaped':
      break;
  }
}

/** Rows that do not concern a host with one connection, and the tests that cover them. */
const elsewhere: Readonly<Record<string, string>> = {
  'read-differs-by-era': 'shows only where both eras are asked, as verify does',
  'many-large-skills': 'the budget of an origin is in content-cache.test.ts; 210 MiB are too many here',
  'pages-endless': 'the bound of listings is in the tests of the source; thousands of pages are too many here',
  'long-line': 'about what is shown to people, which the command line does',
};

test('rows that other tests cover exist', () => {
  const ids = new Set(misbehaviors.map(({ id }) => id));
  expect(Object.keys(elsewhere).filter((id) => !ids.has(id))).toEqual([]);
});

describe('a host handles', () => {
  const rows = misbehaviors.filter(
    ({ id, transports }) => transports.includes('http') && !Object.hasOwn(elsewhere, id),
  );
  test.each(rows.map((row) => [row.id, row] as const))(
    '%s',
    async (_, row) => {
      const hurried = row.expected === 'bounded' || row.kind === 'transport';
      const origin = await misbehavingOrigin(row.id, 'shop', hurried ? 1_000 : 10_000);
      const opened = await openedHost([origin], { timeoutMs: hurried ? 1_500 : 10_000 });
      check(row, await observe(opened, origin, row), opened.host);
    },
    60_000,
  );
});

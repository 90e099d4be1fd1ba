/** The skill of `whole-skill.ts` from origins that are no MCP servers: both indexes of a site, and a live program. */
import { kindOf, type OriginLocation } from '../../../src/origins/kinds.ts';
import { createRuntime } from '../../../src/runtime-client/index.node.ts';
import type { SkillSource } from '../../../src/sources/skill-source.ts';
import { eventually } from '../../eventually.ts';
import { openHub } from '../../mdp-hub.ts';
import { publishV01, publishV02, scriptedSite } from '../../scripted-site.ts';
import { type WholeSkillRow, wholeSkill } from './whole-skill.ts';

export interface RunningOrigin {
  /** As an argument of the command, without a label. */
  readonly origin: string;
  source(): Promise<SkillSource>;
  close(): Promise<void>;
}

export interface OriginRow extends Omit<WholeSkillRow, 'make' | 'dialect'> {
  readonly dialect?: string;
  /** `add` gives its files the digests of the fetched bytes, so it needs no `--pin`. */
  readonly ownDigests?: true;
  readonly start: () => Promise<RunningOrigin>;
}

const opened = (location: OriginLocation): Promise<SkillSource> => kindOf(location).open(location, {});

async function site(publish: typeof publishV02 | typeof publishV01): Promise<RunningOrigin> {
  const running = await scriptedSite();
  publish(running, { 'git-workflow': wholeSkill });
  const { origin } = running;
  return { origin, source: () => opened({ kind: 'site', url: origin }), close: async () => undefined };
}

/** Live programs have texts only. */
async function liveProgram(): Promise<RunningOrigin> {
  const hub = await openHub();
  const runtime = createRuntime({ url: hub.ws, id: 'lab', name: 'The lab' });
  runtime.expose('/git-workflow/skill.md', wholeSkill['SKILL.md']?.toString() ?? '');
  await runtime.connect();
  await eventually(() => hub.registered('lab'));
  return {
    origin: `mdp:${hub.ws}`,
    source: () => opened({ kind: 'mdp', hub: hub.ws }),
    async close() {
      await runtime.close();
      await hub[Symbol.asyncDispose]();
    },
  };
}

export const originRows: readonly OriginRow[] = [
  { what: 'a site, v0.2.0', start: () => site(publishV02), dialect: 'well-known 0.2.0', checked: ['both', 'both'] },
  {
    what: 'a site, v0.1',
    start: () => site(publishV01),
    dialect: 'well-known 0.1',
    checked: ['none', 'none'],
    ownDigests: true,
  },
  { what: 'a live program', start: liveProgram, checked: ['both', 'both'], has: ['SKILL.md'] },
];

/** Pins live skills of this server on the page, as `skillwire pin` does: the same snapshot, the same audit. */
import type { SkillRecord } from '../../catalog/snapshot.ts';
import { SkillwireError } from '../../errors.ts';
import { spanMs } from '../../origins/time-span.ts';
import { quoteText } from '../../skill/display-text.ts';
import { isJsonObject } from '../../skill/json.ts';
import type { SkillSource } from '../../sources/skill-source.ts';
import type { PinData } from '../../surfaces/page/page-data.ts';
import type { PagePins } from '../../surfaces/page/page-ports.ts';
import { type PinnedSkills, pinnedMetaKey } from '../../transforms/pinned-skill.ts';

export interface PagePinsOptions {
  /** The live skills, without pins. */
  readonly live: SkillSource;
  readonly pinned: PinnedSkills;
  /** True if the skill is one of the live programs. */
  isLive(skill: SkillRecord): boolean;
}

/** `undefined` if this server cannot store pins. */
export function pagePins({ live, pinned, isLive }: PagePinsOptions): PagePins | undefined {
  if (pinned.pin === undefined || pinned.unpin === undefined) return undefined;
  return {
    pinOf: (skill) => (isLive(skill) ? pinData(skill) : undefined),
    async pin({ entry }, span, { name }, signal) {
      const forMs = span === undefined ? undefined : spanMs(span);
      if (span !== undefined && forMs === undefined)
        throw new SkillwireError(
          'USAGE',
          `${quoteText(span)} is not a duration. Use days, hours or minutes: 30d, 12h.`,
        );
      const newPin = await pinned.pin?.(live, entry.uri, { forMs, user: name, signal });
      return newPin?.missing.map(({ path }) => path) ?? [];
    },
    unpin: async ({ entry }, { name }) => (await pinned.unpin?.(entry.uri, name)) === true,
  };
}

function pinData({ entry }: SkillRecord): PinData {
  const meta = entry._meta?.[pinnedMetaKey];
  if (!isJsonObject(meta)) return { state: 'live' };
  const { at, until, drift } = meta;
  return {
    state: 'pinned',
    ...(typeof at === 'string' ? { pinnedAt: at } : {}),
    ...(typeof until === 'string' ? { expiresAt: until } : {}),
    ...(drift === true ? { changed: true } : {}),
  };
}

/**
 * Knows which origins and skills are disabled. The state is read for each query, so that a skill disabled by another
 * process leaves the model at once, including open windows.
 */
import { PolicyError } from '../../errors.ts';
import { quoteText } from '../../skill/display-text.ts';
import { answersTo } from '../../skill/former-uris.ts';
import { disabledKey, disabledRecords, disabledValue } from '../../store/decisions/restrictions.ts';
import type { KeyValueStore } from '../../store/store.ts';
import { decisionTime } from '../../store/tombstones.ts';
import type { AuditTrail } from '../approve/approvals.ts';
import type { SkillAddress } from './discovered-skill.ts';

/** The disabled origins and skills at one moment. */
export interface Disabled {
  origin(label: string): boolean;
  /** True if the skill or its origin is disabled. */
  skill(address: SkillAddress): boolean;
}

export function createEnablement(state: KeyValueStore, audit: AuditTrail) {
  async function requireOrigin(label: string): Promise<void> {
    if ((await state.get(disabledKey(label, undefined))) !== undefined) throw disabledOrigin(label);
  }

  return {
    async read(): Promise<Disabled> {
      const keys = new Set((await disabledRecords(state)).map(({ label, uri }) => JSON.stringify([label, uri])));
      const has = (label: string, uri?: string): boolean => keys.has(JSON.stringify([label, uri]));
      return {
        origin: (label) => has(label),
        skill: ({ label, uri, formerUris = [] }) => has(label) || [uri, ...formerUris].some((one) => has(label, one)),
      };
    },
    /** @throws PolicyError SKILL_DISABLED */
    async require({ label, uri, formerUris }: SkillAddress): Promise<void> {
      // A single lookup, as before each read.
      for (const disabled of await disabledRecords(state, label)) {
        if (disabled.uri === undefined) throw disabledOrigin(label);
        if (answersTo({ uri, formerUris }, disabled.uri)) throw disabledSkill({ label, uri });
      }
    },
    /** @throws PolicyError SKILL_DISABLED */
    requireOrigin,
    /** @param formerUris enabling a skill also removes records under these */
    async set(
      label: string,
      uri: string | undefined,
      enabled: boolean,
      formerUris: readonly string[] = [],
    ): Promise<void> {
      const key = disabledKey(label, uri);
      const at = await decisionTime(state, key);
      await audit({ at, action: enabled ? 'enable' : 'disable', label, by: 'person', key, uri });
      if (enabled)
        for (const old of [key, ...formerUris.map((former) => disabledKey(label, former))]) await state.delete(old);
      else await state.set(key, disabledValue(at));
    },
  };
}

export type Enablement = ReturnType<typeof createEnablement>;

export function disabledSkill({ label, uri }: SkillAddress): PolicyError {
  const message = `Cannot use ${quoteText(uri)} of ${quoteText(label)}: it is disabled. Enable it first.`;
  return new PolicyError('SKILL_DISABLED', message, { data: { label, uri } });
}

function disabledOrigin(label: string): PolicyError {
  const message = `Cannot use the origin ${quoteText(label)}: it is disabled. Enable it first.`;
  return new PolicyError('SKILL_DISABLED', message, { data: { label } });
}

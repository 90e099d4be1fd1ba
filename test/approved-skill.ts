/** The value of an approval, as `skillwire approve` stores it. */
import type { JsonValue, SkillEntry } from '../src/skill/entry.ts';
import { setDigest, setOf } from '../src/skill/skill-set.ts';
import { noGrants, writeApproval } from '../src/store/decisions/approval.ts';

export async function approvalValue(label: string, entry: SkillEntry): Promise<JsonValue> {
  const set = setOf(entry);
  if (set === undefined) throw new Error(`"${entry.uri}" has no digests that an approval could be bound to`);
  return writeApproval({
    label,
    uri: entry.uri,
    name: entry.frontmatter.name,
    set,
    setDigest: await setDigest(set),
    entry,
    grants: noGrants,
    by: 'person',
    reason: 'reviewed',
    at: new Date().toISOString(),
    lasting: true,
    hiddenSeen: false,
  });
}

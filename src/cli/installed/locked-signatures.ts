/** The signers of installed skills, judged by the user's signers and rules. Reads no origin: the lock file names every file. */
import { PolicyError } from '../../errors.ts';
import type { JudgedSignature } from '../../host/approve/signature-gate.ts';
import type { ReadingContext } from '../../origins/resolve-reading.ts';
import { quoteText } from '../../skill/display-text.ts';
import { skillFileName } from '../../skill/entry.ts';
import { readFrontmatter } from '../../skill/frontmatter.ts';
import { pathBelow } from '../../skill/resource-uri.ts';
import type { InstallPlace } from '../../sync/install-place.ts';
import { lockedEntry } from '../../sync/locked-entry.ts';
import type { LockedByName, SkillBytes } from '../../sync/restore-skills.ts';
import type { CommandSession } from '../open-host.ts';
import { lockedLabel } from '../origins/lock-origins.ts';

type JudgingSession = Pick<CommandSession, 'signatures' | 'place' | 'store'>;

interface JudgedLocked {
  readonly label: string;
  /** Absent if the user trusts no signers. */
  readonly judged: JudgedSignature | undefined;
}

function lockedJudge({ signatures, place: reading }: JudgingSession, { root }: InstallPlace) {
  let where: Promise<ReadingContext> | undefined;
  return async ({ name, locked }: LockedByName, bytes: SkillBytes): Promise<JudgedLocked> => {
    where ??= reading();
    const label = lockedLabel(locked, { place: await where, root });
    const skillMd = readFrontmatter(bytes.get(skillFileName) ?? new Uint8Array());
    const entry = lockedEntry(locked, skillMd.ok ? skillMd.frontmatter : { name, description: '' });
    const judged = await signatures.judge(
      { label, entry },
      async (uri) => bytes.get(pathBelow(entry.uri, uri)) ?? new Uint8Array(),
    );
    return { label, judged };
  };
}

/** Refuses skills whose signer the rules do not accept, for `restoreSkills()`. */
export function acceptedSigner(session: JudgingSession, place: InstallPlace) {
  const judge = lockedJudge(session, place);
  return async (skill: LockedByName, bytes: SkillBytes): Promise<void> => {
    const { label, judged } = await judge(skill, bytes);
    const reason = judged?.refusal;
    if (reason === undefined) return;
    const { uri, setDigest: set } = skill.locked;
    const at = new Date().toISOString();
    await session.store.audit.append({ at, action: 'refuse', label, uri, by: 'policy', reason, data: { set } });
    const message = `Cannot install ${quoteText(skill.name)}: refused by a policy: ${reason}`;
    throw new PolicyError('REFUSED_BY_POLICY', message, { data: { name: skill.name, origin: label, uri } });
  };
}

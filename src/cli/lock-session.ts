/** Opens the origins of locked skills, each once, and says under which label each skill is read. */
import type { ExitCode } from '../errors.ts';
import type { DiscoveredSkill, SkillAddress } from '../host/discovered-skill.ts';
import type { InstallPlace } from '../sync/install-place.ts';
import type { LockedByName } from '../sync/restore-skills.ts';
import { addedLabels } from './added-origins.ts';
import type { Cli } from './cli.ts';
import type { ConnectionOptions } from './connection-options.ts';
import { findConfiguration } from './find-configuration.ts';
import { originArgument } from './lock-origins.ts';
import { openState, type Session, withHost } from './open-host.ts';

export interface LockedAddress extends LockedByName {
  readonly address: SkillAddress | DiscoveredSkill;
}

/** @param pinned read Git repositories at the commits of the lock file */
export async function withLockedOrigins(
  skills: readonly LockedByName[],
  place: InstallPlace,
  options: ConnectionOptions,
  cli: Cli,
  pinned: boolean,
  run: (session: Session, skills: readonly LockedAddress[]) => Promise<ExitCode>,
): Promise<ExitCode> {
  const known = await knownLabels(options, place, cli);
  const wanted = skills.map((skill) => originArgument(skill.locked, place.root, known, pinned));
  const all = [...new Set(wanted)];
  return withHost(
    all,
    options,
    cli,
    (session) => {
      const addresses = skills.map((skill, index): LockedAddress => {
        const label = session.origins[all.indexOf(wanted[index] ?? '')]?.label ?? '';
        return { ...skill, address: { label, uri: skill.locked.uri } };
      });
      return run(session, addresses);
    },
    { ownDigests: true },
  );
}

async function knownLabels(options: ConnectionOptions, { home, platform }: InstallPlace, cli: Cli) {
  const found = await findConfiguration({ cwd: cli.cwd, env: cli.env, home, platform }, options.config);
  const store = await openState(options, cli, () => undefined);
  try {
    const configured = (found?.configuration.origins ?? []).map(({ label }) => label);
    return new Set([...configured, ...(await addedLabels(store.state))]);
  } finally {
    await store.close();
  }
}

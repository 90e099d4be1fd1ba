/**
 * Every kind of origin. A new kind is a file in `kinds/`, a row here and a member of the two unions (`location.ts`, `origin-spec.ts`); the
 * compiler asks for whatever else is missing. Every command loads this table, so a kind imports its source when it opens a location.
 */
import { agent } from './kinds/agent.ts';
import { archive } from './kinds/archive.ts';
import { folder } from './kinds/folder.ts';
import { git } from './kinds/git.ts';
import { mcp } from './kinds/mcp.ts';
import { mdp } from './kinds/mdp.ts';
import { mdpStdio } from './kinds/mdp-stdio.ts';
import { site } from './kinds/site.ts';
import { stdio } from './kinds/stdio.ts';
import type { LocationKind, OriginLocation } from './location.ts';
import type { OriginKind } from './origin-kind.ts';

const originKinds: { readonly [Kind in LocationKind]: OriginKind<Extract<OriginLocation, { readonly kind: Kind }>> } = {
  folder,
  archive,
  site,
  mcp,
  stdio,
  mdp,
  'mdp-stdio': mdpStdio,
  git,
  agent,
};

export const kindNames: readonly string[] = Object.keys(originKinds);
export const everyKind: readonly OriginKind<OriginLocation>[] = Object.values(originKinds);

/** The row of a location, for calls with that location. */
export function kindOf({ kind }: OriginLocation): OriginKind<OriginLocation> {
  return originKinds[kind];
}

/** `undefined` if there is no such kind. */
export function kindNamed(name: string): OriginKind<OriginLocation> | undefined {
  return Object.hasOwn(originKinds, name) ? originKinds[name as LocationKind] : undefined;
}

/** One spelling for one location: for people, and as the label of an origin that nobody named. Never parsed. */
export function locationText(location: OriginLocation): string {
  return kindOf(location).text(location);
}

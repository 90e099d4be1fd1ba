/**
 * Every kind of origin. A new kind is a file in `kinds/`, a row here and a member of the two unions (`place.ts`, `origin-spec.ts`); the
 * compiler asks for whatever else is missing. Every command loads this table, so a kind imports its source when it opens a place.
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
import type { OriginKind } from './origin-kind.ts';
import type { OriginPlace, PlaceKind } from './place.ts';

const originKinds: { readonly [Kind in PlaceKind]: OriginKind<Extract<OriginPlace, { readonly kind: Kind }>> } = {
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
export const everyKind: readonly OriginKind<OriginPlace>[] = Object.values(originKinds);

/** The row of a place, for calls with that place. */
export function kindOf({ kind }: OriginPlace): OriginKind<OriginPlace> {
  return originKinds[kind];
}

/** `undefined` if there is no such kind. */
export function kindNamed(name: string): OriginKind<OriginPlace> | undefined {
  return Object.hasOwn(originKinds, name) ? originKinds[name as PlaceKind] : undefined;
}

/** One spelling for one place: for people, and as the label of an origin that nobody named. Never parsed. */
export function placeText(place: OriginPlace): string {
  return kindOf(place).text(place);
}

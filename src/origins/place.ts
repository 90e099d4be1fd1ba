/**
 * Where an origin is: a closed union of typed values. Whatever names an origin (a command line, a configuration, a lock file) becomes
 * one of these at the border and is never turned into text that is parsed again.
 */
import { joinCommand } from './command-words.ts';

export interface FolderPlace {
  readonly kind: 'folder';
  readonly path: string;
  readonly nested?: boolean;
  /** Files below it that are published although they look like secrets. */
  readonly publish?: readonly string[];
}

/** Paths are absolute. */
export type OriginPlace =
  | FolderPlace
  | { readonly kind: 'archive'; readonly path: string }
  | { readonly kind: 'site'; readonly url: string }
  | { readonly kind: 'mcp'; readonly url: string }
  | { readonly kind: 'stdio'; readonly command: readonly string[] }
  | { readonly kind: 'mdp'; readonly hub: string }
  | { readonly kind: 'mdp-stdio'; readonly hubCommand: readonly string[] }
  | { readonly kind: 'git'; readonly repository: string; readonly ref?: string }
  | { readonly kind: 'agent'; readonly agent: string };

export type PlaceKind = OriginPlace['kind'];

/** `label`: a program named an origin without saying where it is; only a configuration that has the label knows. */
export type LockedPlace = OriginPlace | { readonly kind: 'label'; readonly label: string };

/** One spelling for one place: for people, and as the label of an origin that nobody named. Never parsed. */
export function placeText(place: OriginPlace): string {
  switch (place.kind) {
    case 'folder':
    case 'archive':
      return place.path;
    case 'site':
      return place.url;
    case 'mcp':
      return `mcp:${place.url}`;
    case 'stdio':
      return `stdio:${joinCommand(place.command)}`;
    case 'mdp':
      return `mdp:${place.hub}`;
    case 'mdp-stdio':
      return `mdp:stdio:${joinCommand(place.hubCommand)}`;
    case 'git':
      return `git:${place.repository}${place.ref === undefined ? '' : `#${place.ref}`}`;
    case 'agent':
      return `agent:${place.agent}`;
  }
}

/** Whether two places lead to the same origin. How much of a folder is published makes no difference. */
export function samePlace(a: OriginPlace, b: OriginPlace): boolean {
  return placeKey(a) === placeKey(b);
}

/** Unlike the text, never the same for two places. */
function placeKey(place: OriginPlace): string {
  const { nested: _, publish: __, ...rest } = { nested: undefined, publish: undefined, ...place };
  return JSON.stringify(Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What a place of an origin does if a file that came with a folder names it. Pure: the caller knows the project and the network. */

export type ActKind =
  | 'program'
  | 'variable'
  | 'credential'
  | 'git-credentials'
  | 'insecure-http'
  | 'inside-address'
  | 'outside-folder'
  | 'secret-files'
  | 'anonymous-access'
  | 'agent-folder'
  | 'search-texts';

/** An act, and the part of the place that it is about. */
export type LocationAct = readonly [ActKind, string];

export interface Surroundings {
  /** Whether a path, with all links followed, lies inside the project of the file. */
  isInsideProject(path: string): boolean;
  /** Whether a host is this machine or in a private network, as far as its name tells. */
  isInsideNetwork(hostname: string): boolean;
}

export function pathActs(path: string, around: Surroundings): readonly LocationAct[] {
  return around.isInsideProject(path) ? [] : [['outside-folder', path]];
}

export function addressActs(address: string, around: Surroundings): readonly LocationAct[] {
  const { protocol, hostname } = new URL(address);
  if (around.isInsideNetwork(hostname)) return [['inside-address', address]];
  return protocol === 'https:' || protocol === 'wss:' ? [] : [['insecure-http', address]];
}

export function gitActs(repository: string, around: Surroundings): readonly LocationAct[] {
  if (/^[\w.-]+@[\w.-]+:[^:]+$/.test(repository)) return [['git-credentials', repository]];
  if (!URL.canParse(repository) || /^[A-Za-z]:[\\/]/.test(repository)) return pathActs(repository, around);
  const { protocol, pathname } = new URL(repository);
  if (protocol === 'file:') return pathActs(decodeURIComponent(pathname), around);
  return protocol === 'ssh:' ? [['git-credentials', repository]] : addressActs(repository, around);
}

export function programActs(words: readonly string[]): readonly LocationAct[] {
  return [['program', words.map(shownWord).join(' ')]];
}

/** A blank or a control character inside of a word must be seen. */
function shownWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word);
}

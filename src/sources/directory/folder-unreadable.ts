/** A folder that cannot be read: an error while it is listed, and what becomes of that in the folder above. */
import type { MaybePromise } from '../../async/maybe-promise.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import { isGone, isPassingCode } from './file-stamp.ts';
import { type FolderListing, type KeptFolder, listFolder } from './folder-listing.ts';
import type { FolderNode, FolderPath } from './folder-node.ts';

export class FolderUnreadable extends Error {
  readonly code: string;
  constructor(path: string, code: string) {
    super(`cannot read the folder "${path}" (${code})`);
    this.code = code;
  }
}

/** For what can be read if it is tried again. */
export const passingCode = 'EAGAIN';

export function listOrThrow(
  path: FolderPath,
  kept: KeptFolder | undefined,
  trustsStamps: boolean,
): MaybePromise<FolderListing> {
  const unreadable = (error: unknown): never => {
    throw new FolderUnreadable(path.shown, (error as NodeJS.ErrnoException).code ?? String(error));
  };
  try {
    const listing = listFolder(path, kept, trustsStamps);
    return listing instanceof Promise ? listing.catch(unreadable) : listing;
  } catch (error) {
    return unreadable(error);
  }
}

/** One folder that cannot be read must not hide its siblings. */
export function unlessUnreadable(
  work: () => MaybePromise<FolderNode>,
  { real, shown }: FolderPath,
  findings: Finding[],
  onPassing: (real: string) => void,
  previous: FolderNode | undefined,
): MaybePromise<FolderNode | undefined> {
  const onError = (error: unknown): FolderNode | undefined => {
    if (!(error instanceof FolderUnreadable)) throw error;
    if (isPassingCode(error.code)) {
      // The folder is as it was until it can be read again.
      onPassing(real);
      if (previous !== undefined) return previous;
    }
    // Gone between listing and reading: the folder above is read again soon.
    if (!isGone(error.code))
      findings.push(finding('file-unreadable', `the folder cannot be read (${error.code})`, { file: shown }));
    return undefined;
  };
  try {
    const node = work();
    return node instanceof Promise ? node.catch(onError) : node;
  } catch (error) {
    return onError(error);
  }
}

/** `git:REPOSITORY[#REF]`: a Git repository, at an address or on this machine. */

import { given } from '../../given.ts';
import { gitActs } from '../../trust/location-acts.ts';
import { gitOrigin, isGitPath, type OriginGit, parseGitOrigin } from '../git-origin.ts';
import { isLoopbackName } from '../http-address.ts';
import type { OriginKind } from '../origin-kind.ts';
import { textField } from '../place-fields.ts';

export interface GitLocation {
  readonly kind: 'git';
  readonly repository: string;
  readonly ref?: string;
}

const allowsHttp =
  (insecureHttp: boolean) =>
  (hostname: string): boolean =>
    insecureHttp || isLoopbackName(hostname);

export const git: OriginKind<GitLocation, OriginGit> = {
  key: 'git',
  prefixed: {
    prefixes: ['git:'],
    parse: (text, prefix, insecureHttp) => parseGitOrigin(text.slice(prefix.length), allowsHttp(insecureHttp)),
  },
  spec: 'repository',
  location: ({ repository, ref }, path) => ({
    kind: 'git',
    repository: isGitPath(repository) ? path(repository) : repository,
    ...given({ ref }),
  }),
  read(fields, insecureHttp) {
    const ref = fields.ref === undefined ? undefined : textField(fields, 'ref');
    const { repository } = gitOrigin(textField(fields, 'repository'), ref, allowsHttp(insecureHttp));
    return { kind: 'git', repository, ...given({ ref }) };
  },
  text: ({ repository, ref }) => `git:${repository}${ref === undefined ? '' : `#${ref}`}`,
  resolved: (location, resolve) =>
    isGitPath(location.repository) ? { ...location, repository: resolve(location.repository) } : location,
  local: false,
  polled: true,
  credentials: 'environment',
  acts: ({ repository }, around) => gitActs(repository, around),
  async open({ repository, ref }, { guarded = false, env = process.env, timeoutMs, agentFolders }) {
    const { openGit } = await import('../open-git.ts');
    return openGit({
      repository,
      env,
      credentials: guarded ? 'none' : 'user',
      privateHost: !guarded,
      ...given({ ref, timeoutMs, agentFolders }),
    });
  },
};

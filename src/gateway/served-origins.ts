/** The parts of a server: folders, mirrored origins, and the configuration. */
import type { NamedOrigin } from '../origins/named-origin.ts';
import type { ServingPolicy } from '../policy/serving-policy.ts';
import type { DirectoryRoot } from '../sources/directory/directory-root.ts';
import type { Configuration } from './configuration.ts';

export interface ServedOrigins {
  /** Plain folders. */
  readonly roots: readonly DirectoryRoot[];
  /** All other origins. */
  readonly mirrors: readonly NamedOrigin[];
  /** True if mirrors win when two origins have the same URI. */
  readonly mirrorsFirst: boolean;
  /** True if the configuration alone decides what is served, so reloads apply. */
  readonly fromFile: boolean;
  readonly found: ServedConfiguration | undefined;
}

export interface ServedConfiguration {
  /** Absolute path; absent if a program passed the configuration. */
  readonly file?: string;
  /** Absolute base of relative paths if there is no file. */
  readonly base?: string;
  readonly configuration: Configuration;
}

/** True if plain folders are not enough. */
export function needsGateway({ mirrors, found }: ServedOrigins): boolean {
  return mirrors.length > 0 || servingPolicyOf(found?.configuration) !== undefined;
}

/** The policy of a server. Without one, trusted signers alone have people see who signed, and notice another signer. */
export function servingPolicyOf(configuration: Pick<Configuration, 'policy' | 'signers'> | undefined) {
  const { policy, signers = [] } = configuration ?? {};
  return policy ?? (signers.length > 0 ? noRules : undefined);
}

const noRules: ServingPolicy = {};

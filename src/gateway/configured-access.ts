/** From the profiles of a configuration and the tokens of a state to who may use a server. Follows a configuration that is replaced. */
import { createProfile, type Profile } from '../serving/access/profile.ts';
import type { ServeAccess } from '../serving/access/serve-access.ts';
import { createTokenBook } from '../serving/access/token-book.ts';
import type { Store } from '../store/store.ts';
import type { Configuration } from './configuration.ts';
import type { ConfiguredProfile } from './serving-schema.ts';

export interface ConfiguredServeAccess extends ServeAccess {
  /** Profiles that stay as they are keep their surfaces, and the streams of these. */
  use(configuration: AccessConfiguration): void;
}

type AccessConfiguration = Pick<Configuration, 'profiles' | 'access'>;

/** Whether a configuration asks callers for tokens: it has profiles, or says what those without a token may see. */
export function asksForTokens({ profiles, access }: AccessConfiguration): boolean {
  return profiles !== undefined || access !== undefined;
}

export function configuredAccess(
  configuration: AccessConfiguration,
  store: Pick<Store, 'state' | 'audit'>,
): ConfiguredServeAccess {
  const { verify } = createTokenBook(store);
  let { access } = configuration;
  let taken = 0;
  let profiles = profilesOf(configuration.profiles ?? [], new Map());
  return {
    verify,
    profile: (name) => profiles.get(name)?.profile,
    get anonymous() {
      return access?.anonymous;
    },
    get url() {
      return access?.url;
    },
    revision: async () => `${taken} ${await store.state.revision()}`,
    use(next) {
      taken++;
      access = next.access;
      profiles = profilesOf(next.profiles ?? [], profiles);
    },
  };
}

interface Made {
  readonly profile: Profile;
  /** The rules it was made of. */
  readonly rules: string;
}

function profilesOf(
  configured: readonly ConfiguredProfile[],
  before: ReadonlyMap<string, Made>,
): ReadonlyMap<string, Made> {
  return new Map(
    configured.map(({ name, ...rules }) => {
      const text = JSON.stringify(rules);
      const known = before.get(name);
      return [name, known?.rules === text ? known : { profile: createProfile(name, rules), rules: text }];
    }),
  );
}

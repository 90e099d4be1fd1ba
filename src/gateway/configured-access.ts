/** Decides who may use a server, from the profiles of the configuration and the tokens in the state. Supports reloads. */
import { createProfile, type Profile } from '../serving/access/profile.ts';
import type { ServeAccess } from '../serving/access/serve-access.ts';
import { createTokenBook } from '../serving/access/token-book.ts';
import type { Store } from '../store/store.ts';
import type { Configuration } from './configuration.ts';
import type { ConfiguredProfile } from './serving-schema.ts';

export interface ConfiguredServeAccess extends ServeAccess {
  /** Unchanged profiles keep their surfaces and open streams. */
  use(configuration: AccessConfiguration): void;
}

type AccessConfiguration = Pick<Configuration, 'profiles' | 'access'>;

export function configuredAccess(
  configuration: AccessConfiguration,
  store: Pick<Store, 'state' | 'audit'>,
): ConfiguredServeAccess {
  const { verify } = createTokenBook(store);
  let { access } = configuration;
  let applied = 0;
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
    revision: async () => `${applied} ${await store.state.revision()}`,
    use(next) {
      applied++;
      access = next.access;
      profiles = profilesOf(next.profiles ?? [], profiles);
    },
  };
}

interface BuiltProfile {
  readonly profile: Profile;
  /** JSON of the rules it was built from. */
  readonly rules: string;
}

function profilesOf(
  configured: readonly ConfiguredProfile[],
  before: ReadonlyMap<string, BuiltProfile>,
): ReadonlyMap<string, BuiltProfile> {
  return new Map(
    configured.map(({ name, ...rules }) => {
      const text = JSON.stringify(rules);
      const known = before.get(name);
      return [name, known?.rules === text ? known : { profile: createProfile(name, rules), rules: text }];
    }),
  );
}

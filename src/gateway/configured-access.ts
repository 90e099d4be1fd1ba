/**
 * Decides who may use a server. Callers have one of our own tokens, whose hashes are in the state, or an identity from a configured
 * provider. Supports reloads.
 */
import { createBoundedCache } from '../async/bounded-cache.ts';
import { limits } from '../limits.ts';
import { scopesFor } from '../serving/access/oidc/claim-rules.ts';
import type { Identity } from '../serving/access/oidc/identity-provider.ts';
import { pageVault } from '../serving/access/page-vault.ts';
import { createProfile, type Profile } from '../serving/access/profile.ts';
import { createRevocations } from '../serving/access/revocations.ts';
import type { Caller, ServeAccess } from '../serving/access/serve-access.ts';
import { type SignedInPeople, storedSessions } from '../serving/access/stored-sessions.ts';
import { createTokenBook, mintToken, tokenId } from '../serving/access/token-book.ts';
import { sameJson } from '../skill/json.ts';
import type { Store } from '../store/store.ts';
import type { Configuration } from './configuration.ts';
import type { IdentitySurroundings, OpenedIdentity } from './configured-identity.ts';
import type { ConfiguredProfile } from './serving-schema.ts';

export interface ConfiguredServeAccess extends ServeAccess {
  /** Checks a configuration before `use()`. @throws SkillwireError USAGE if a secret is not set */
  check(configuration: AccessConfiguration): Promise<void>;
  /** Unchanged profiles keep their surfaces and open streams, and unchanged providers their keys. */
  use(configuration: AccessConfiguration): void;
  close(): void;
}

type AccessConfiguration = Pick<Configuration, 'profiles' | 'access'>;

export type AccessSurroundings = Pick<IdentitySurroundings, 'env' | 'digest' | 'report'>;

type IdentityModule = typeof import('./configured-identity.ts');

/** @throws SkillwireError USAGE if a secret is not set */
export async function configuredAccess(
  configuration: AccessConfiguration,
  store: Pick<Store, 'state' | 'audit' | 'temporary' | 'health'>,
  surroundings: AccessSurroundings,
): Promise<ConfiguredServeAccess> {
  const book = createTokenBook(store);
  const revocations = createRevocations(store);
  const people = signedInPeople();
  let { access } = configuration;
  let applied = 0;
  let profiles = profilesOf(configuration.profiles ?? [], new Map());
  let module: IdentityModule | undefined;
  await check(configuration);
  let identity = open(configuration);
  /** Callers with one of our own tokens, by its text. They count while nothing is written. */
  const known = createBoundedCache<string, { readonly revision: number; readonly caller: Caller }>(
    limits.access.knownTokens,
  );

  async function check({ access: next }: AccessConfiguration): Promise<void> {
    if (next?.oidc === undefined) return;
    module ??= await import('./configured-identity.ts');
    module.identityProviders(next.oidc, surroundings.env);
  }

  function open({ access: next }: AccessConfiguration): OpenedIdentity | undefined {
    if (next?.oidc === undefined) return undefined;
    const url = (): string => access?.url ?? '';
    return module?.openIdentity(next.oidc, { ...surroundings, url, remember: (person) => people.add(person) });
  }

  async function callerOf(token: string): Promise<Caller | undefined> {
    const person = people.of(token);
    if (person !== undefined) return identity?.tokens.callerOf(person);
    return identity === undefined || tokenId(token) !== undefined ? book.verify(token) : identity.tokens.verify(token);
  }

  async function verifyNow(token: string, revision: number | undefined): Promise<Caller | undefined> {
    const caller = await callerOf(token);
    if (caller === undefined || (await revocations.covers(caller))) return undefined;
    // Tokens of others also end with the keys of their issuer.
    const isOurs = caller.subject === undefined && tokenId(token) !== undefined;
    if (isOurs && revision !== undefined) known.put(token, { revision, caller }, 1);
    return caller;
  }

  return {
    verify(token) {
      // Taken before the token is read, so a write in between makes it outdated.
      const revision = store.state.current();
      const last = revision === undefined ? undefined : known.get(token);
      return last !== undefined && last.revision === revision ? last.caller : verifyNow(token, revision);
    },
    profile: (name) => profiles.get(name)?.profile,
    get anonymous() {
      return access?.anonymous;
    },
    get url() {
      return access?.url;
    },
    get issuers() {
      return (identity?.providers ?? []).map(({ issuer }) => issuer);
    },
    get offeredScopes() {
      return [...new Set((identity?.providers ?? []).flatMap(({ scopes }) => scopes))];
    },
    scopesFor(right, { subject }) {
      const provider = identity?.providers.find(({ issuer }) => issuer === subject?.issuer);
      return provider === undefined ? [] : scopesFor(provider.rules, right);
    },
    get signIn() {
      return identity?.signIn;
    },
    // The stores of one machine have temporary values in this process, as sessions are anyway.
    sessions: store.health().kind === 'postgres' ? storedSessions(pageVault(store.temporary), people) : undefined,
    revision: async () => `${applied} ${await store.state.revision('projection')}`,
    check,
    use(next) {
      const before = identity;
      if (!sameJson(next.access?.oidc, access?.oidc)) identity = open(next);
      if (identity !== before) before?.close();
      applied++;
      access = next.access;
      profiles = profilesOf(next.profiles ?? [], profiles);
    },
    close: () => identity?.close(),
  };
}

function signedInPeople(): SignedInPeople {
  const people = new Map<string, Identity>();
  return {
    of(token: string): Identity | undefined {
      const found = people.get(token);
      if (found === undefined || found.expiresAt * 1000 > Date.now()) return found;
      people.delete(token);
      return undefined;
    },
    add(identity: Identity): string {
      const { token } = mintToken();
      people.set(token, identity);
      const [oldest] = people.keys();
      if (people.size > limits.page.sessions && oldest !== undefined) people.delete(oldest);
      return token;
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

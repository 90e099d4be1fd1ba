/** The login of a program's user, for programs that use Skillwire as a library. */
import type { ClientChoice } from '../../credentials/client-registration.ts';
import { SkillwireError } from '../../errors.ts';
import { locationText, type OriginLocation } from '../../origins/kinds.ts';
import { storedLogins } from '../../origins/stored-logins.ts';
import type { PrivateRecords } from '../../store/private-records.ts';
import { usersLogins } from '../users-logins.ts';
import { loginToOrigin } from './login-to-origin.ts';

/** Options of `logIn()`. */
export interface LogInOptions extends ClientChoice {
  /** Opens this address in the person's browser, on this machine. */
  readonly open: (url: URL) => void | Promise<void>;
  /** The store for the login. Default: the user's state, as `skillwire login`. */
  readonly tokens?: PrivateRecords;
  /** A separate folder for the state, as `--state`. */
  readonly state?: string;
  /** In place of the scopes that the origin asks for. */
  readonly scope?: string;
  /** The authorization server, if the origin names several or it is in a private network. */
  readonly issuer?: string;
  /** False for servers that refuse resource indicators, such as Entra ID. */
  readonly sendResource?: boolean;
  /** The port of the redirect address on this machine. Default: any free one. */
  readonly callbackPort?: number;
  readonly signal?: AbortSignal;
}

/** @throws SkillwireError USAGE for origins without logins */
export async function logInTo(location: OriginLocation, { open, tokens, state, ...options }: LogInOptions) {
  if (location.kind !== 'mcp' && location.kind !== 'site')
    throw new SkillwireError('USAGE', `Cannot log in to "${locationText(location)}". Name mcp:URL or a site.`);
  const logins =
    tokens === undefined
      ? await usersLogins({ state }, { cwd: process.cwd(), env: process.env })()
      : storedLogins(tokens);
  const { url, kind } = location;
  const { signal = new AbortController().signal, ...choice } = options;
  await loginToOrigin(
    {
      ...choice,
      url,
      kind,
      origin: locationText(location),
      signal,
      async show(address) {
        await open(address);
        return undefined;
      },
      showCode: () => undefined,
    },
    logins,
  );
}

import { createProfile, serve, type VerifyToken } from 'skillwire/node';

const team = createProfile('team', { origins: ['team'] });
const issuer = 'https://login.example.com/';

/** Asks the authorization server about a token (RFC 7662). */
const verify: VerifyToken = async (token) => {
  const body = new URLSearchParams({ token });
  const answer = await fetch(process.env.INTROSPECTION ?? `${issuer}introspect`, { method: 'POST', body });
  const { active, sub, scope, exp } = (await answer.json()) as {
    active: boolean;
    sub: string;
    scope: string;
    exp: number;
  };
  return active ? { id: sub, profile: 'team', scopes: scope.split(' '), expiresAt: exp } : undefined;
};

export const handle = await serve({
  roots: [{ path: './skills' }, { path: './team', label: 'team' }],
  http: { host: '127.0.0.1', port: 0 },
  access: {
    verify,
    profile: (name) => (name === team.name ? team : undefined),
    requiredScopes: ['skills'],
    authorizationServer: {
      issuer,
      authorization_endpoint: `${issuer}authorize`,
      token_endpoint: `${issuer}token`,
      response_types_supported: ['code'],
    },
  },
});

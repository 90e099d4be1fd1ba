import { SkillwireError } from '../errors.ts';

/** What is stored is shown again, so a key in the address is refused here already. */
export function refuseSecretInUrl(url: string): void {
  const secret = [...new URL(url).searchParams.keys()].find((name) =>
    /(?:^|[-_.])(?:(?:api|access|auth)?[-_.]?(?:key|token)|secret|password|passwd|signature|sig)$/i.test(name),
  );
  if (secret === undefined) return;
  throw new SkillwireError(
    'USAGE',
    `the address has the parameter "${secret}", which looks like a secret, and would be stored; ` +
      'send it as a header with --token-env or --header',
    { data: { parameter: secret } },
  );
}

/** Addresses as users write them: checked and normalized, and never repeated with a user or a password in them. */
import { SkillwireError } from '../errors.ts';

/** True for host names that mean this machine, as a URL has them. */
export function isLoopbackName(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

/** An `http:` address of another machine; it passed the border because the user said so. */
export function isPlainHttp(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !isLoopbackName(hostname);
}

/** @throws SkillwireError USAGE */
export function httpUrl(prefix: string, written: string, insecureHttp: boolean, example: string): URL {
  const origin = `${prefix}${withoutUser(written)}`;
  const refuse = (fault: string, remedy: string): SkillwireError =>
    new SkillwireError('USAGE', `cannot read "${origin}": ${fault}; ${remedy}`, { data: { origin } });
  if (!URL.canParse(written))
    throw refuse(prefix === '' ? 'it is not an address' : `what follows "${prefix}" is not an address`, example);
  const url = new URL(written);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw refuse(`"${url.protocol}" is not HTTP`, example);
  if (url.username !== '' || url.password !== '') {
    throw refuse(
      'an address with a user or a password shows them to everybody who sees the command line',
      'put the secret into an environment variable and name it with --token-env or --header',
    );
  }
  if (url.hash !== '') throw refuse('the address of a server has no fragment ("#")', 'remove it');
  if (url.protocol === 'http:' && !insecureHttp && !isLoopbackName(url.hostname)) {
    throw refuse(
      `"http:" to "${url.hostname}" can be read and changed on the way`,
      'use https:, or add --insecure-http if you trust every network in between',
    );
  }
  return url;
}

/** The address as it may be shown. */
export function withoutUser(address: string): string {
  return address.replace(/\/\/[^/?#]*@/, '//***@');
}

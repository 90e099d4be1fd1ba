/** Checks and normalizes the addresses that users write. Messages never repeat a user name or a password. */
import { SkillwireError } from '../errors.ts';

/** True for host names that mean this machine. */
export function isLoopbackName(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

/** True for an `http:` address of another machine, which the user allowed. */
export function isPlainHttp(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !isLoopbackName(hostname);
}

/** @param origin as it may be shown; a remedy is one sentence */
export function cannotRead(origin: string, fault: string, remedy: string): SkillwireError {
  return new SkillwireError('USAGE', `Cannot read "${origin}": ${fault}. ${remedy}`, { data: { origin } });
}

/** @throws SkillwireError USAGE */
export function httpUrl(prefix: string, written: string, insecureHttp: boolean, example: string): URL {
  const refuse = (fault: string, remedy: string): SkillwireError =>
    cannotRead(`${prefix}${withoutUser(written)}`, fault, remedy);
  if (!URL.canParse(written))
    throw refuse(prefix === '' ? 'it is not an address' : `what follows "${prefix}" is not an address`, example);
  const url = new URL(written);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw refuse(`"${url.protocol}" is not HTTP`, example);
  if (url.username !== '' || url.password !== '') {
    throw refuse(
      'a user or a password in an address is visible to everybody who sees the command line',
      'Put the secret into an environment variable and name it with --token-env or --header.',
    );
  }
  if (url.hash !== '') throw refuse('the address of a server has no fragment ("#")', 'Remove it.');
  if (url.protocol === 'http:' && !insecureHttp && !isLoopbackName(url.hostname)) {
    throw refuse(
      `"http:" to "${url.hostname}" can be read and changed on the way`,
      'Use https:, or add --insecure-http if you trust every network in between.',
    );
  }
  return url;
}

/** The address as it may be shown. */
export function withoutUser(address: string): string {
  return address.replace(/\/\/[^/?#]*@/, '//***@');
}

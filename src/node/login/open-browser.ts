/** Opens an address in the system's browser, without a shell. */
import { spawn } from 'node:child_process';

type Environment = Readonly<Record<string, string | undefined>>;

function command(platform: string, env: Environment): readonly [string, ...string[]] {
  if (env['BROWSER'] !== undefined && env['BROWSER'] !== '') return [env['BROWSER']];
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return ['xdg-open'];
}

/** @returns a promise that resolves only if no page opens: the program is missing, or ended with a failure (xdg-open without a desktop does) */
export function openBrowser(url: URL, env: Environment, platform: string = process.platform): Promise<void> {
  const [program, ...args] = command(platform, env);
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url.href], { stdio: 'ignore', detached: true, env: { ...env } });
    child.once('error', () => resolve());
    child.once('exit', (code) => {
      if (code !== 0) resolve();
    });
    child.unref();
  });
}

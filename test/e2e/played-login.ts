/** A login to a protected server, as part of playing every command. */
import { startProtectedServer } from '../protected-server.ts';
import type { Play } from './played-commands.ts';

export async function playLogin({ run }: Play): Promise<void> {
  const server = await startProtectedServer();
  const origin = `mcp:${server.url}`;
  try {
    await run('whoami', 'whoami');
    await run('error', 'login', origin, '--issuer', 'https://other.example');
    await run('login', 'login', origin);
    await run('whoami', 'whoami');
    await run('list', 'list', origin);
    await run('logout', 'logout');
    await run('logout', 'logout');
  } finally {
    await server.close();
  }
}

import { createServer } from 'node:net';

/** Below the ports that systems give to connections on their own, which would be taken again at once. */
const [least, most] = [15_000, 32_000];

/** A port on which nothing listens now, for a program that needs one as an argument. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = least + Math.floor(Math.random() * (most - least));
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const listens = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
  if (listens) await new Promise((resolve) => void server.close(resolve));
  return listens;
}

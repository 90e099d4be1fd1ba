import { createServer } from 'node:net';

/** A port on which nothing listens now, for a program that needs one as an argument. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as { port: number };
  await new Promise<unknown>((resolve) => {
    server.close(resolve);
  });
  return port;
}

import { serveConfiguration } from 'skillwire/gateway';

export const handle = await serveConfiguration('./skillwire.json', {
  http: { host: '127.0.0.1', port: Number(process.env.PORT ?? 8080) },
  log: { line: console.error, event: console.error },
});
await handle.catalog.snapshot();
console.log(`skills at ${handle.mcp}`);
process.once('SIGTERM', () => handle.close());

import { serve } from 'skillwire/node';

export const handle = await serve({
  roots: [{ path: './skills' }, { path: './team', label: 'team' }],
  rules: [{ match: 'drafts/', listed: false }],
  http: { host: '127.0.0.1', port: 0 },
});
console.log(`skills at ${handle.mcp}`);

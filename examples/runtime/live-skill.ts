import { freemem, totalmem } from 'node:os';
import { createRuntime } from 'skillwire/runtime';

export const runtime = createRuntime({ url: process.env.HUB ?? 'ws://127.0.0.1:4711', id: 'my-machine' });
runtime.expose('/memory/skill.md', { description: 'How much memory this machine has left' }, () => {
  const left = Math.round((100 * freemem()) / totalmem());
  return `# Memory\n\n${left} % is free. Below 10 %, do not start builds.`;
});
await runtime.connect();

import { createCatalog, memorySource } from 'skillwire';

const skills = memorySource();
skills.add(
  'reports/daily',
  { description: 'Figures of today. Use when asked for the daily report.' },
  async ({ principal, clientCapabilities, signal }) => {
    signal?.throwIfAborted();
    const reader = principal?.id ?? 'anybody';
    return `# Today, for ${reader}\n\nThe client declares ${Object.keys(clientCapabilities ?? {}).length} capabilities.\n`;
  },
);
export const catalog = createCatalog(skills);

import { logIn, memoryTokens, openHost } from 'skillwire/host';

/** Logs in to a protected server, and names the skills that the login may read. */
export async function protectedSkills(origin: string, open: (url: URL) => Promise<void>): Promise<string[]> {
  const tokens = memoryTokens();
  await logIn(origin, { tokens, open });
  const host = await openHost([origin], { tokens });
  const { skills } = await host.discover();
  await host.close();
  return skills.map(({ name }) => name);
}

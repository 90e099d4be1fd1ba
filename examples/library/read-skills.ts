import { openHost } from 'skillwire/host';

export async function readSkills(origin: string): Promise<void> {
  const host = await openHost([origin], { decide: async () => ({ allow: true, reason: 'a demonstration' }) });
  const { skills } = await host.discover();
  for (const { name, description, label } of skills) console.log(`${name} (${label}): ${description}`);
  console.log((await host.load(skills[0]?.uri ?? '')).text);
  await host.close();
}

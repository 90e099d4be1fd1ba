import type { Client } from '@modelcontextprotocol/client';
import { downloadSkill, listSkills, readSkillUri } from 'skillwire/host';

export async function fetchFirst(client: Client, folder: string): Promise<string> {
  const { skills } = await listSkills(client);
  const [skill] = skills;
  if (skill === undefined) return 'no skills';
  await downloadSkill(client, skill.uri, folder);
  const { bytes } = await readSkillUri(client, skill.uri);
  return new TextDecoder().decode(bytes);
}

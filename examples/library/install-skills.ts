import { openHost } from 'skillwire/host';
import { getManifest, syncSkills } from 'skillwire/sync';

const host = await openHost(['docs=./skills']);
for (const { name, description } of (await host.discover()).skills) console.log(`${name}: ${description}`);
export const { files } = await getManifest(host, 'pdf-tools');
export const installed = await syncSkills(host, {
  skills: ['pdf-tools'],
  agents: ['claude-code'],
  decide: async (offers) => ({ allow: offers.every(({ executables }) => executables.length === 0) }),
});
await host.close();

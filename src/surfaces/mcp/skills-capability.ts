/** How a server declares skills to clients and models (SEP-2640), and what clients declare. */
import { offeredSkills } from '../../catalog/offered-skills.ts';
import type { SkillRecord, Snapshot } from '../../catalog/snapshot.ts';
import { anyEntryExtensionId } from '../../dialects/skills-extension/capability.ts';
import { isJsonObject } from '../../skill/json.ts';

export const skillsExtensionId = 'io.modelcontextprotocol/skills';

export const skillsCapability: { readonly [skillsExtensionId]: { readonly directoryRead: true } } = {
  [skillsExtensionId]: { directoryRead: true },
};

/** True if the client declares the extension. */
export function declaresSkills(clientCapabilities: Readonly<Record<string, unknown>> | undefined): boolean {
  return declares(clientCapabilities, skillsExtensionId);
}

/** The skills in `skills/list` for a client: all listed ones if the client declares that it checks each entry by itself. */
export function listedFor(
  snapshot: Snapshot,
  clientCapabilities: Readonly<Record<string, unknown>> | undefined,
): readonly SkillRecord[] {
  return declares(clientCapabilities, anyEntryExtensionId) ? snapshot.listed : offeredSkills(snapshot);
}

function declares(clientCapabilities: Readonly<Record<string, unknown>> | undefined, id: string): boolean {
  const extensions = clientCapabilities?.['extensions'];
  return isJsonObject(extensions) && Object.hasOwn(extensions, id);
}

/** Most clients support resources but not the extension, so the text names both ways. */
export function skillsInstructions(count: number | undefined): string {
  const skills = count === undefined ? 'skills' : count === 1 ? '1 skill' : `${count} skills`;
  return (
    `This server offers ${skills} (instructions for tasks): find them with skills/list or resources/list, ` +
    'and read the SKILL.md URI of the one that fits the task with resources/read before you begin.'
  );
}

/** How a server says that it serves skills (SEP-2640), to programs and to models; and what clients say about themselves. */
import { offeredSkills } from '../../catalog/offered-skills.ts';
import type { SkillRecord, Snapshot } from '../../catalog/snapshot.ts';
import { anyEntryExtensionId } from '../../dialects/skills-extension/capability.ts';
import { isJsonObject } from '../../skill/json.ts';

export const skillsExtensionId = 'io.modelcontextprotocol/skills';

export const skillsCapability: { readonly [skillsExtensionId]: { readonly directoryRead: true } } = {
  [skillsExtensionId]: { directoryRead: true },
};

/** Whether a client said that it knows the extension. */
export function declaresSkills(clientCapabilities: Readonly<Record<string, unknown>> | undefined): boolean {
  return declares(clientCapabilities, skillsExtensionId);
}

/** The skills that `skills/list` shows to a client: all listed ones if it declares that it checks entry by entry. */
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

/** Most hosts know resources but not the extension, so the model is told of both ways. */
export function skillsInstructions(count: number | undefined): string {
  const skills = count === undefined ? 'skills' : count === 1 ? '1 skill' : `${count} skills`;
  return (
    `This server offers ${skills} (instructions for tasks): find them with skills/list or resources/list, ` +
    'and read the SKILL.md URI of the one that fits the task with resources/read before you begin.'
  );
}

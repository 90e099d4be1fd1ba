/** How a server says that it serves skills (SEP-2640), to programs and to models. */

export const skillsExtensionId = 'io.modelcontextprotocol/skills';

export const skillsCapability: { readonly [skillsExtensionId]: { readonly directoryRead: true } } = {
  [skillsExtensionId]: { directoryRead: true },
};

/** Whether a client said that it knows the extension. */
export function declaresSkills(clientCapabilities: Readonly<Record<string, unknown>> | undefined): boolean {
  const extensions = clientCapabilities?.['extensions'];
  return typeof extensions === 'object' && extensions !== null && skillsExtensionId in extensions;
}

/** Most hosts know resources but not the extension, so the model is told of both ways. */
export function skillsInstructions(count: number | undefined): string {
  const skills = count === undefined ? 'skills' : count === 1 ? '1 skill' : `${count} skills`;
  return (
    `This server offers ${skills} (instructions for tasks): find them with skills/list or resources/list, ` +
    'and read the SKILL.md URI of the one that fits the task with resources/read before you begin.'
  );
}

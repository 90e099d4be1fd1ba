/** Where agents look for skills: folders below the home of the user, and below a project and each folder above it. */

export interface SkillFoldersPlace {
  readonly home: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const ofUser = [
  '.agents/skills',
  '.claude/skills',
  '.codex/skills',
  '.gemini/skills',
  '.gemini/antigravity/skills',
  '.gemini/antigravity-cli/skills',
  '.cursor/skills',
  '.copilot/skills',
  '.config/goose/skills',
  '.config/agents/skills',
  '.config/opencode/skills',
  '.config/crush/skills',
  '.config/devin/skills',
  '.codeium/windsurf/skills',
  '.roo/skills',
  '.kiro/skills',
  '.openclaw/skills',
  '.factory/skills',
  '.kilo/skills',
  '.deepagents/agent/skills',
  '.firebender/skills',
  '.continue/skills',
  '.junie/skills',
  '.qwen/skills',
  '.trae/skills',
  '.augment/skills',
  '.openhands/skills',
  '.grok/skills',
  '.vibe/skills',
  '.hermes/skills',
  '.tabnine/agent/skills',
  '.posit/assistant/skills',
] as const;

const ofProject = [
  '.agents/skills',
  '.claude/skills',
  '.cursor/skills',
  '.goose/skills',
  '.opencode/skills',
  '.windsurf/skills',
  '.roo/skills',
  '.kiro/skills',
  '.devin/skills',
  'skills',
] as const;

/** Variables that move the folder of an agent. */
const moved = ['CLAUDE_CONFIG_DIR', 'GROK_HOME', 'VIBE_HOME', 'HERMES_HOME'] as const;

/** Every folder that some agent would look into, whether or not it exists. */
export function skillFolders({ home, cwd, env }: SkillFoldersPlace): readonly string[] {
  const folders = ofUser.map((folder) => `${home}/${folder}`);
  for (const name of moved) if (env[name]) folders.push(`${env[name]}/skills`);
  for (const folder of upwards(cwd)) folders.push(...ofProject.map((below) => `${folder}/${below}`));
  return folders;
}

function* upwards(folder: string): Iterable<string> {
  for (let current = folder.replace(/[\\/]+$/, ''); current !== ''; current = current.replace(/[\\/]*[^\\/]*$/, ''))
    yield current;
}

/**
 * The known agents as data: where each looks for skills, and how to detect it. As of November 2026; this changes monthly, so the
 * configuration key `agents` can add and replace rows. `readsShared.global` is true only if the agent's documentation or installer says so:
 * an extra link does no harm, but an unseen skill does.
 */
import { limits } from '../limits.ts';

const shared = '.agents/skills';
const sharedOfUser = '~/.agents/skills';

type Rest = Partial<Pick<Agent, 'home' | 'alsoReads' | 'copyOnly' | 'listingCharacters'>>;

/** Has its own folders and does not read the shared ones. */
function apart(
  id: string,
  name: string,
  projectFolder: string,
  globalFolder: string,
  detect: string[],
  rest: Rest = {},
): Agent {
  return { id, name, projectFolder, globalFolder, readsShared: { project: false, global: false }, detect, ...rest };
}

/** Reads the shared folder of a project, and that of the user if `globalFolder` is it or `global` is set. */
function sharing(
  id: string,
  name: string,
  globalFolder: string,
  detect: string[],
  rest: Rest & { global?: true } = {},
): Agent {
  const { global = globalFolder === sharedOfUser, ...more } = rest;
  return { id, name, projectFolder: shared, globalFolder, readsShared: { project: true, global }, detect, ...more };
}

/** The most common case: `.x/skills` in a project, `~/.x/skills` of the user, detected by `~/.x`. */
function dotted(id: string, name: string, folder: string, rest: Rest = {}): Agent {
  return apart(id, name, `${folder}/skills`, `~/${folder}/skills`, [`~/${folder}`], rest);
}

// biome-ignore format: one agent per line
export const agentRows: readonly Agent[] = [
  dotted('claude-code', 'Claude Code', '.claude', { home: { variable: 'CLAUDE_CONFIG_DIR', replaces: '~/.claude' } }),
  sharing('codex', 'Codex', sharedOfUser, ['~/.codex', '/etc/codex'], { home: { variable: 'CODEX_HOME', replaces: '~/.codex' }, alsoReads: ['~/.codex/skills', '/etc/codex/skills'], listingCharacters: limits.agents.codexListingCharacters }),
  sharing('gemini-cli', 'Gemini CLI', '~/.gemini/skills', ['~/.gemini'], { global: true, alsoReads: ['.gemini/skills'] }),
  sharing('cursor', 'Cursor', '~/.cursor/skills', ['~/.cursor'], { alsoReads: ['.cursor/skills', '.claude/skills', '~/.claude/skills', '~/.codex/skills'] }),
  sharing('github-copilot', 'GitHub Copilot', '~/.copilot/skills', ['~/.copilot'], { global: true, alsoReads: ['.github/skills', '.claude/skills', '~/.claude/skills'] }),
  apart('goose', 'goose', '.goose/skills', '~/.config/goose/skills', ['~/.config/goose'], { alsoReads: ['~/.config/agents/skills'] }),
  sharing('opencode', 'OpenCode', '~/.config/opencode/skills', ['~/.config/opencode'], { global: true, alsoReads: ['.opencode/skills', '.claude/skills', '~/.claude/skills'] }),
  apart('windsurf', 'Windsurf', '.windsurf/skills', '~/.codeium/windsurf/skills', ['~/.codeium/windsurf']),
  dotted('roo', 'Roo Code', '.roo'),
  dotted('kiro-cli', 'Kiro CLI', '.kiro'),
  { ...apart('openclaw', 'OpenClaw', 'skills', '~/.openclaw/skills', ['~/.openclaw', '~/.clawdbot', '~/.moltbot']), readsShared: { project: true, global: true } },
  sharing('cline', 'Cline', sharedOfUser, ['~/.cline']),
  sharing('zed', 'Zed', sharedOfUser, ['~/.config/zed']),
  sharing('warp', 'Warp', sharedOfUser, ['~/.warp']),
  sharing('amp', 'Amp', '~/.config/agents/skills', ['~/.config/amp']),
  sharing('droid', 'Droid', '~/.factory/skills', ['~/.factory']),
  sharing('antigravity', 'Antigravity', '~/.gemini/antigravity/skills', ['~/.gemini/antigravity']),
  sharing('antigravity-cli', 'Antigravity CLI', '~/.gemini/antigravity-cli/skills', ['~/.gemini/antigravity-cli']),
  sharing('kilo', 'Kilo Code', '~/.kilo/skills', ['~/.kilo', '~/.kilocode']),
  sharing('kimi-code-cli', 'Kimi Code CLI', sharedOfUser, ['~/.kimi-code', '~/.kimi']),
  sharing('pi', 'Pi', sharedOfUser, ['~/.pi/agent']),
  dotted('qwen-code', 'Qwen Code', '.qwen'),
  dotted('continue', 'Continue', '.continue'),
  dotted('junie', 'Junie', '.junie'),
  dotted('trae', 'Trae', '.trae'),
  apart('trae-cn', 'Trae CN', '.trae/skills', '~/.trae-cn/skills', ['~/.trae-cn']),
  dotted('augment', 'Augment', '.augment'),
  dotted('openhands', 'OpenHands', '.openhands'),
  apart('crush', 'Crush', '.crush/skills', '~/.config/crush/skills', ['~/.config/crush']),
  dotted('grok', 'Grok', '.grok', { home: { variable: 'GROK_HOME', replaces: '~/.grok' } }),
  dotted('mistral-vibe', 'Mistral Vibe', '.vibe', { home: { variable: 'VIBE_HOME', replaces: '~/.vibe' } }),
  dotted('hermes-agent', 'Hermes Agent', '.hermes', { home: { variable: 'HERMES_HOME', replaces: '~/.hermes' } }),
  apart('devin', 'Devin', '.devin/skills', '~/.config/devin/skills', ['~/.config/devin']),
  apart('tabnine-cli', 'Tabnine CLI', '.tabnine/agent/skills', '~/.tabnine/agent/skills', ['~/.tabnine']),
  apart('posit-assistant', 'Posit Assistant', '.posit/assistant/skills', '~/.posit/assistant/skills', ['~/.posit/assistant', '~/.positai']),
  sharing('deepagents', 'Deep Agents', '~/.deepagents/agent/skills', ['~/.deepagents'], { global: true, alsoReads: ['.deepagents/skills'] }),
  sharing('firebender', 'Firebender', '~/.firebender/skills', ['~/.firebender']),
  sharing('dexto', 'Dexto', sharedOfUser, ['~/.dexto']),
  sharing('replit', 'Replit', '~/.config/agents/skills', ['.replit']),
  sharing('fx', 'fx', sharedOfUser, ['~/.fx']),
  sharing('loaf', 'Loaf', sharedOfUser, ['~/.loaf']),
  sharing('sarvam-code', 'Sarvam Code', sharedOfUser, ['~/.sarvam'], { home: { variable: 'SARVAM_HOME', replaces: '~/.sarvam' } }),
  dotted('aider-desk', 'AiderDesk', '.aider-desk'),
  apart('astrbot', 'AstrBot', 'data/skills', '~/.astrbot/data/skills', ['~/.astrbot']),
  dotted('autohand-code', 'Autohand Code', '.autohand', { home: { variable: 'AUTOHAND_HOME', replaces: '~/.autohand' } }),
  dotted('bob', 'Bob', '.bob'),
  dotted('codearts-agent', 'CodeArts Agent', '.codeartsdoer'),
  dotted('codebuddy', 'CodeBuddy', '.codebuddy'),
  dotted('codemaker', 'Codemaker', '.codemaker'),
  dotted('codestudio', 'Code Studio', '.codestudio'),
  dotted('command-code', 'Command Code', '.commandcode'),
  apart('cortex', 'Cortex Code', '.cortex/skills', '~/.snowflake/cortex/skills', ['~/.snowflake/cortex']),
  dotted('forgecode', 'ForgeCode', '.forge'),
  dotted('iflow-cli', 'iFlow CLI', '.iflow'),
  dotted('inference-sh', 'inference.sh', '.inferencesh'),
  dotted('jazz', 'Jazz', '.jazz'),
  apart('kimchi', 'Kimchi', '.kimchi/skills', '~/.config/kimchi/harness/skills', ['~/.config/kimchi']),
  dotted('kode', 'Kode', '.kode'),
  dotted('lingma', 'Lingma', '.lingma'),
  dotted('mcpjam', 'MCPJam', '.mcpjam'),
  dotted('minimax-code', 'MiniMax Code', '.minimax'),
  dotted('moxby', 'Moxby', '.moxby'),
  dotted('mux', 'Mux', '.mux'),
  dotted('neovate', 'Neovate', '.neovate'),
  dotted('ona', 'Ona', '.ona'),
  dotted('pochi', 'Pochi', '.pochi'),
  dotted('qoder', 'Qoder', '.qoder'),
  apart('qoder-cn', 'Qoder CN', '.qoder/skills', '~/.qoder-cn/skills', ['~/.qoder-cn']),
  dotted('reasonix', 'Reasonix', '.reasonix'),
  dotted('rovodev', 'Rovo Dev', '.rovodev'),
  dotted('terramind', 'Terramind', '.terramind'),
  dotted('tinycloud', 'TinyCloud', '.tinycloud'),
  dotted('zcode', 'ZCode', '.zcode'),
  dotted('zencoder', 'Zencoder', '.zencoder'),
  apart('zenflow', 'Zenflow', '.zencoder/skills', '~/.zencoder/skills', ['~/.zencoder']),
  dotted('adal', 'AdaL', '.adal'),
  { id: 'eve', name: 'Eve', projectFolder: 'agent/skills', readsShared: { project: false, global: false }, detect: [], copyOnly: true },
  { id: 'promptscript', name: 'PromptScript', projectFolder: shared, readsShared: { project: true, global: false }, detect: ['.promptscript', 'promptscript.yaml'] },
  { id: 'universal', name: 'any agent that reads .agents/skills', projectFolder: shared, globalFolder: sharedOfUser, readsShared: { project: true, global: true }, detect: [] },
];

export interface Agent {
  readonly id: string;
  readonly name: string;
  /** Below the project, with `/`: `.claude/skills`. Absent if the agent has no project skills. */
  readonly projectFolder?: string;
  /** Of the user: `~/.claude/skills`. Absent if the agent has no user skills. */
  readonly globalFolder?: string;
  /** Whether it reads the shared folder itself and needs no link. */
  readonly readsShared: { readonly project: boolean; readonly global: boolean };
  /** Paths that exist if it is installed: `~/…` of the user, absolute, or below the project. */
  readonly detect: readonly string[];
  /** Other folders that it reads, in the form of `detect`. */
  readonly alsoReads?: readonly string[];
  /** An environment variable that moves its user folder. */
  readonly home?: { readonly variable: string; readonly replaces: string };
  /** It rewrites its skills, so it must never get a link. */
  readonly copyOnly?: boolean;
  /** The number of characters of names and descriptions that it lists before it truncates. Absent if unknown. */
  readonly listingCharacters?: number;
}

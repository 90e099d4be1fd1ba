/**
 * The tools of skilljack-mcp, for clients that only know tools: `skill` returns the text of a `SKILL.md`,
 * `skill-resource` a file, the list of files, or a folder of them. An unknown name is an answer with `isError` that
 * lists the available skills, not a protocol error.
 */
import { limits } from '../../limits.ts';
import { didYouMean } from '../../skill/did-you-mean.ts';
import { displayText, quoteText } from '../../skill/display-text.ts';
import { isJsonObject } from '../../skill/json.ts';
import { type AvailableSkill, encodeAvailableSkills } from '../available-skills.ts';
import { relativePathFault } from '../relative-path.ts';

export const skillToolName = 'skill';
export const skillFileToolName = 'skill-resource';

interface TextProperty {
  readonly type: 'string';
  readonly description: string;
}

export interface SkilljackTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: {
    readonly type: 'object';
    readonly properties: Readonly<Record<string, TextProperty>>;
    readonly required: readonly string[];
  };
  readonly annotations: { readonly readOnlyHint: true; readonly idempotentHint: true };
}

export interface ToolText {
  readonly type: 'text';
  readonly text: string;
}

export interface ToolAnswer {
  readonly content: readonly ToolText[];
  readonly isError?: true;
}

const annotations = { readOnlyHint: true, idempotentHint: true } as const;

/** The catalog in the description of the tool; if it changes, the list of tools changes. */
export function skillCatalog(skills: readonly AvailableSkill[]): string {
  const advice = `Load a skill with the tool "${skillToolName}" when a task matches its description.`;
  return ['# Skills', advice, encodeAvailableSkills(skills, 'flat', 'location')].join('\n\n');
}

/** Both tools, with the current skills. */
export function encodeSkillTools(skills: readonly AvailableSkill[]): readonly [SkilljackTool, SkilljackTool] {
  const text = (description: string): TextProperty => ({ type: 'string', description });
  return [
    {
      name: skillToolName,
      title: 'Load a skill',
      description: skillCatalog(skills),
      inputSchema: { type: 'object', properties: { name: text('Name of the skill') }, required: ['name'] },
      annotations,
    },
    {
      name: skillFileToolName,
      title: 'Read a file of a skill',
      description: 'Reads a file of a skill. An empty path lists the files; a folder returns all files in it.',
      inputSchema: {
        type: 'object',
        properties: { skill: text('Name of the skill'), path: text('Path of a file or folder inside the skill') },
        required: ['skill', 'path'],
      },
      annotations,
    },
  ];
}

export type SkillToolCall =
  | { readonly kind: 'skill'; readonly name: string }
  | { readonly kind: 'files'; readonly name: string }
  | { readonly kind: 'path'; readonly name: string; readonly path: string };

/** The request of a call, or a text that says why it cannot be answered. `undefined` for a tool of another dialect. */
export function decodeToolCall(tool: string, args: unknown): SkillToolCall | string | undefined {
  if (tool !== skillToolName && tool !== skillFileToolName) return undefined;
  const fields = isJsonObject(args) ? args : {};
  const field = tool === skillToolName ? 'name' : 'skill';
  const name = fields[field];
  if (typeof name !== 'string' || name === '') return `the argument "${field}" is missing or not text`;
  if (tool === skillToolName) return { kind: 'skill', name };
  const path = fields['path'] ?? '';
  if (typeof path !== 'string') return 'the argument "path" is not text';
  const plain = path.replace(/^\.\//, '').replace(/\/$/, '');
  if (plain === '' || plain === '.') return { kind: 'files', name };
  const fault = relativePathFault(plain);
  return fault === undefined ? { kind: 'path', name, path: plain } : `the path ${quoteText(path)} ${fault}`;
}

export function encodeTextAnswer(text: string): ToolAnswer {
  return { content: [{ type: 'text', text }] };
}

export function encodeToolFault(message: string): ToolAnswer {
  return { content: [{ type: 'text', text: message }], isError: true };
}

export function encodeUnknownSkill(name: string, available: readonly string[]): ToolAnswer {
  const shown = available.slice(0, limits.host.skillsForListTool).map((one) => displayText(one));
  const more = available.length > shown.length ? `, and ${available.length - shown.length} more` : '';
  const there = shown.length === 0 ? 'There are no skills.' : `Available skills: ${shown.join(', ')}${more}.`;
  return encodeToolFault(`No skill named ${quoteText(name)}.${didYouMean(name, available)} ${there}`);
}

export function encodeFileList(paths: readonly string[]): ToolAnswer {
  return encodeTextAnswer(paths.join('\n'));
}

/** All files of a folder: one text each, headed by its path. */
export function encodeFolderAnswer(files: readonly { readonly path: string; readonly text: string }[]): ToolAnswer {
  return { content: files.map(({ path, text }) => ({ type: 'text', text: `--- ${path} ---\n${text}` })) };
}

export type ToolReading =
  | { readonly ok: true; readonly texts: readonly string[] }
  | { readonly ok: false; readonly message: string };

/** Reads the answer of a tool. Never throws; contents other than text are skipped. */
export function decodeToolAnswer(result: unknown): ToolReading {
  const content = isJsonObject(result) ? result['content'] : undefined;
  if (!isJsonObject(result) || !Array.isArray(content))
    return { ok: false, message: 'the answer has no list "content"' };
  const texts = content
    .slice(0, limits.dialects.answerTexts)
    .flatMap((item) =>
      isJsonObject(item) && item['type'] === 'text' && typeof item['text'] === 'string' ? [item['text']] : [],
    );
  if (result['isError'] === true)
    return { ok: false, message: texts.join('\n') || 'the tool failed without a message' };
  return texts.length === 0 ? { ok: false, message: 'the answer has no text' } : { ok: true, texts };
}

/**
 * The files in the answer for a folder. A text without a heading, or with an invalid path, is skipped.
 *
 * @internal the other half of the codec, for round trips
 */
export function decodeFolderAnswer(
  texts: readonly string[],
): readonly { readonly path: string; readonly text: string }[] {
  return texts.flatMap((whole) => {
    const end = whole.indexOf('\n');
    const head = end === -1 ? whole : whole.slice(0, end);
    if (!head.startsWith('--- ') || !head.endsWith(' ---') || head.length < 9) return [];
    const path = head.slice(4, -4);
    return relativePathFault(path) === undefined ? [{ path, text: end === -1 ? '' : whole.slice(end + 1) }] : [];
  });
}

const bullet = /^[-*]\s+/;

/**
 * The paths in the answer for an empty path: one per line, or bullets below a sentence, or a sentence that there are
 * none.
 */
export function decodeFileList(texts: readonly string[]): readonly string[] {
  const lines = texts.flatMap((text) => text.split(/\r?\n/));
  const bullets = lines.filter((line) => bullet.test(line));
  const isSentence = /^(?:No|Available) resource/.test(lines[0] ?? '');
  return (isSentence || bullets.length > 0 ? bullets : lines)
    .map((line) => line.replace(bullet, '').trim())
    .filter((line) => line !== '' && relativePathFault(line) === undefined)
    .slice(0, limits.skill.files);
}

/**
 * The code blocks of the documentation. The words after the fence say how a block is tested; a block without a language fails.
 *
 * - `sh`: every command runs. `sh not-run: REASON` is only counted.
 * - `text output`: what the `sh` block before it prints. `npm run generated` writes it.
 * - `ts`: a part of a program in `examples/`, which the tests compile and run.
 * - `html`: a page that a browser test opens.
 * - `json`, `yaml`: parsed, and a configuration is compared with its schema.
 * - `… sample`, `text`, `markdown`, `nginx`: shown, and only counted.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const project = join(import.meta.dirname, '..');

export interface Block {
  readonly language: string;
  /** The words after the language. */
  readonly mark: string;
  readonly text: string;
  /** Offsets of the text in the page. */
  readonly from: number;
  readonly to: number;
  readonly line: number;
  readonly heading: string;
}

/** README.md and every page below docs, except the generated declarations. */
export const pages: readonly string[] = [
  'README.md',
  ...readdirSync(join(project, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((name) => `docs/${name.replaceAll('\\', '/')}`)
    .filter((name) => name.endsWith('.md') && !name.startsWith('docs/api/'))
    .sort(),
];

export function pageText(page: string): string {
  return readFileSync(join(project, page), 'utf8');
}

export function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = [];
  for (const match of text.matchAll(/^( *)```(\w*)([^\n]*)\n([\s\S]*?)^\1```$/gm)) {
    const [whole, indent = '', language = '', mark = '', content = ''] = match;
    const before = text.slice(0, match.index);
    const from = match.index + whole.indexOf('\n') + 1;
    blocks.push({
      language,
      mark: mark.trim(),
      text: content.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      from,
      to: from + content.length,
      line: before.split('\n').length,
      heading: [...before.matchAll(/^#+ (.*)$/gm)].at(-1)?.[1] ?? '',
    });
  }
  return blocks;
}

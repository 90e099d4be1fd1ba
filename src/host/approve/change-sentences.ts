/** A change of a skill in plain sentences, the riskiest first, for people who read the first line only. */
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import type { FileChange, SkillChange } from './changed-skill.ts';

export interface ChangeRemarks {
  /** Phrases of hidden characters that were not there before. */
  readonly hidden: readonly string[];
  /** Lines that some hosts execute and that were not there before. */
  readonly shell: readonly string[];
  readonly dynamic: { readonly before: boolean; readonly after: boolean };
}

type Change = Omit<SkillChange, 'summary'>;

export function changeSentences(change: Change, { hidden, shell, dynamic }: ChangeRemarks): readonly string[] {
  const { added, removed, changed, frontmatter, allowedTools, executionFields, newHosts, nested } = change;
  const newScripts = added.filter(isRisky);
  const otherScripts = changed.filter(isRisky);
  const known = new Set([...newScripts, ...otherScripts]);
  const plain = (files: readonly FileChange[]): readonly string[] =>
    files.filter((file) => !known.has(file)).map(({ path }) => path);
  const sentences = [
    sentence('It now hides text', hidden),
    !dynamic.before && dynamic.after ? 'It can no longer be verified: its files have no digests.' : '',
    sentence('Commands that run before the model reads the text are new', shell),
    sentence('Fields that execute something are new or changed', executionFields.added),
    sentence('It now asks for tools', allowedTools.added),
    sentence(many(newScripts, 'A script is new', 'scripts are new'), pathsOf(newScripts)),
    sentence(many(otherScripts, 'A script changed', 'scripts changed'), pathsOf(otherScripts)),
    sentence('It now mentions network hosts', newHosts),
    sentence('Skills inside it are new', nested.added),
    sentence(
      'Fields of the frontmatter changed',
      frontmatter.map(({ field }) => field),
    ),
    sentence('Files changed', plain(changed)),
    sentence('Files are new', plain(added)),
    sentence('Files are gone', pathsOf(removed)),
    sentence('Skills inside it are gone', nested.removed),
    sentence('Fields that execute something are gone', executionFields.removed),
    sentence('It no longer asks for tools', allowedTools.removed),
    dynamic.before && !dynamic.after ? 'It can be verified now.' : '',
  ].filter((text) => text !== '');
  if (sentences.length > 0) return sentences;
  return [dynamic.after ? 'Nothing that its entry tells changed; its files are not known.' : 'Nothing changed.'];
}

function isRisky({ script, executable, executableChanged }: FileChange): boolean {
  return script || executable || executableChanged === true;
}

function many(files: readonly FileChange[], one: string, more: string): string {
  return files.length === 1 ? one : `${files.length} ${more}`;
}

function pathsOf(files: readonly FileChange[]): readonly string[] {
  return files.map(({ path }) => path);
}

function sentence(begin: string, items: readonly string[]): string {
  if (items.length === 0) return '';
  const most = limits.host.itemsInSentence;
  const rest = items.length > most ? ` and ${items.length - most} more` : '';
  return `${begin}: ${items.slice(0, most).map(quoteText).join(', ')}${rest}.`;
}

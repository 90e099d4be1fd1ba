/** Options of `serve` about the older ways of delivering skills. */
import { type Command, Option } from 'commander';
import { SkillwireError } from '../../errors.ts';
import { isSkillName } from '../../skill/name.ts';
import {
  type DialectOptions,
  defaultDialects,
  type FallbackKind,
  fallbackKinds,
  type ServedDialect,
  servedDialects,
} from '../../surfaces/mcp/aliases/served-dialects.ts';

export type DialectFlags = Omit<DialectOptions, 'archives'>;

export function addDialectOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--dialects <all|none|list>',
        `older ways of delivering skills to answer in beside the extension (default: ${defaultDialects.join(',')})`,
      ).argParser(parseDialects),
    )
    .addOption(
      new Option(
        '--fallback <list>',
        'for hosts that know no resources: tools, prompts, none (default: both with --dialects all, else none)',
      ).argParser(parseFallback),
    )
    .addOption(
      new Option('--resources <what>', 'rows of resources/list: the SKILL.md of each skill, or every file').choices([
        'entry-points',
        'all-files',
      ]),
    )
    .option('--list-aliases', 'show the addresses of older dialects in resources/list too')
    .option('--archive-entries', 'an entry of type "archive" behind that of each skill in skill://index.json')
    .option('--experimental-capability', 'declare the extension in capabilities.experimental too')
    .option('--frontmatter-meta', 'show frontmatter in _meta of the rows of resources/list')
    .addOption(
      new Option('--usage <label=skill>', 'the skill to read first, at skill://LABEL/usage').argParser(parseUsage),
    )
    .addOption(new Option('--scheme <scheme>', 'publish under this scheme instead of skill://').argParser(parseScheme));
}

/** The options as they were given, for the configuration of a host. */
export function dialectFlags(flags: DialectFlags): string[] {
  const { dialects, fallback, usage } = flags;
  return [
    ...(dialects === undefined ? [] : ['--dialects', typeof dialects === 'string' ? dialects : dialects.join(',')]),
    ...(fallback === undefined ? [] : ['--fallback', fallback.length === 0 ? 'none' : fallback.join(',')]),
    ...(flags.resources === undefined ? [] : ['--resources', flags.resources]),
    ...(flags.listAliases === true ? ['--list-aliases'] : []),
    ...(flags.archiveEntries === true ? ['--archive-entries'] : []),
    ...(flags.experimentalCapability === true ? ['--experimental-capability'] : []),
    ...(flags.frontmatterMeta === true ? ['--frontmatter-meta'] : []),
    ...(usage === undefined ? [] : ['--usage', `${usage.label}=${usage.skill}`]),
    ...(flags.scheme === undefined ? [] : ['--scheme', flags.scheme]),
  ];
}

function oneOf<T extends string>(known: readonly T[], word: string): word is T {
  return (known as readonly string[]).includes(word);
}

function wordsOf<T extends string>(option: string, text: string, known: readonly T[], others: string): readonly T[] {
  const words = text.split(',').map((word) => word.trim());
  const found = words.filter((word): word is T => oneOf(known, word));
  const unknown = words.find((word) => !oneOf(known, word));
  if (unknown === undefined) return [...new Set(found)];
  throw new SkillwireError(
    'USAGE',
    `${option} does not know "${unknown}"; write ${others}, or a list of ${known.join(', ')}`,
    { data: { option, unknown } },
  );
}

function parseDialects(text: string): 'all' | 'none' | readonly ServedDialect[] {
  return text === 'all' || text === 'none' ? text : wordsOf('--dialects', text, servedDialects, 'all or none');
}

function parseFallback(text: string): readonly FallbackKind[] {
  return text === 'none' ? [] : wordsOf('--fallback', text, fallbackKinds, 'none');
}

function parseUsage(text: string): { readonly label: string; readonly skill: string } {
  const [label = '', ...rest] = text.split('=');
  const skill = rest.join('=');
  if (isSkillName(label) && skill !== '') return { label, skill };
  throw new SkillwireError(
    'USAGE',
    `--usage "${text}" is not LABEL=SKILL; write a label of a-z, 0-9 and hyphens, and the name or path of a skill`,
    { data: { usage: text } },
  );
}

function parseScheme(text: string): string {
  const scheme = text.replace(/:\/\/$/, '');
  if (/^[a-z][a-z0-9+.-]{0,63}$/.test(scheme) && !['http', 'https', 'file', 'data', 'ws', 'wss'].includes(scheme))
    return scheme;
  throw new SkillwireError(
    'USAGE',
    `--scheme "${text}" cannot be used; write a scheme of your own such as "github", without "://"`,
    { data: { scheme: text } },
  );
}

/** Options of `serve` about older dialects. */
import type { Command } from 'commander';
import { isSkillName } from '../../skill/name.ts';
import {
  type DialectOptions,
  defaultDialects,
  type FallbackKind,
  fallbackKinds,
  type ServedDialect,
  servedDialects,
} from '../../surfaces/mcp/aliases/served-dialects.ts';

import { usageError } from '../cli.ts';
import { rareOption } from '../help/option-groups.ts';

export type DialectFlags = Omit<DialectOptions, 'archives'>;

export function addDialectOptions(command: Command): Command {
  return command
    .addOption(
      rareOption(
        'compatibility',
        '--dialects <all|none|list>',
        `Older dialects to serve besides the extension (default: ${defaultDialects.join(', ')})`,
      ).argParser(parseDialects),
    )
    .addOption(
      rareOption(
        'compatibility',
        '--fallback <list>',
        'Tools or prompts for clients without resources (default: both with --dialects all, else none)',
      ).argParser(parseFallback),
    )
    .addOption(
      rareOption('compatibility', '--resources <what>', 'Rows of resources/list: each SKILL.md, or every file').choices(
        ['entry-points', 'all-files'],
      ),
    )
    .addOption(rareOption('compatibility', '--list-aliases', 'List dialect addresses in resources/list too'))
    .addOption(
      rareOption('compatibility', '--archive-entries', 'Add an "archive" entry for each skill to skill://index.json'),
    )
    .addOption(
      rareOption(
        'compatibility',
        '--index-templates',
        'Add a template entry for each folder of skills to skill://index.json',
      ),
    )
    .addOption(
      rareOption(
        'compatibility',
        '--experimental-capability',
        'Declare the extension in capabilities.experimental too',
      ),
    )
    .addOption(rareOption('compatibility', '--frontmatter-meta', 'Add frontmatter to _meta in resources/list'))
    .addOption(
      rareOption('compatibility', '--usage <label=skill>', 'Skill to read first, at skill://LABEL/usage').argParser(
        parseUsage,
      ),
    )
    .addOption(
      rareOption('compatibility', '--scheme <scheme>', 'URI scheme to publish under instead of skill://').argParser(
        parseScheme,
      ),
    );
}

/** The options as command-line words, for the configuration of a client. */
export function dialectFlags(flags: DialectFlags): string[] {
  const { dialects, fallback, usage } = flags;
  return [
    ...(dialects === undefined ? [] : ['--dialects', typeof dialects === 'string' ? dialects : dialects.join(',')]),
    ...(fallback === undefined ? [] : ['--fallback', fallback.length === 0 ? 'none' : fallback.join(',')]),
    ...(flags.resources === undefined ? [] : ['--resources', flags.resources]),
    ...(flags.listAliases === true ? ['--list-aliases'] : []),
    ...(flags.archiveEntries === true ? ['--archive-entries'] : []),
    ...(flags.indexTemplates === true ? ['--index-templates'] : []),
    ...(flags.experimentalCapability === true ? ['--experimental-capability'] : []),
    ...(flags.frontmatterMeta === true ? ['--frontmatter-meta'] : []),
    ...(usage === undefined ? [] : ['--usage', `${usage.label}=${usage.skill}`]),
    ...(flags.scheme === undefined ? [] : ['--scheme', flags.scheme]),
  ];
}

function wordsOf<T extends string>(option: string, text: string, known: readonly T[], others: string): readonly T[] {
  const isKnown = (word: string): word is T => (known as readonly string[]).includes(word);
  const words = text.split(',').map((word) => word.trim());
  const unknown = words.find((word) => !isKnown(word));
  if (unknown === undefined) return [...new Set(words.filter(isKnown))];
  throw usageError(`${option} does not know "${unknown}". Use ${others}, or a list of ${known.join(', ')}.`, {
    option,
    unknown,
  });
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
  throw usageError(
    `--usage "${text}" is not LABEL=SKILL. Use a label of a-z, 0-9 and hyphens, and the name or path of a skill.`,
    { usage: text },
  );
}

function parseScheme(text: string): string {
  const scheme = text.replace(/:\/\/$/, '');
  if (/^[a-z][a-z0-9+.-]{0,63}$/.test(scheme) && !['http', 'https', 'file', 'data', 'ws', 'wss'].includes(scheme))
    return scheme;
  throw usageError(`--scheme "${text}" cannot be used. Use a scheme of your own such as "github", without "://".`, {
    scheme: text,
  });
}

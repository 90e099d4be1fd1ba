/** Every stand-in server with the expected results of a reader: the rows of servers in the matrix of dialects. */
import type { DialectId, Verified } from '../../../src/dialects/dialect-skill.ts';
import { fastmcp } from './fastmcp.ts';
import { bothEntries, formA0, formB, formC } from './index-drafts.ts';
import { githubExtension, githubTemplates, sep2076 } from './named-and-templates.ts';
import type { StandIn } from './stand-in.ts';
import { mentioned, nimblebrain, skilljack, skillsOverMcp, surveyPaths } from './survey-servers.ts';

export interface ServerRow {
  readonly what: string;
  readonly make: () => StandIn | Promise<StandIn>;
  readonly dialect: DialectId;
  /** Names of the skills that are listed, with how far each can be verified. */
  readonly skills: Readonly<Record<string, Verified>>;
  /** Names of entries that are refused. */
  readonly refused?: readonly string[];
  /** Its command-line arguments. */
  readonly options?: readonly string[];
  /** A file beside `SKILL.md` of the first skill, and its text. */
  readonly file?: readonly [path: string, text: string];
}

const guide = ['references/GUIDE.md', '# Guide\n\nBranch from main.\n'] as const;

export const standInServers: readonly ServerRow[] = [
  {
    what: 'skill://index.json, form A without digests',
    make: formA0,
    dialect: 'skill-index',
    skills: { 'git-workflow': 'none' },
    refused: ['broken'],
    file: guide,
  },
  {
    what: 'skill://index.json, both entries (Foundry toolbox)',
    make: bothEntries,
    dialect: 'skill-index',
    skills: { 'git-workflow': 'full' },
    file: guide,
  },
  {
    what: 'skill://index.json, form B with archives',
    make: formB,
    dialect: 'skill-index',
    skills: { 'git-workflow': 'skill-md-only', 'pdf-processing': 'full' },
    file: guide,
  },
  {
    what: 'skill://index.json, form C',
    make: formC,
    dialect: 'skill-index',
    skills: { 'git-workflow': 'full', today: 'none' },
    file: guide,
  },
  {
    what: 'scoped resources/list, a path that differs from its name',
    make: surveyPaths,
    dialect: 'resource-list',
    skills: { 'refund-handling': 'none' },
    file: ['policy.md', '# Policy\n'],
  },
  {
    what: 'NimbleBrain usage resource',
    make: nimblebrain,
    dialect: 'nimblebrain',
    skills: { ipinfo: 'none' },
    options: ['--dialect', 'nimblebrain'],
  },
  {
    what: 'skilljack-mcp 0.5.1',
    make: skilljack,
    dialect: 'skilljack',
    skills: { 'git-workflow': 'none' },
    file: guide,
  },
  {
    what: 'skills-over-mcp',
    make: skillsOverMcp,
    dialect: 'skills-over-mcp',
    skills: { 'git-workflow': 'none' },
    refused: ['gone'],
    file: guide,
  },
  {
    what: 'FastMCP 3 SkillsProvider',
    make: () => fastmcp(),
    dialect: 'fastmcp',
    skills: { 'git-workflow': 'full', 'windows-notes': 'full', bare: 'none' },
    file: guide,
  },
  {
    what: 'SEP-2076',
    make: sep2076,
    dialect: 'sep-2076',
    skills: { 'git-workflow': 'none' },
    refused: ['report'],
    file: guide,
  },
  { what: 'GitHub-style templates', make: githubTemplates, dialect: 'resource-templates', skills: {} },
  {
    what: 'GitHub-style templates with the final extension',
    make: githubExtension,
    dialect: 'skills-extension',
    skills: {},
  },
  {
    what: 'a skill that only the instructions name',
    make: mentioned,
    dialect: 'instructions',
    skills: { onboarding: 'none' },
  },
];

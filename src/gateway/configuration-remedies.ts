/** What to do about a fault in the configuration, by the place where it is. */

import { referenceTo } from '../origins/environment-text.ts';
import { mcpSurfaceKeys } from './mcp-surface-schema.ts';

type Path = readonly (string | number)[];

const topKeys = [
  '$schema',
  'origins',
  'rules',
  'pin',
  'policy',
  'profiles',
  'access',
  'search',
  'surfaces',
  'limits',
  'agents',
];
const wayKeys = ['ttl', 'deadline', 'stale', 'concurrency'];
const originKeys = [
  ...[
    'folder',
    'archive',
    'mcp',
    'stdio',
    'site',
    'mdp',
    'git',
    'agent',
    'nested',
    'publish',
    'insecureHttp',
    'auth',
    'headers',
    'env',
  ],
  ...[
    'assumeSkills',
    'dialect',
    'forbidDialects',
    'fetch',
    ...wayKeys,
    'prefix',
    'include',
    'exclude',
    'listed',
    'pin',
  ],
];

/** The keys of the object at a path. */
export function allowedKeys(path: Path): string {
  const [top, , third] = path;
  if (path.length === 0) return listed(topKeys);
  if (top === 'pin' || (top === 'origins' && third === 'pin')) return '"match" and "for"';
  if (top === 'rules') return '"match" and "listed"';
  if (top === 'agents')
    return path.length > 2
      ? '"project" and "global"'
      : listed(['id', 'name', 'project', 'global', 'readsShared', 'detect']);
  if (top === 'origins') return third === 'auth' ? '"bearer"' : listed(originKeys);
  if (top === 'policy')
    return path.length === 1
      ? listed(['mode', 'deny', 'scripts', 'dynamic', 'maxBytes', 'dialects', 'licences'])
      : listed(['digest', 'origin', 'match', 'reason']);
  if (top === 'profiles')
    return third === 'listing'
      ? listed(['skills', 'characters', 'first'])
      : listed(['origins', 'include', 'exclude', 'listing']);
  if (top === 'access') return listed(['anonymous', 'url']);
  if (top === 'search') return path.length === 1 ? '"embeddings"' : listed(['url', 'model', 'keyEnv', 'insecureHttp']);
  if (top === 'surfaces' && path.length > 1)
    return path[2] === 'usage' ? '"label" and "skill"' : listed(mcpSurfaceKeys);
  return top === 'surfaces' ? listed(['mcp', 'site', 'page', 'metrics', 'search']) : listed(wayKeys);
}

function listed(keys: readonly string[]): string {
  const quoted = keys.map((key) => `"${key}"`);
  return `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
}

/** For a key that cannot be one. */
export function keyRemedy([top, , third]: Path): string {
  if (top === 'origins' && third === 'headers') return 'choose another name, for example "X-Api-Key"';
  if (top === 'origins' && third === 'env') return 'choose another name, for example "API_KEY"';
  return top === 'profiles'
    ? 'choose another name, for example "data-team"'
    : 'choose another label, for example "team-docs"';
}

export function exampleOf(path: Path): string {
  const key = path.at(-1);
  if (key === 'origins') return '{"docs": "./skills"}';
  if (path[0] === 'agents' && key === 'id') return '"our-agent"';
  if (key === 'bearer') return `"${referenceTo('DOCS_TOKEN')}"`;
  return key === 'match' ? '"drafts/"' : 'false';
}

export function remedyFor(path: Path): string {
  const [top, , third] = path;
  const key = path.at(-1);
  if (path.length === 0) return 'write {"origins": {"docs": "./skills"}}';
  if (key === '$schema') return 'write the address of the schema in quotes';
  if (top === 'pin' || (top === 'origins' && third === 'pin')) return pinRemedy(path, top === 'pin' ? 1 : 3);
  if (key === 'match') return 'write a pattern such as "drafts/" or "*-internal"';
  if (top === 'rules') {
    if (path.length === 1) return 'write [{"match": "drafts/", "listed": false}]';
    return key === 'listed' ? 'write true or false without quotes' : 'write {"match": "drafts/", "listed": false}';
  }
  if (top === 'origins') return originRemedy(path);
  if (top === 'agents') return agentRemedy(path);
  if (top === 'search')
    return 'write {"embeddings": {"url": "https://api.openai.com/v1/embeddings", "model": "NAME", "keyEnv": "VARIABLE"}}';
  return 'correct it; the schema says what is allowed';
}

function pinRemedy(path: Path, length: number): string {
  if (path.length === length) return 'write [{"match": "mdp/shop/", "for": "30d"}]';
  return path.at(-1) === 'for' ? 'write "30d"' : 'write {"match": "mdp/shop/", "for": "30d"}';
}

function agentRemedy(path: Path): string {
  const key = path.at(-1);
  if (key === 'id') return 'write "our-agent"';
  if (key === 'project' && path.length === 3) return 'write ".ours/skills"';
  if (key === 'global' && path.length === 3) return 'write "~/.ours/skills"';
  if (path.length > 3 && path[2] === 'readsShared') return 'write true or false without quotes';
  return 'write [{"id": "our-agent", "project": ".ours/skills", "global": "~/.ours/skills"}]';
}

const flags = ['nested', 'insecureHttp', 'assumeSkills', 'listed'];

function originRemedy(path: Path): string {
  const key = String(path[2] ?? '');
  if (path.length === 1) return 'write {"docs": "./skills"}';
  if (flags.includes(key)) return 'write true or false without quotes';
  if (key === 'include' || key === 'exclude') return 'write ["drafts/"]';
  if (key === 'publish') return 'write ["deploy/prod.env"]';
  if (key === 'folder' || key === '') return 'write a folder such as "./skills"';
  return 'correct it; the schema says what is allowed';
}

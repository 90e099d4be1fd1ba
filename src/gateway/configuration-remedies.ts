/** How to fix an error in the configuration, by the path of the field. */
import type { z } from 'zod';
import { referenceTo } from '../origins/credentials.ts';

type Path = readonly (string | number)[];

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** The keys that a schema allows in the object at a path, as text for a person. */
export function allowedKeys(schema: JsonSchema, path: Path): string {
  let nodes = variantsOf(schema);
  for (const step of path) nodes = nodes.flatMap((node) => childrenOf(node, step)).flatMap(variantsOf);
  return listed([...new Set(nodes.flatMap(({ properties = {} }) => Object.keys(properties)))]);
}

function variantsOf(node: JsonSchema): readonly JsonSchema[] {
  return node.anyOf ?? [node];
}

function childrenOf(node: JsonSchema, step: string | number): readonly JsonSchema[] {
  const child = typeof step === 'number' ? node.items : (node.properties?.[step] ?? node.additionalProperties);
  return typeof child === 'object' && !Array.isArray(child) ? [child] : [];
}

function listed(keys: readonly string[]): string {
  const quoted = keys.map((key) => `"${key}"`);
  const last = quoted.pop() ?? '';
  return quoted.length === 0 ? last : `${quoted.join(', ')} or ${last}`;
}

/** For an invalid key. */
export function keyRemedy([top, , third]: Path): string {
  if (top === 'origins' && third === 'headers') return 'choose another name, for example "X-Api-Key"';
  if (top === 'origins' && third === 'env') return 'choose another name, for example "API_KEY"';
  if (top === 'signers') return 'choose another name, for example "team"';
  return top === 'profiles'
    ? 'choose another name, for example "data-team"'
    : 'choose another label, for example "team-docs"';
}

export function exampleOf(path: Path): string {
  const key = path.at(-1);
  if (key === 'origins') return '{"docs": "./skills"}';
  if (path[0] === 'agents' && key === 'id') return '"our-agent"';
  if (key === 'bearer') return `"${referenceTo('DOCS_TOKEN')}"`;
  if (key === 'issuer') return '"https://login.example.com"';
  if (key === 'clientId') return '"skill-gateway"';
  if (key === 'company') return '{"issuer": "https://login.example.com", …}';
  if (key === 'require') return '["team"]';
  if (key === 'at') return '"2027-12-31"';
  if (key === 'reason') return '"retired"';
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
  return 'see the schema for allowed values';
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

const flags = ['nested', 'insecureHttp', 'assumeSkills', 'traceparent', 'listed'];

function originRemedy(path: Path): string {
  const key = String(path[2] ?? '');
  if (path.length === 1) return 'write {"docs": "./skills"}';
  if (flags.includes(key)) return 'write true or false without quotes';
  if (key === 'include' || key === 'exclude') return 'write ["drafts/"]';
  if (key === 'publish') return 'write ["deploy/prod.env"]';
  if (key === 'folder' || key === '') return 'write a folder such as "./skills"';
  return 'see the schema for allowed values';
}

/** The object of an audit record for people. Only `data` says what records without a skill or an origin are about. */
import { isJsonObject, type JsonObject } from '../skill/json.ts';
import type { AuditRecord } from './store.ts';

type Facts = JsonObject;

const textIn = (facts: Facts, key: string): string | undefined => {
  const value = facts[key];
  return typeof value === 'string' ? value : undefined;
};

const rule = (facts: Facts): string | undefined => {
  const kind = ['digest', 'origin', 'match'].find((one) => textIn(facts, one) !== undefined);
  return kind === undefined ? undefined : `${kind} ${textIn(facts, kind)}`;
};

const file = (facts: Facts): string | undefined => textIn(facts, 'file');

const token = (facts: Facts): string | undefined => {
  const name = textIn(facts, 'name') ?? textIn(facts, 'token');
  return name === undefined ? undefined : `token ${name}`;
};

const caller = (facts: Facts): string | undefined => {
  const [kind, id] = [textIn(facts, 'kind'), textIn(facts, 'id')];
  return kind === undefined || id === undefined ? undefined : `${kind} ${id}`;
};

function installed({ skills, root }: Facts): string | undefined {
  const uris = Array.isArray(skills)
    ? skills.flatMap((row) => (isJsonObject(row) ? (textIn(row, 'uri') ?? []) : []))
    : [];
  const [first, ...others] = uris;
  if (first === undefined) return undefined;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return `${first}${more}${typeof root === 'string' ? ` in ${root}` : ''}`;
}

const objects: Readonly<Record<string, (facts: Facts) => string | undefined>> = {
  deny: rule,
  allow: rule,
  trust: file,
  untrust: file,
  install: installed,
  'add-token': token,
  'revoke-token': token,
  'revoke-access': caller,
  'restore-access': caller,
};

/** "match tools/pdf-*", a file, a skill. `undefined` if the record has only an origin, or nothing. */
export function auditObject({ action, uri, data }: Pick<AuditRecord, 'action' | 'uri' | 'data'>): string | undefined {
  if (uri !== undefined) return uri;
  return isJsonObject(data) && Object.hasOwn(objects, action) ? objects[action]?.(data) : undefined;
}

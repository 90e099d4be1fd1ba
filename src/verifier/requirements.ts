/**
 * The requirements for servers and sites that can be checked from outside: SEP-2640 v1, well-known discovery v0.2.0 and v0.1. Numbers are
 * those of the project's requirement data. A broken `must` fails the verification, a broken `should` is a warning.
 */
export interface VerifiedRequirement {
  readonly level: 'must' | 'should';
  readonly text: string;
}

export const requirements = {
  'S-1': { level: 'must', text: 'A declared extension answers skills/list and skills/get' },
  'S-2': { level: 'must', text: 'A declared directoryRead answers resources/directory/read' },
  'S-3': { level: 'must', text: 'The extension is declared together with the capability "resources"' },
  'S-4': { level: 'must', text: 'The extension is declared as an object with its settings inline' },
  'S-5': { level: 'should', text: 'Skills follow the Agent Skills specification' },
  'S-7': { level: 'must', text: 'SKILL.md begins with frontmatter that has name and description' },
  'S-9': {
    level: 'should',
    text: 'Files have URIs of the form skill://<skill-path>/<file-path> in their usual spelling',
  },
  'S-11': { level: 'must', text: 'Names follow the naming rules' },
  'S-16': { level: 'should', text: 'SKILL.md has the type text/markdown' },
  'S-22': { level: 'must', text: 'The URI of an entry is that of its SKILL.md, and every file can be read' },
  'S-23': { level: 'must', text: 'The frontmatter of an entry is that of the file' },
  'S-24': { level: 'must', text: 'The last segment of the skill path is the name' },
  'S-26': { level: 'should', text: 'Names are unique within a listing' },
  'S-27': { level: 'must', text: 'resources is a list or "dynamic"' },
  'S-28': { level: 'must', text: 'resources has each file once, SKILL.md included' },
  'S-29': { level: 'must', text: 'Files lie inside the folder of their skill' },
  'S-30': { level: 'must', text: 'Each file has the size of its bytes' },
  'S-31': { level: 'must', text: 'Files of a nested skill are in the outer entry too' },
  'S-32': { level: 'must', text: 'Content without stable digests is "dynamic"' },
  'S-34': { level: 'must', text: 'Digests are "sha256:" and 64 lower-case hexadecimal digits, over the bytes' },
  'S-35': { level: 'should', text: 'A skill has at most 512 files and 16 MiB' },
  'S-36': { level: 'must', text: 'skills/list is paged as the base protocol says' },
  'S-38': { level: 'must', text: 'skills/list answers with resultType "complete"' },
  'S-39': { level: 'must', text: 'skills/list has ttlMs and cacheScope' },
  'S-42': { level: 'must', text: 'skills/get answers with resultType "complete"' },
  'S-43': { level: 'must', text: 'skills/get refuses an unknown URI with -32602' },
  'S-44': { level: 'must', text: 'skills/get answers for every skill that is served' },
  'S-45': { level: 'must', text: 'skills/get gives the entry that skills/list gives' },
  'S-46': { level: 'must', text: 'skills/get has ttlMs and cacheScope, and no cursor' },
  'S-48': { level: 'must', text: 'resources/directory/read answers with resultType "complete"' },
  'S-49': { level: 'must', text: 'resources/directory/read refuses a URI that is not a directory with -32602' },
  'S-50': { level: 'must', text: 'resources/directory/read gives the direct children, as the entry lists them' },
  'S-55': { level: 'must', text: 'Errors have the codes of the specification' },
  'S-59': { level: 'should', text: '_meta has keys of its own prefix only' },
  'base:cursor': { level: 'should', text: 'A cursor that the server did not make is refused with -32602' },
  'base:contents': { level: 'must', text: 'resources/read answers with one content of the URI that was asked for' },
  'W-1': { level: 'must', text: 'An index is JSON with a list of skills' },
  'W-6': { level: 'must', text: 'An entry of an index has name, type, description, url and digest, and its name once' },
  'W-7': { level: 'must', text: 'An artifact is of the type skill-md or archive' },
  'W-8': { level: 'must', text: 'Artifacts are at the addresses that the index names' },
  'W-9': { level: 'must', text: 'Artifacts have the digests that the index promises' },
  'W-10': { level: 'must', text: 'Archives are .tar.gz or .zip, as their type or address says' },
  'W-12': { level: 'must', text: 'Archives have SKILL.md at their root, and only files that every system can store' },
  'W-14': { level: 'must', text: 'Nothing in an archive leads out of it' },
  'W-15': { level: 'should', text: 'Archives unpack to what a skill may have' },
  'wk01:name': { level: 'must', text: 'Names of an index follow the naming rules' },
  'wk01:description': { level: 'must', text: 'Descriptions of an index have at most 1,024 characters' },
  'wk01:files': { level: 'must', text: 'An entry lists its files' },
  'wk01:files-not-empty': {
    level: 'must',
    text: 'An entry lists at least one file, and at most as many as a skill may have',
  },
  'wk01:files-skill-md': { level: 'must', text: 'An entry lists SKILL.md' },
  'wk01:files-paths': { level: 'must', text: 'Listed paths are relative, printable ASCII, and lead nowhere else' },
  'wk01:files-served': { level: 'must', text: 'Listed files are served' },
} as const satisfies Record<string, VerifiedRequirement>;

/** The row of an id; an unknown id is a `must`. */
export function requirementRow(id: string): VerifiedRequirement {
  return (
    (requirements as Readonly<Record<string, VerifiedRequirement>>)[id] ?? {
      level: 'must',
      text: 'a rule of the specification',
    }
  );
}

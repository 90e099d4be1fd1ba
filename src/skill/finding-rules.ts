/** The rules of findings: one row per rule, with its level, its requirement and the usual remedy. */

interface Row {
  readonly level: 'problem' | 'warning' | 'note';
  /** The requirement in one sentence. */
  readonly rule: string;
  readonly remedy: string;
}

export const findingRules = {
  // SKILL.md as a file
  'skill-md-not-utf8': { level: 'problem', rule: 'SKILL.md is UTF-8 text', remedy: 'save the file as UTF-8' },
  'skill-md-bom': { level: 'warning', rule: 'SKILL.md does not start with a byte-order mark', remedy: 'save the file as UTF-8 without BOM; several hosts refuse it otherwise' },
  'skill-md-spelling': { level: 'warning', rule: 'the file is named SKILL.md', remedy: 'rename it to SKILL.md; most hosts look for exactly that name' },
  'skill-md-long-body': { level: 'note', rule: 'the body has at most 5,000 tokens and 500 lines', remedy: 'move details into files under references/ that are read only when needed' },
  'skill-md-hidden-characters': {
    level: 'warning',
    rule: 'SKILL.md contains no invisible, bidirectional or control characters',
    remedy: 'remove the characters; hosts may refuse text that a person cannot see',
  },

  // frontmatter
  'frontmatter-missing': { level: 'problem', rule: 'SKILL.md starts with YAML frontmatter between two "---" lines', remedy: 'start the file with "---", then name and description, then "---"' },
  'frontmatter-unclosed': { level: 'problem', rule: 'the frontmatter ends with a "---" line', remedy: 'add a "---" line after the last field' },
  'frontmatter-too-large': { level: 'problem', rule: 'the frontmatter stays within its limits', remedy: 'move text into the body, and use fewer levels and aliases' },
  'frontmatter-yaml': { level: 'problem', rule: 'the frontmatter is valid YAML', remedy: 'fix the line; quote values that contain ": " or " #" or start with a special character' },
  'frontmatter-unquoted-colon': { level: 'problem', rule: 'values that contain ": " are quoted', remedy: 'quote the value' },
  'frontmatter-duplicate-key': { level: 'problem', rule: 'each key appears once', remedy: 'remove one of the two lines' },
  'frontmatter-tag': { level: 'problem', rule: 'the frontmatter has no YAML tags', remedy: 'remove the tag; quote the value if it is text' },
  'frontmatter-not-a-mapping': { level: 'problem', rule: 'the frontmatter is a mapping of keys to values', remedy: 'write lines such as "name: ..." and "description: ..."' },
  'frontmatter-key': { level: 'problem', rule: 'keys are text', remedy: 'quote the key' },
  'frontmatter-not-json': { level: 'problem', rule: 'every value can be written as JSON', remedy: 'quote the value' },
  'frontmatter-ambiguous-scalar': { level: 'warning', rule: 'every YAML reader reads the value alike', remedy: 'quote the value, so that YAML 1.1, YAML 1.2 and strict readers agree' },
  'frontmatter-key-order': { level: 'warning', rule: 'keys are not whole numbers', remedy: 'rename the key; JSON readers sort such keys first, which loses the order of the file' },
  'frontmatter-uncommon-yaml': {
    level: 'warning',
    rule: 'the frontmatter uses only YAML that every host reads',
    remedy: 'write it in a simpler form; the official MCP client reads only part of YAML',
  },
  'frontmatter-unknown-key': {
    level: 'note',
    rule: 'the frontmatter uses the keys of the Agent Skills specification',
    remedy: 'ignore this if a client needs the field, or move it under metadata; it is served unchanged',
  },
  'frontmatter-field-type': {
    level: 'warning',
    rule: 'optional fields have the type that the Agent Skills specification requires',
    remedy: 'write the field as the specification requires; until then it is served as written',
  },
  'frontmatter-not-listed': {
    level: 'warning',
    rule: 'metadata maps keys to text, and compatibility is text of 1 to 500 characters',
    remedy: 'quote the values, or run "skillwire validate --fix"; listing: "all" lists the skill anyway',
  },
  'frontmatter-reserved-key': { level: 'warning', rule: 'metadata keys under io.modelcontextprotocol/ are reserved', remedy: 'use your own prefix' },

  // name and description
  'name-missing': { level: 'problem', rule: 'the frontmatter has a name', remedy: 'add a line "name: ..." with the name of the folder' },
  'name-invalid': { level: 'problem', rule: 'the name has 1 to 64 characters of a-z, 0-9 and single inner hyphens', remedy: 'choose a name such as "pdf-tools"' },
  'name-differs-from-folder': { level: 'warning', rule: 'the folder has the name of the skill', remedy: 'rename the folder or the skill; hosts that read folders refuse it otherwise' },
  'name-not-unique': { level: 'note', rule: 'names are unique within a listing', remedy: 'rename one of them; otherwise only the URI distinguishes them' },
  'description-missing': { level: 'problem', rule: 'the frontmatter has a description', remedy: 'add a line "description: ..." that says what the skill does and when to use it' },
  'description-invalid': { level: 'problem', rule: 'the description is text of 1 to 1,024 characters', remedy: 'write one to three sentences that say what the skill does and when to use it' },

  // the skill as a whole
  'skill-too-many-files': { level: 'problem', rule: 'a skill has at most 512 files', remedy: 'remove files, exclude them with .skillignore, or split the skill' },
  'skill-too-large': { level: 'problem', rule: 'the files of a skill have at most 16 MiB in total', remedy: 'remove files, exclude them with .skillignore, or split the skill' },
  'skill-uri-taken': { level: 'problem', rule: 'each skill has its own URI', remedy: 'rename one of the two, or serve one of the folders under a label (LABEL=FOLDER)' },
  'skill-linked-twice': { level: 'note', rule: 'a folder that is reached twice is one skill', remedy: 'nothing to do; remove the link if you do not want it' },
  'agent-folder-left-out': { level: 'note', rule: 'skills in agent folders are published only on request', remedy: 'add --agent-folders, or name the folder' },
  'hidden-folder-left-out': { level: 'warning', rule: 'hidden folders are not read', remedy: 'name the folder, or rename it' },
  'agent-folder-read': { level: 'note', rule: 'skills in agent folders are published only on request', remedy: 'to publish them, add --agent-folders to "serve" or "build"' },
  'installed-copies': { level: 'note', rule: 'installed copies of a skill are not published', remedy: 'nothing to do; name the folder to read them anyway' },

  // signatures
  'signature-stale': { level: 'warning', rule: 'the signature of a skill covers exactly its published files', remedy: 'sign the skill again with "skillwire sign"' },
  'signature-unpublished': { level: 'note', rule: 'a signature covers published files only; strict tools miss the others in installed copies', remedy: 'sign the skill again with "skillwire sign"' },
  'signature-unusable': { level: 'warning', rule: 'a signature file can be read and verified', remedy: 'sign the skill again with "skillwire sign", or remove the file' },

  // files
  'file-name-not-utf8': { level: 'problem', rule: 'file names are valid UTF-8', remedy: 'rename the file' },
  'file-name-unusable': { level: 'problem', rule: 'file names can be written as a URI path', remedy: 'rename the file' },
  'file-name-windows': { level: 'warning', rule: 'file names are valid on Windows', remedy: 'rename the file; it cannot be installed on Windows' },
  'file-names-collide': { level: 'problem', rule: 'names in a folder differ by more than case and Unicode form', remedy: 'rename one of the files; macOS and Windows can store only one of them' },
  'file-path-too-long': { level: 'problem', rule: 'paths have at most 1,024 characters and 32 levels', remedy: 'shorten the path' },
  'file-not-regular': { level: 'problem', rule: 'only ordinary files and folders are served', remedy: 'remove the pipe, socket or device' },
  'file-unreadable': { level: 'problem', rule: 'files can be read', remedy: 'check the permissions of the file' },
  'file-too-large-for-stdio': {
    level: 'warning',
    rule: 'a file fits into one 10 MiB line of the stdio transport',
    remedy: 'make the file smaller or serve over HTTP; stdio clients disconnect when they read it',
  },
  'file-secret': {
    level: 'warning',
    rule: 'private keys and credentials are not published',
    remedy: 'move the file out of the skill',
  },
  'file-hidden': {
    level: 'note',
    rule: 'hidden files are not published',
    remedy: 'ignore this if the skill does not need them; else rename them, or use --publish PATH or "publish" in skillwire.json',
  },
  'file-secret-published': {
    level: 'note',
    rule: 'hidden or secret-looking files are published only by name',
    remedy: 'nothing to do if everybody may read the file; else remove it from "publish" or --publish',
  },
  'file-hard-linked': {
    level: 'warning',
    rule: 'the files of a skill have no other hard links',
    remedy: 'check that everybody may read the files; replace those that belong to something else with copies',
  },
  'publish-unused': { level: 'warning', rule: 'files named in "publish" exist', remedy: 'correct the path, or remove it' },
  'link-leaves-root': { level: 'problem', rule: 'links stay inside the served folder', remedy: 'copy the target into the skill, or serve its folder as a root too' },
  'link-broken': { level: 'problem', rule: 'links have a target', remedy: 'fix or remove the link' },
  'link-loop': { level: 'problem', rule: 'links do not lead back to a parent folder', remedy: 'remove the link' },

  // the root
  'root-unavailable': { level: 'problem', rule: 'the served folder can be read', remedy: 'restore the folder; it is served again automatically' },
  'root-empty': { level: 'warning', rule: 'the served folder contains at least one skill', remedy: 'add a folder with a SKILL.md, or name another folder' },
  'archive-unusable': { level: 'problem', rule: 'a served archive can be unpacked', remedy: 'replace it with a complete archive; it is then served automatically' },
  'scan-limit': { level: 'problem', rule: 'a served folder stays within the scan limits', remedy: 'name the folder that contains the skills, not one far above it' },
  'ignore-file': { level: 'problem', rule: '.skillignore is readable and valid', remedy: 'make it a readable text file of at most 64 KiB' },
  'watch-limit': { level: 'warning', rule: 'the system can watch the served folders', remedy: 'raise the system limit (on Linux fs.inotify.max_user_watches), or serve fewer folders' },
  'scan-failed': { level: 'problem', rule: 'a served folder can be scanned', remedy: 'fix the cause in the message; the previous skills are served until then' },
  'cache-unwritable': {
    level: 'note',
    rule: 'the digest cache is writable',
    remedy: 'make the folder writable, set SKILLWIRE_HOME to another one, or use --no-cache; otherwise the next start reads everything again',
  },
  'too-many-findings': { level: 'note', rule: 'findings are listed up to a limit', remedy: 'fix the listed ones and run again' },

  // publishing as a site
  'publish-name-alias': {
    level: 'warning',
    rule: 'skills of a site have different names',
    remedy: 'rename one of the skills; a site has no paths, so the index uses another name than SKILL.md',
  },
  'publish-v01-path': {
    level: 'warning',
    rule: 'paths are printable ASCII without \\ ? # [ ] % and ".."',
    remedy: 'rename the file for readers of the older index; others get the skill as an archive',
  },
  'publish-archive': { level: 'problem', rule: 'a skill fits into an archive that every system can unpack', remedy: 'shorten the path in the message' },
  'publish-unreadable': { level: 'problem', rule: 'a site can read every file of a skill', remedy: 'fix the cause in the message; the skill joins the index once its files can be read' },
  'publish-dynamic': { level: 'warning', rule: 'a published skill has the same bytes for everybody', remedy: 'serve it over MCP; a site cannot publish it' },

  // other origins
  'origin-entry-refused': {
    level: 'problem',
    rule: 'an entry of a listing follows its specification',
    remedy: 'report it to the operator of the server; the other skills of the listing work',
  },
  'origin-entry-unusual': {
    level: 'warning',
    rule: 'an answer of a server has all fields that SEP-2640 requires',
    remedy: 'report it to the operator of the server; other hosts may refuse the answer',
  },
  'origin-listing-cut': { level: 'warning', rule: 'a listing ends within its limits', remedy: 'report it to the operator of the server; skills beyond the limit can be used by URI' },
  'origin-nothing-connected': { level: 'note', rule: 'a live program is connected', remedy: 'start the program that exposes skills, and try again' },
  'origin-older-dialect': { level: 'note', rule: 'a skill server speaks SEP-2640', remedy: 'report it to the operator of the server; hosts that only know SEP-2640 see no skills there' },
  'origin-stale': {
    level: 'warning',
    rule: 'a mirrored origin answers',
    remedy: 'check that the origin is reachable; its last known skills are served until it answers',
  },
  'site-index-unusual': {
    level: 'warning',
    rule: 'a site publishes an index that every reader understands',
    remedy: 'report it to the operator of the site; other readers may find other skills, or none',
  },
  'site-elsewhere': {
    level: 'warning',
    rule: 'a site publishes its skills at the given address',
    remedy: 'use the address in the message if that is the right one',
  },
  'repository-elsewhere': {
    level: 'warning',
    rule: 'a Git repository is at the given address',
    remedy: 'use the address in the message; somebody else can take the old name',
  },
  'site-name-differs': {
    level: 'warning',
    rule: 'the index of a site uses the name in SKILL.md',
    remedy: 'use the skill by URI; other readers know it by the name in the index',
  },
  'site-file-missing': {
    level: 'warning',
    rule: 'a site serves every file that its index lists',
    remedy: 'report it to the operator of the site; the skill refers to a missing file',
  },
  'site-unverified': {
    level: 'note',
    rule: 'a site publishes digests',
    remedy: 'ask the operator for a v0.2 index; until then nothing proves that everybody gets the same bytes',
  },

  // live runtimes
  'runtime-path-unmappable': {
    level: 'problem',
    rule: 'a path of a runtime can be written as a skill URI',
    remedy: 'shorten the id of the runtime or the segment; callPath and the HTTP routes still work',
  },
  'runtime-path-taken': { level: 'problem', rule: 'two paths of a runtime must differ in more than the spelling of their last segment', remedy: 'expose only one of the two' },
  'runtime-content-type': { level: 'problem', rule: 'a skill of a runtime is Markdown or plain text', remedy: 'expose it as text/markdown' },
  'runtime-answer-refused': { level: 'problem', rule: 'a runtime answers with the bytes that it declared', remedy: 'expose the text again; it is not served until its digest matches' },
  'runtime-answer-missing': { level: 'warning', rule: 'a runtime answers for skills that it declared as static', remedy: 'check the runtime; until it answers, the skill counts as dynamic' },

  // pinned skills
  'pinned-drift': { level: 'warning', rule: 'a pinned skill matches its runtime', remedy: 'compare both, then pin it again or unpin it' },
  'pinned-parent': { level: 'warning', rule: 'no live skill is inside a pinned one', remedy: 'pin it too and pin the outer one again, or unpin the outer one' },
  'pinned-refused': { level: 'warning', rule: 'a skill matched by a pin rule can be pinned', remedy: 'extend the rule to the skills inside it, or fix the cause in the message' },
  'pinned-unusable': { level: 'problem', rule: 'the bytes of a pinned skill are in the store', remedy: 'pin it again' },

  // decisions of a policy about skills that are still served
  'policy-waiting': {
    level: 'note',
    rule: 'the current version of a skill is approved',
    remedy: 'review it with "skillwire diff", then run "skillwire approve"; agents get the approved version until then',
  },
  'policy-denied': { level: 'note', rule: 'no person or rule denies the skill', remedy: 'change the skill or the policy, or remove the denial; it is not served' },
  'policy-disabled': { level: 'note', rule: 'a skill is not disabled', remedy: 'run "skillwire enable" to serve it again' },
  'approved-lost': { level: 'problem', rule: 'the bytes of an approved skill are in the store', remedy: 'approve the current version of the skill again' },
} as const satisfies Record<string, Row>;

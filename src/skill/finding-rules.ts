/** The rules that findings cite: one row per rule, with its level, what it asks for and the usual remedy. */

interface Row {
  readonly level: 'problem' | 'warning' | 'note';
  /** What the rule asks for, as one sentence. */
  readonly rule: string;
  readonly remedy: string;
}

export const findingRules = {
  // SKILL.md as a file
  'skill-md-not-utf8': { level: 'problem', rule: 'SKILL.md is UTF-8 text', remedy: 'save the file as UTF-8' },
  'skill-md-bom': { level: 'warning', rule: 'SKILL.md does not begin with a byte-order mark', remedy: 'save the file as UTF-8 without BOM; several hosts refuse it otherwise' },
  'skill-md-spelling': { level: 'warning', rule: 'the file is spelled SKILL.md', remedy: 'rename it to SKILL.md; most hosts look for exactly that name' },
  'skill-md-long-body': { level: 'note', rule: 'the body stays under 5,000 tokens and 500 lines', remedy: 'move details into files under references/ that are read only when needed' },
  'skill-md-hidden-characters': {
    level: 'warning',
    rule: 'SKILL.md holds no invisible, bidirectional or control characters',
    remedy: 'remove the characters; hosts may refuse to load text that a person cannot see',
  },

  // frontmatter
  'frontmatter-missing': { level: 'problem', rule: 'SKILL.md begins with YAML frontmatter between two lines "---"', remedy: 'add a first line "---", then name and description, then a line "---"' },
  'frontmatter-unclosed': { level: 'problem', rule: 'the frontmatter ends with a line "---"', remedy: 'add a line "---" after the last field' },
  'frontmatter-too-large': { level: 'problem', rule: 'the frontmatter stays within its limits', remedy: 'move text from the frontmatter into the body, and use fewer levels and aliases' },
  'frontmatter-yaml': { level: 'problem', rule: 'the frontmatter is valid YAML', remedy: 'correct the line; quote values that hold ": " or " #" or begin with a special character' },
  'frontmatter-unquoted-colon': { level: 'problem', rule: 'a value that holds ": " is quoted', remedy: 'quote the value' },
  'frontmatter-duplicate-key': { level: 'problem', rule: 'a key appears once', remedy: 'remove one of the two lines' },
  'frontmatter-tag': { level: 'problem', rule: 'the frontmatter has no YAML tags', remedy: 'remove the tag; quote the value if it shall be text' },
  'frontmatter-not-a-mapping': { level: 'problem', rule: 'the frontmatter is a mapping of keys to values', remedy: 'write "name: ..." and "description: ..." lines' },
  'frontmatter-key': { level: 'problem', rule: 'keys are text', remedy: 'quote the key' },
  'frontmatter-not-json': { level: 'problem', rule: 'every value can be written as JSON', remedy: 'quote the value' },
  'frontmatter-ambiguous-scalar': { level: 'warning', rule: 'a value is read alike by every YAML reader', remedy: 'quote the value, so that YAML 1.1, YAML 1.2 and strict readers agree' },
  'frontmatter-key-order': { level: 'warning', rule: 'keys are not whole numbers', remedy: 'rename the key; JSON readers sort such keys first and the order of the file is lost' },
  'frontmatter-uncommon-yaml': {
    level: 'warning',
    rule: 'the frontmatter keeps to the YAML that every host reads',
    remedy: 'write it in a simpler form; the official MCP client reads only a part of YAML',
  },
  'frontmatter-unknown-key': {
    level: 'note',
    rule: 'the frontmatter uses the keys of the Agent Skills specification',
    remedy: 'nothing to do if a client needs the field; else move it under metadata. It is served as it is',
  },
  'frontmatter-field-type': {
    level: 'warning',
    rule: 'optional fields have the type that the Agent Skills specification gives them',
    remedy: 'write the field as the specification says; it is served as it is',
  },
  'frontmatter-not-listed': {
    level: 'warning',
    rule: 'metadata maps keys to text, and compatibility is text of 1 to 500 characters',
    remedy: 'write the values as text, in quotes, or run "skillwire validate --fix"; listing: "all" lists the skill as it is',
  },
  'frontmatter-reserved-key': { level: 'warning', rule: 'metadata keys under io.modelcontextprotocol/ are reserved', remedy: 'use a prefix of your own' },

  // name and description
  'name-missing': { level: 'problem', rule: 'the frontmatter has a name', remedy: 'add a line "name: ..." with the name of the folder' },
  'name-invalid': { level: 'problem', rule: 'the name is 1 to 64 of a-z, 0-9 and single inner hyphens', remedy: 'choose a name such as "pdf-tools"' },
  'name-differs-from-folder': { level: 'warning', rule: 'the folder is called like the skill', remedy: 'rename the folder or the skill; hosts that read folders refuse it otherwise' },
  'name-not-unique': { level: 'note', rule: 'names are unique within a listing', remedy: 'rename one of them; hosts must tell skills of one name apart by their URI' },
  'description-missing': { level: 'problem', rule: 'the frontmatter has a description', remedy: 'add a line "description: ..." that says what the skill does and when to use it' },
  'description-invalid': { level: 'problem', rule: 'the description is text of 1 to 1,024 characters', remedy: 'write one to three sentences that say what the skill does and when to use it' },

  // the skill as a whole
  'skill-too-many-files': { level: 'problem', rule: 'a skill has at most 512 files', remedy: 'remove files, exclude them with .skillignore, or split the skill' },
  'skill-too-large': { level: 'problem', rule: 'the files of a skill have at most 16 MiB together', remedy: 'remove files, exclude them with .skillignore, or split the skill' },
  'skill-uri-taken': { level: 'problem', rule: 'each skill has a URI of its own', remedy: 'rename one of the two, or serve one of the folders under a label (LABEL=FOLDER)' },
  'skill-linked-twice': { level: 'note', rule: 'a folder that is reached twice is one skill', remedy: 'nothing to do; remove the link if it is not wanted' },
  'agent-folder-left-out': { level: 'note', rule: 'skills in the folders of agents are published only if that is wanted', remedy: 'add --agent-folders, or name the folder' },
  'hidden-folder-left-out': { level: 'warning', rule: 'hidden folders are not read', remedy: 'name the folder, or rename it' },
  'installed-copies': { level: 'note', rule: 'installed copies are no offer of their own', remedy: 'nothing to do; name the folder to read them all the same' },

  // files
  'file-name-not-utf8': { level: 'problem', rule: 'file names are valid UTF-8', remedy: 'rename the file' },
  'file-name-unusable': { level: 'problem', rule: 'file names can be written as a URI path', remedy: 'rename the file' },
  'file-name-windows': { level: 'warning', rule: 'file names can be created on Windows', remedy: 'rename the file; it cannot be installed on Windows' },
  'file-names-collide': { level: 'problem', rule: 'names in a folder differ by more than case and Unicode form', remedy: 'rename one of the files; only one of them can exist on macOS and Windows' },
  'file-path-too-long': { level: 'problem', rule: 'paths have at most 1,024 characters and 32 levels', remedy: 'shorten the path' },
  'file-not-regular': { level: 'problem', rule: 'only ordinary files and folders are served', remedy: 'remove the pipe, socket or device' },
  'file-unreadable': { level: 'problem', rule: 'files can be read', remedy: 'check the permissions of the file' },
  'file-too-large-for-stdio': {
    level: 'warning',
    rule: 'a file fits into one 10 MiB line of the stdio transport',
    remedy: 'make the file smaller or serve over HTTP; clients on stdio lose their connection when they read it',
  },
  'file-secret': {
    level: 'warning',
    rule: 'private keys and credentials are not published',
    remedy: 'remove the file from the skill; if it holds no secret, publish it with --publish FILE or "publish" in skillwire.json',
  },
  'file-hidden': {
    level: 'note',
    rule: 'hidden files are not published',
    remedy: 'nothing to do if the skill does without them; else rename them, or publish them with --publish PATH or "publish" in skillwire.json',
  },
  'file-secret-published': {
    level: 'note',
    rule: 'files that look secret or are hidden are published only if they are named',
    remedy: 'nothing to do if everybody may read the file; else remove its name from "publish" or --publish',
  },
  'file-hard-linked': {
    level: 'warning',
    rule: 'the files of a skill have no other hard links',
    remedy: 'check that everybody may read the files; replace each one with a copy of its own if it belongs to something else',
  },
  'publish-unused': { level: 'warning', rule: 'files named in "publish" are there', remedy: 'correct the path, or remove it' },
  'link-leaves-root': { level: 'problem', rule: 'links stay inside the served folder', remedy: 'copy the target into the skill, or serve the folder it is in as a root too' },
  'link-broken': { level: 'problem', rule: 'links lead somewhere', remedy: 'mend or remove the link' },
  'link-loop': { level: 'problem', rule: 'links do not lead back to a folder above them', remedy: 'remove the link' },

  // the root
  'root-unavailable': { level: 'problem', rule: 'the served folder can be read', remedy: 'restore the folder; it is picked up as soon as it is back' },
  'root-empty': { level: 'warning', rule: 'the served folder holds at least one skill', remedy: 'add a folder with a SKILL.md, or name another folder' },
  'archive-unusable': { level: 'problem', rule: 'a served archive can be unpacked', remedy: 'put a whole archive in its place; it is picked up as soon as it is there' },
  'scan-limit': { level: 'problem', rule: 'a served folder stays within the limits of a scan', remedy: 'name the folder that holds the skills, not one far above it' },
  'ignore-file': { level: 'problem', rule: '.skillignore can be used as a whole', remedy: 'make it a readable text file of at most 64 KiB' },
  'watch-limit': { level: 'warning', rule: 'the system lets the served folders be watched', remedy: 'raise the limit of the system (on Linux fs.inotify.max_user_watches), or serve fewer folders' },
  'scan-failed': { level: 'problem', rule: 'a served folder can be scanned', remedy: 'mend what the message names; the skills are served as they were until then' },
  'cache-unwritable': {
    level: 'note',
    rule: 'the digest cache can be written',
    remedy: 'make the folder writable, set SKILLWIRE_HOME to one that is, or use --no-cache; the next start reads everything again',
  },
  'too-many-findings': { level: 'note', rule: 'findings are listed up to a limit', remedy: 'mend those listed and run again' },

  // publishing as a site
  'publish-name-alias': {
    level: 'warning',
    rule: 'no two skills of a site have one name',
    remedy: 'rename one of the skills; a site knows no paths, and readers find another name in SKILL.md than in the index',
  },
  'publish-v01-path': {
    level: 'warning',
    rule: 'paths are printable ASCII without \\ ? # [ ] % and ".."',
    remedy: 'rename the file for readers of the older index; others get the skill as an archive',
  },
  'publish-archive': { level: 'problem', rule: 'a skill fits into an archive that every system can unpack', remedy: 'shorten the path that the message names' },
  'publish-unreadable': { level: 'problem', rule: 'a site can read every file of a skill', remedy: 'fix what the message names; the skill joins the index once its files can be read' },
  'publish-dynamic': { level: 'warning', rule: 'a published skill has the same bytes for everybody', remedy: 'serve it over MCP; a site cannot publish it' },

  // other origins
  'origin-entry-refused': {
    level: 'problem',
    rule: 'an entry of a listing follows the specification of its form',
    remedy: 'tell the operator of the server; the other skills of the listing can be used',
  },
  'origin-entry-unusual': { level: 'warning', rule: 'an answer of a server has everything that SEP-2640 asks for', remedy: 'tell the operator of the server; other hosts may refuse the answer' },
  'origin-listing-cut': { level: 'warning', rule: 'a listing comes to an end within its limits', remedy: 'tell the operator of the server; skills beyond the limit can be used by their URI' },
  'origin-nothing-connected': { level: 'note', rule: 'a live program is connected', remedy: 'start the program that exposes skills, and ask again' },
  'origin-older-dialect': { level: 'note', rule: 'a server of skills speaks SEP-2640', remedy: 'tell the operator of the server; hosts that know nothing else see no skills there' },
  'origin-stale': {
    level: 'warning',
    rule: 'an origin that is mirrored answers',
    remedy: 'see whether the origin is reachable; its skills are served as they were until it answers again',
  },
  'site-index-unusual': {
    level: 'warning',
    rule: 'a site publishes an index that every reader understands',
    remedy: 'tell the operator of the site; other readers may find no skills there, or other ones',
  },
  'site-elsewhere': {
    level: 'warning',
    rule: 'a site publishes its skills at the address that was given',
    remedy: 'use the address that the message names if that is what you mean',
  },
  'repository-elsewhere': {
    level: 'warning',
    rule: 'a Git repository is at the address that was given',
    remedy: 'use the address that the message names; the old name can be taken by somebody else',
  },
  'site-name-differs': {
    level: 'warning',
    rule: 'the index of a site calls a skill as its SKILL.md does',
    remedy: 'use the skill by its URI; other readers know it by the name in the index',
  },
  'site-file-missing': {
    level: 'warning',
    rule: 'a site serves every file that its index lists',
    remedy: 'tell the operator of the site; the skill refers to a file that is not there',
  },
  'site-unverified': {
    level: 'note',
    rule: 'a site promises digests of what it publishes',
    remedy: 'ask the operator for an index of v0.2; until then nothing proves that everybody gets the same bytes',
  },

  // live runtimes
  'runtime-path-unmappable': {
    level: 'problem',
    rule: 'a path of a runtime can be written as the URI of a skill',
    remedy: 'shorten the id of the runtime or the segment; callPath and the HTTP routes reach it as it is',
  },
  'runtime-path-taken': { level: 'problem', rule: 'paths of a runtime differ by more than the spelling of their last segment', remedy: 'expose one of the two' },
  'runtime-content-type': { level: 'problem', rule: 'a skill of a runtime is Markdown or plain text', remedy: 'expose it as text/markdown' },
  'runtime-answer-refused': { level: 'problem', rule: 'a runtime answers with the bytes that it declared', remedy: 'expose the text again; nothing of it is served until its digest holds' },
  'runtime-answer-missing': { level: 'warning', rule: 'a runtime answers for the skills that it declared as static', remedy: 'look at the runtime; until it answers the skill counts as dynamic' },

  // pinned skills
  'pinned-drift': { level: 'warning', rule: 'a pinned skill is what its runtime says today', remedy: 'look at both, then pin it again, or unpin it' },
  'pinned-parent': { level: 'warning', rule: 'no live skill lies inside a pinned one', remedy: 'pin it too, then the one around it again; or unpin the one around it' },
  'pinned-refused': { level: 'warning', rule: 'a skill that a rule wants pinned can be pinned', remedy: 'let the rule match what is inside it too, or mend what the message names' },
  'pinned-unusable': { level: 'problem', rule: 'the bytes of a pinned skill are in the store', remedy: 'pin it again' },

  // what a policy decides about skills that are served on
  'policy-waiting': {
    level: 'note',
    rule: 'the current version of a skill is approved',
    remedy: 'look at it with "skillwire diff", then run "skillwire approve"; agents get the approved version until then',
  },
  'policy-denied': { level: 'note', rule: 'a skill is not denied by a person or a rule', remedy: 'change the skill or the policy, or take the denial back; nothing of it is served' },
  'policy-disabled': { level: 'note', rule: 'a skill is not disabled', remedy: 'run "skillwire enable" to serve it again' },
  'approved-lost': { level: 'problem', rule: 'the bytes of an approved skill are in the store', remedy: 'approve the skill again, as it is now' },
} as const satisfies Record<string, Row>;

/** Parts that the help of several commands has in common. */

export const originHelp = `ORIGIN is a folder (./skills), an archive (./skills.zip, ./skill.tar.gz), a site (https://HOST), an MCP server
(mcp:URL, or stdio:COMMAND, which is started without a shell), the live runtimes of a hub (mdp:ws://HOST:PORT), a Git
repository (git:URL#REF), the folders of an agent (agent:claude-code), or a label of skillwire.json or of "skillwire
origins list". LABEL=ORIGIN gives it a name; approvals are kept under it.
Secrets come from the environment only: --token-env and --header name variables.`;

export const skillHelp = 'SKILL is a URI, the path of a skill, a name that no other skill has, or LABEL:NAME.';

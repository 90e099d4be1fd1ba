/**
 * Reads every skill of a server with the client of mcp-use: `node mcp-use-client.mjs FOLDER URL`, with FOLDER its built package.
 * Prints the entries, each file as base64 and the directory of the first skill, as JSON.
 */
const [folder, url] = process.argv.slice(2);
const { MCPClient } = await import(new URL('dist/index.js', `file://${folder}/`).href);

const client = new MCPClient({ mcpServers: { skills: { url } } });
const session = await client.createSession('skills');
const { skills } = await session.listAllSkills();
const entries = [];
for (const { uri } of skills) {
  const { skill } = await session.getSkill(uri);
  const files = [];
  for (const { uri, digest } of skill.resources ?? []) {
    const { contents } = await session.readResource(uri);
    const [{ text, blob }] = contents;
    files.push({ uri, digest, base64: blob ?? Buffer.from(text).toString('base64') });
  }
  entries.push({ uri, name: skill.frontmatter.name, files });
}
const { resources } = await session.readResourceDirectory(skills[0].uri.replace(/\/SKILL\.md$/, '/'));
console.log(JSON.stringify({ entries, directory: resources.map(({ uri }) => uri) }));
await client.closeAllSessions();
process.exit(0);

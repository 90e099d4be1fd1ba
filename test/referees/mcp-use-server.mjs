/** A server of the framework mcp-use. It serves the folder `skills` of its working directory and prints its address. */
import { MCPServer } from 'mcp-use';

const server = new MCPServer({ name: 'mcp-use-peer', version: '1.0.0', logging: { enabled: false }, skills: true });
const { port } = await server.listen(0);
console.log(`listening on ${port}`);

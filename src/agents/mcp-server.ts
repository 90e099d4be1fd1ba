/** An MCP server as a client's configuration describes it. Secrets are names of environment variables, never values. */

export type McpServer = RemoteServer | StdioServer;

export interface RemoteServer {
  /** The name that the client shows; a key in its file. */
  readonly name: string;
  readonly url: string;
  /** The environment variable with the bearer token. */
  readonly tokenEnv?: string;
  /** For the login of the client, if the identity provider registers no clients. */
  readonly clientId?: string;
  /** Other headers, each with the environment variable of its value. */
  readonly headers?: readonly { readonly name: string; readonly variable: string }[];
}

export interface StdioServer {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Environment variables that the client passes to the server. */
  readonly env?: readonly string[];
}

/** A value in a server's entry in the file of a client. */
export type Setting = string | number | boolean | readonly string[] | Readonly<Record<string, string>>;
export type ClientEntry = Readonly<Record<string, Setting>>;

/** The variables whose values the server needs, each once. */
export function serverVariables(server: McpServer): readonly string[] {
  if (!('url' in server)) return [...new Set(server.env ?? [])];
  const { tokenEnv, headers = [] } = server;
  return [...new Set([...(tokenEnv === undefined ? [] : [tokenEnv]), ...headers.map(({ variable }) => variable)])];
}

/** Headers with placeholders for the values of variables. */
export function headerSettings(
  { tokenEnv, headers = [] }: RemoteServer,
  placeholder: (variable: string) => string,
): Readonly<Record<string, string>> {
  return {
    ...(tokenEnv === undefined ? {} : { Authorization: `Bearer ${placeholder(tokenEnv)}` }),
    ...Object.fromEntries(headers.map(({ name, variable }) => [name, placeholder(variable)])),
  };
}

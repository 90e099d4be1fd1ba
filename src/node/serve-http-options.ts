/** Where a server listens, and to whom it answers. */
export interface ServeHttpOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Names by which clients may address this server, besides the address itself. */
  readonly allowedHosts?: readonly string[];
  /** Web origins whose pages may use this server. */
  readonly allowedOrigins?: readonly string[];
  /** Listen beyond loopback although everybody who reaches the port may read everything. */
  readonly allowUnauthenticatedRemote?: boolean;
}

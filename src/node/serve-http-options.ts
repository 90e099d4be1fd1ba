/** Where a server listens, and to whom it answers. */
import type { ArchiveFormat } from '../archive/archive-file.ts';

/** Where to listen, and which hosts and web origins may ask. */
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
  /** In which form skills with several files are published at `/.well-known/agent-skills/`. Default `tar.gz`. */
  readonly archiveFormat?: ArchiveFormat;
}

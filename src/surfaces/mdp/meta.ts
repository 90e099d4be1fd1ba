/**
 * `/mdp/meta`: what this hub is, for programs that look for MDP servers. The cluster id is random: a reference server in its
 * default mode would take a hub with the same id for its leader and wait for answers that never come.
 */
import { mdpProtocolRange, mdpProtocolVersion } from '../../dialects/mdp/messages.ts';

export interface HubIdentity {
  readonly serverId: string;
  readonly clusterId: string;
}

export function createHubIdentity(): HubIdentity {
  const id = crypto.randomUUID();
  return { serverId: `skillwire-${id.slice(0, 8)}`, clusterId: `skillwire:${id}` };
}

/** `base` is scheme, host and port as the client addressed us. */
export function metaDocument({ serverId, clusterId }: HubIdentity, base: string): Readonly<Record<string, unknown>> {
  const ws = base.replace(/^http/, 'ws');
  return {
    protocol: 'mdp',
    protocolVersion: mdpProtocolVersion,
    supportedProtocolRanges: [mdpProtocolRange],
    serverId,
    endpoints: {
      ws,
      httpLoop: `${base}/mdp/http-loop`,
      auth: `${base}/mdp/auth`,
      meta: `${base}/mdp/meta`,
      cluster: `${ws}/mdp/cluster`,
    },
    features: { upstreamProxy: false, clusterControl: false },
    cluster: {
      id: clusterId,
      membershipMode: 'static',
      membershipFingerprint: clusterId,
      role: 'leader',
      term: 0,
      leaderId: serverId,
      leaderUrl: ws,
      leaseDurationMs: 4_000,
      knownMemberCount: 1,
      reachableMemberCount: 1,
      quorumSize: 1,
      hasQuorum: true,
    },
  };
}

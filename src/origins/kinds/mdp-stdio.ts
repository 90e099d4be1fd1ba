/** `mdp:stdio:COMMAND`: an MDP server that is started here and has a bridge on stdio, as the reference has. */

import { given } from '../../given.ts';
import { limits } from '../../limits.ts';
import type { HubDirectory } from '../../sources/mdp-runtime/hub-directory.ts';
import { programActs } from '../../trust/location-acts.ts';
import { joinCommand, splitCommand } from '../command-words.ts';
import { openServer, startedProgram } from '../open-server.ts';
import type { OriginKind } from '../origin-kind.ts';
import { wordsField } from '../place-fields.ts';
import type { OpenOriginOptions } from '../place-way.ts';

export interface MdpStdioLocation {
  readonly kind: 'mdp-stdio';
  readonly hubCommand: readonly string[];
}

export interface OriginHubCommand {
  readonly label?: string;
  readonly hubCommand: readonly string[];
}

export const mdpStdio: OriginKind<MdpStdioLocation, OriginHubCommand> = {
  key: 'mdp',
  prefixed: {
    prefixes: ['mdp:stdio:'],
    parse: (text, prefix) => ({ hubCommand: splitCommand(text.slice(prefix.length)) }),
  },
  spec: 'hubCommand',
  location: ({ hubCommand }) => ({ kind: 'mdp-stdio', hubCommand }),
  read: (fields) => ({ kind: 'mdp-stdio', hubCommand: wordsField(fields, 'hubCommand') }),
  text: ({ hubCommand }) => `mdp:stdio:${joinCommand(hubCommand)}`,
  local: false,
  polled: true,
  credentials: 'program',
  acts: ({ hubCommand }) => programActs(hubCommand),
  async open(location, way) {
    const { liveSource } = await import('../../sources/mdp-runtime/mdp-runtime-source.ts');
    return liveSource(await openHub(location, way));
  },
  hub: openHub,
};

async function openHub({ hubCommand }: MdpStdioLocation, way: OpenOriginOptions): Promise<HubDirectory> {
  const { toolsDirectory } = await import('../../sources/mdp-runtime/tools-directory.ts');
  const program = await startedProgram(hubCommand, way);
  const { timeoutMs = Number.POSITIVE_INFINITY } = way;
  // A shorter timeout than a server needs to settle is kept.
  const settleMs = Math.min(limits.liveSkills.settleMs, timeoutMs / 2);
  return toolsDirectory(await openServer({ ...program, ...given({ timeoutMs: way.timeoutMs }) }), { settleMs });
}

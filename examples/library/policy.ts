import { openHost, type PolicyRule } from 'skillwire/host';

export const policy: readonly PolicyRule[] = [
  { effect: 'deny', dynamic: true, reason: 'nothing that cannot be verified' },
  { effect: 'deny', origin: 'docs', hasScripts: true, reason: 'documentation needs no scripts' },
  { effect: 'allow', origin: 'platform', grants: { allowedTools: true }, reason: 'reviewed by the platform team' },
];
export const open = () => openHost(['platform=./platform/skills', 'docs=mcp:https://docs.example.com/mcp'], { policy });

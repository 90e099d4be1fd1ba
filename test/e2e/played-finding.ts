/** Commands that find skills: by words, by templates of a hostile server, and at servers of older dialects. */
import { formA0, formC } from '../peers/servers/index-drafts.ts';
import { githubTemplates } from '../peers/servers/named-and-templates.ts';
import { type StandIn, startStandIn } from '../peers/servers/stand-in.ts';
import type { Play } from './played-commands.ts';

export async function playFinding(play: Play): Promise<void> {
  const { run } = play;
  await run('search', 'search', 'merge pdf files', './skills', 'again=./skills', 'mcp:http://127.0.0.1:1/mcp');
  await run('search', 'search', 'nothing\u001b[31m', './skills');
  const server = await startStandIn(hostileTemplates());
  const origin = `repos=mcp:${server.url}`;
  try {
    await run('templates', 'templates', origin);
    await run('templates', 'templates', origin, '1');
    await run('templates', 'templates', origin, '1', 'owner=acme', 'repo=handbook', 'skill_name=onboarding');
  } finally {
    await server.close();
  }
  for (const older of [formA0(), formC()]) await playOlder(play, older);
}

/** Of a server of an older dialect. */
async function playOlder({ run }: Play, standIn: StandIn): Promise<void> {
  const server = await startStandIn(standIn);
  const origin = `older=mcp:${server.url}`;
  try {
    await run('list', 'list', origin);
    await run('show', 'show', origin, 'git-workflow', '--fetch');
    await run('search', 'search', 'git', origin);
    await run('verify', 'verify', origin);
  } finally {
    await server.close();
  }
}

function hostileTemplates(): StandIn {
  const plain = githubTemplates();
  return {
    ...plain,
    methods: {
      ...plain.methods,
      'resources/templates/list': () => ({
        resourceTemplates: [
          {
            uriTemplate: 'skill://{owner}/{repo}/{skill_name}/{+file_path}',
            name: 'repo_skill',
            title: 'Red \u001b[31m',
            description: 'Red \u001b]0;title\u0007',
          },
        ],
      }),
      'completion/complete': () => ({ completion: { values: ['acme', 'red\u001b[31m'], total: 2, hasMore: false } }),
    },
  };
}

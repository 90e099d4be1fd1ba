// The rooms of src/ and which rooms each may use; docs/explanation/architecture.md shows the same as a picture.
// Everyone may use errors.ts, limits.ts, project.ts, derive.ts, defined-fields.ts and async/.

const rooms = {
  // Flow control: knows nothing of skills.
  async: [],
  skill: [],
  dialects: ['skill'],
  policy: ['skill'],
  search: ['skill'],
  archive: ['skill'],
  outbound: ['skill'],
  store: ['skill'],
  // Signatures are bytes and keys: who is trusted, and what follows from a verdict, is decided elsewhere.
  signing: ['skill'],
  agents: [],
  // From what somebody wrote to a typed place, and from there to a source. It names dialects, knows the folders of agents, and asks the
  // user's state what was accepted before it opens something.
  origins: ['sources', 'trust', 'outbound', 'skill', 'dialects', 'agents', 'store', 'credentials'],
  // What the user logged in to. Of the store its ports; requests are handed in.
  credentials: ['skill', 'store/private-records\\.ts$'],
  // Decides over plain values; who asks a person and where it is recorded is elsewhere.
  trust: ['skill'],
  // Which hidden folders hold skills is known from the table of agents.
  sources: ['dialects', 'skill', 'archive', 'outbound', 'runtimes', 'agents/agent-table\\.ts$'],
  runtimes: ['dialects', 'skill'],
  // The one authority on what is served. Of the store its ports.
  serving: ['policy', 'signing', 'skill', 'store'],
  transforms: ['sources/(skill-source|derive-source)\\.ts$', 'policy', 'serving', 'skill', 'store'],
  catalog: ['sources/skill-source\\.ts$', 'skill', 'search'],
  // Of the sources a surface sees only the port: who asks is part of every call.
  surfaces: ['catalog', 'serving', 'dialects', 'skill', 'archive', 'runtimes', 'sources/skill-source\\.ts$'],
  host: ['sources/skill-source\\.ts$', 'dialects', 'policy', 'signing', 'skill', 'store'],
  // Looks at servers from outside: what they say on the wire, and their bytes. No policy, no state.
  verifier: ['dialects', 'skill', 'sources'],
  // What a live program loads; a page loads it as it is.
  'runtime-client': ['dialects', 'skill'],
  // Bytes come only from the host; names and digests are checked as everywhere.
  sync: ['host', 'agents', 'store', 'skill', 'origins'],
};

const boundaries = Object.entries(rooms).map(([room, allowed]) => ({
  name: `${room}-uses-only-its-own`,
  severity: 'error',
  from: { path: `^src/${room}/`, pathNot: '\\.test\\.ts$' },
  to: {
    path: '^src/',
    pathNot: [
      `^src/${room}/`,
      '^src/(errors|limits|project|derive|defined-fields)\\.ts$',
      '^src/async/',
      ...allowed.map((to) => `^src/${to}${to.endsWith('$') ? '' : '/'}`),
    ],
  },
}));

module.exports = {
  forbidden: [
    ...boundaries,
    { name: 'no-cycles', severity: 'error', from: { path: '^src/' }, to: { circular: true } },
    {
      name: 'what-everyone-uses-uses-nothing',
      severity: 'error',
      from: { path: '^src/(errors|limits|project|derive|defined-fields)\\.ts$' },
      to: { path: '.+' },
    },
    {
      name: 'nobody-uses-testing',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/testing/', '\\.test\\.ts$'] },
      to: { path: '^src/testing/' },
    },
    {
      name: 'only-the-edge-uses-the-command-line',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/cli/' },
      to: { path: '^src/cli/' },
    },
    {
      // What a file names becomes a place only together with what the user has accepted of it.
      name: 'places-come-with-their-trust',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/origins/', '\\.test\\.ts$'] },
      to: { path: '^src/origins/(open-place|open-server)\\.ts$' },
    },
    {
      name: 'only-cli-uses-gateway-and-node',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/(cli|node|gateway|testing)/', '\\.test\\.ts$'] },
      to: { path: '^src/(node|gateway)/' },
    },
    {
      // Composition without a file system and without signals: `node` hands those in.
      name: 'the-gateway-does-not-use-node',
      severity: 'error',
      from: { path: '^src/gateway/', pathNot: '\\.test\\.ts$' },
      to: { path: '^src/node/' },
    },
    {
      name: 'node-built-ins-have-their-rooms',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: [
          '^src/(node|cli|sync|origins|archive|outbound|signing|testing)/',
          '^src/store/embedded/',
          '^src/sources/(directory|archive|git)/',
          '\\.test\\.ts$',
        ],
      },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'the-mcp-sdk-has-its-rooms',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: [
          '^src/(node|testing)/',
          '^src/surfaces/mcp/',
          '^src/sources/mcp-server/',
          // OAuth of MCP.
          '^src/credentials/',
          // The environment of a started server is the one that the SDK gives.
          '^src/origins/start-server-child\\.ts$',
          '\\.test\\.ts$',
        ],
      },
      to: { path: 'node_modules/@modelcontextprotocol/' },
    },
    {
      name: 'no-test-code-in-the-product',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.test\\.ts$' },
      to: { path: '(\\.test\\.ts$|^test/)' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'default'] },
  },
};

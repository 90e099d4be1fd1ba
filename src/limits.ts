/** Every byte, count, depth and time limit of Skillwire, with its reason. Nothing elsewhere waits or grows without one of these. */

const KiB = 1024;
const MiB = 1024 * KiB;

export const limits = {
  skill: {
    /** Hosts must accept a skill up to here and may refuse a larger one (SEP-2640), so a larger one is not served. */
    files: 512,
    bytes: 16 * MiB,
    /** The Agent Skills specification: longest name, description and compatibility text. */
    nameLength: 64,
    descriptionLength: 1024,
    compatibilityLength: 500,
    /** Above these an author gets a note: the whole body enters the model's context when the skill is loaded. */
    bodyTokens: 5_000,
    bodyLines: 500,
  },
  frontmatter: {
    /** The largest of 42,098 public skills has 9 KiB; the rest is room. Checked before the YAML parser sees a byte. */
    bytes: 64 * KiB,
    depth: 32,
    /** Values after aliases are expanded: what a 400-byte "billion laughs" is stopped by. */
    nodes: 2_000,
    aliases: 64,
    /** Lines whose missing quotes are mended in mind to look for more faults behind them; each costs one more parse. */
    mends: 16,
    /** Findings about one SKILL.md; one hostile file must not crowd out those about others. */
    findings: 100,
  },
  path: {
    /** The longest public skill path has 216 characters and 15 levels; hosts refuse above 1,024. */
    characters: 1_024,
    segmentBytes: 255,
    depth: 32,
  },
  uri: {
    /** A path of 1,024 characters, each percent-encoded as up to four bytes. */
    characters: 12 * KiB + 64,
    /** A label, a prefix and the deepest path of a file. */
    segments: 100,
  },
  scan: {
    /** Directory entries looked at below one root; stops a scan of a whole disk. */
    entries: 1_000_000,
    depth: 64,
    /** Synchronous work on a local disk before other work of the process gets its turn. */
    sliceMs: 8,
    /** Memory into which files are read to be hashed; larger files get memory of their own. */
    scratchBytes: 1 * MiB,
    /** Files read at the same time: enough to keep libuv's four threads busy. */
    parallelReads: 16,
    /** A single file must be read within this time, so that a dead network drive is a finding and not a hang. */
    fileReadMs: 10_000,
    /** How often a file that changes while it is read is read again before that becomes a finding. */
    unstableRetries: 5,
    /** One `.skillignore`: its size, and what keeps its patterns from taking exponential time. */
    ignoreFileBytes: 64 * KiB,
    ignoreLines: 1_000,
    ignoreStars: 2,
    /** Links that are followed below one root: links to folders full of links multiply. */
    links: 1_000,
    /** Names of entries that are remembered, since most folders have the same few. */
    knownNames: 1_024,
    /** Findings kept per root; the number beyond is told in one more finding. */
    findings: 10_000,
  },
  watch: {
    /** A change is published when nothing has moved for this long: half-written files are not. */
    quietMs: 120,
    /** A folder that never rests is published at the latest after this long, as the files then are. */
    longestWaitMs: 800,
    /** Polling, where the system's watch limit is reached. */
    pollMs: 900,
    /** Watches are set this long after the first listing, so that whoever waits for it is answered first. */
    armMs: 50,
    /** Directories watched one by one where the system has no recursive watch. */
    watchers: 100_000,
  },
  stdio: {
    /** Clients built on the official SDK close the connection at a line of 10 MiB. */
    lineBytes: 10 * MiB,
    /** The longest request we accept: nothing in this protocol needs more. */
    requestBytes: 4 * MiB,
    /** The longest id that is echoed of a line that is not a message. */
    idCharacters: 256,
    /** After stdin ends or a signal arrives, answers in flight get this long. */
    shutdownMs: 2_000,
  },
  pages: {
    /** Of a page, unless the list then had more pages than it should: some hundred kilobytes, there at once. */
    entries: 400,
    /** The official client gives a list up after 64 pages; a long list has larger pages instead. */
    perList: 60,
    bytes: 4 * MiB,
    /** A decoded cursor is one skill URI. */
    cursorCharacters: 20 * KiB,
    /** The protocol's own bound on completion values. */
    completions: 100,
  },
  reads: {
    /** Files up to here are encoded in one go: about a millisecond. */
    wholeBytes: 256 * KiB,
    /** Larger ones are encoded in pieces of this size, with other work between them. */
    pieceBytes: 192 * KiB,
  },
  cache: {
    /** Bytes of recently read files. */
    bytes: 64 * MiB,
    /** The same as JSON. */
    contentsBytes: 32 * MiB,
    /** Entries of recently asked skills as JSON. */
    entryBytes: 8 * MiB,
    /** Pages of `skills/list` as JSON: those of some 30,000 ordinary skills. */
    pageBytes: 32 * MiB,
  },
  digestCache: {
    /** What is kept of one root: 100,000 skills take 65 MiB. */
    bytes: 256 * MiB,
    /** Of all roots that were ever served; the oldest make room. */
    files: 64,
    folderBytes: 512 * MiB,
    /** After the first listing, so that whoever waits for it is answered before anything is written. */
    delayMs: 1_000,
  },
  dynamic: {
    /** A generated SKILL.md, and the time its function may take. */
    bytes: 1 * MiB,
    ms: 30_000,
  },
  ttl: {
    watchedMs: 60_000,
    unwatchedMs: 300_000,
  },
  http: {
    /** Messages in one batch of revision 2025-03-26; later revisions have none. */
    batch: 16,
    requestBytes: 4 * MiB,
    /** Requests up to here are read at once and tried without the SDK; those that it need not answer have some hundred bytes. */
    hotRequestBytes: 64 * KiB,
    /** No message of the protocol needs a tenth of this; a parser or schema that recurses must not meet more. */
    jsonDepth: 64,
    headerBytes: 16 * KiB,
    headersMs: 10_000,
    requestMs: 30_000,
    keepAliveMs: 5_000,
    /** How often slow headers, slow bodies and idle connections are looked for. */
    connectionCheckMs: 1_000,
    connections: 4_096,
    requestsPerSocket: 10_000,
    /** A client that does not read its answer for this long is cut off. */
    stalledWriteMs: 30_000,
    /** What a client may go on sending of a request that was refused, so that it gets to reading the answer. */
    discardedBytes: 8 * MiB,
    discardMs: 2_000,
    /** Streams of `subscriptions/listen`, all clients together. */
    subscriptions: 1_024,
    /** After a signal, open requests get this long. */
    shutdownMs: 5_000,
  },
  sessions: {
    /** Sessions of protocol revisions before 2026-07-28; the one idle longest makes room. */
    count: 1_000,
    idleMs: 30 * 60_000,
    /** URIs that one session may subscribe to. */
    subscriptions: 1_024,
  },
  messages: {
    /** Text from outside that a message quotes; what is cut off says nothing more about the fault. */
    quotedCharacters: 80,
  },
  page: {
    /** Rows of the overview page: what a browser shows without delay and a person still scrolls through. */
    skills: 1_000,
    findings: 500,
  },
  configuration: {
    bytes: 1 * MiB,
    /** Nesting of `skillwire.json`, checked before the recursive parser runs; the schema needs four levels. */
    depth: 32,
    /** Faults named in one error message; the number beyond is told. */
    faults: 20,
  },
  cli: {
    /** A command that takes longer says on a terminal what it is doing. */
    progressMs: 1_000,
    /** After the first listing, watches are set and the digest cache is written; at 10,000 skills that takes seconds. */
    startMs: 10_000,
    /** Problems that `serve` prints with their remedy; `validate` prints all. */
    problemsShown: 5,
    /** GitHub refuses a SARIF run with more results than this. */
    sarifResults: 25_000,
  },
} as const;

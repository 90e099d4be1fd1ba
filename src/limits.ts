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
    /** Differences, and remarks, that one comparison of an entry with its file tells. */
    differences: 100,
    /** Frontmatters whose parsing is remembered, none longer than this; half a MiB in all. */
    recentTexts: 64,
    recentCharacters: 4 * KiB,
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
    /** Files with other hard links that a finding names; the others are counted. */
    hardLinksShown: 5,
    /** Hidden files of a skill that a finding names; the others are counted. */
    hiddenFilesShown: 5,
    /** Entries of hidden folders that are looked at to count the skills that are left out, and how deep. */
    hiddenEntries: 20_000,
    hiddenDepth: 8,
    /** Findings kept per root; the number beyond is told in one more finding. */
    findings: 10_000,
  },
  watch: {
    /** A change is published when nothing has moved for this long: half-written files are not. */
    quietMs: 120,
    /** A folder that never rests is published at the latest after this long, as the files then are. */
    longestWaitMs: 800,
    /** The same where a skill would go because its `SKILL.md`, just written to, cannot be read: it is most likely being saved. */
    longestSaveMs: 3_200,
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
    /** Read ahead while the client does not read its answers: so much that its end is noticed. */
    aheadBytes: 64 * KiB,
    /** The longest id that is echoed of a line that is not a message. */
    idCharacters: 256,
    /** After a signal, answers in flight get this long. */
    shutdownMs: 2_000,
    /** After the end of stdin: a large folder that is read for the first time needs some seconds. */
    endedMs: 30_000,
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
    /** URIs of what was found, so that who asks for the same need not look again. */
    foundUris: 4_096,
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
  store: {
    /** How often the state is compared with what is known of it, on file systems that report no changes. */
    followMs: 2_000,
    /** One transaction: the entries of several skills with 512 files each. */
    recordBytes: 16 * MiB,
    /** All values with their history; far above what 10,000 skills with their approvals need, and still read in seconds. */
    journalBytes: 512 * MiB,
    /** A record of the audit names digests and reasons, never content. */
    auditRecordBytes: 64 * KiB,
    /** One line of an export: the largest file of a skill in base64, or the largest value. */
    exportLineBytes: 32 * MiB,
    /** The first line of a journal. */
    headerBytes: 1 * KiB,
    /** What is read of a journal at once. */
    chunkBytes: 256 * KiB,
    /** A journal is written anew when it has this many times the bytes of its values, and more than a small file has. */
    compactFactor: 4,
    compactBytes: 256 * KiB,
    /** Removed decisions that the state itself remembers: about 2 MB. The audit has the older ones, and is compared as well. */
    tombstones: 10_000,
    /** Damaged files that are kept for a person to look at; the oldest goes first. */
    corruptCopies: 5,
    /** Damaged lines told one by one; the number beyond is told at once. */
    faultsTold: 20,
    /** Writes take milliseconds; who waits this long for another process is told who holds the lock. */
    lockWaitMs: 15_000,
    /** A lock whose holder cannot be looked up (another machine, a reused process id) is left alone for this long. */
    unknownHolderMs: 10_000,
    /** The longest pause before a held lock is tried again. */
    lockPauseMs: 40,
    /** Callers of one process share a lock for this long before other processes get their turn. */
    lockTurnMs: 100,
    /** Callers of one process that wait for a lock. */
    waiting: 100_000,
    /** Takeovers that died in mid-takeover, one inside the other. */
    takeovers: 8,
    /** A file that was being written is a leftover after this long: no write takes a tenth of it. */
    leftoverMs: 60 * 60_000,
    /** How exactly the last use of a blob is known; spares a write on most reads. */
    useStepMs: 60_000,
    /** Virus scanners keep files open for moments; a rename is tried again for this long on Windows. */
    renameMs: 2_000,
    /** Bytes of blobs where nothing else is asked for: thousands of ordinary skills. */
    cacheBytes: 512 * MiB,
  },
  dynamic: {
    /** A generated SKILL.md, and the time its function may take. */
    bytes: 1 * MiB,
    ms: 30_000,
  },
  runtimes: {
    /** One frame, and one body of the HTTP loop, from a runtime: a large catalogue, or one skill. */
    messageBytes: 1 * MiB,
    /** Pieces of one frame: a message of this size needs one; thousands of tiny ones are an attack. */
    fragments: 256,
    /** Of one runtime: far more than a person could tell apart. */
    paths: 1_000,
    idCharacters: 256,
    nameCharacters: 256,
    /** Descriptions of endpoints may be long; those of skills are cut to what skills may have. */
    descriptionCharacters: 8 * KiB,
    contentTypeCharacters: 256,
    errorCharacters: 8 * KiB,
    tokenCharacters: 8 * KiB,
    headers: 64,
    /** WebSockets and sessions of the HTTP loop together; each WebSocket is one of `http.connections`. */
    sessions: 3_000,
    /** Sessions of one credential, where credentials are asked for. */
    sessionsPerCredential: 20,
    /** WebSockets from one address, where others than this machine reach the hub. */
    socketsPerAddress: 100,
    /** A session that must prove itself has this long. */
    authenticateMs: 5_000,
    /** Tickets of `/mdp/auth` for the next connection: how long one is good, and how many wait to be used. */
    ticketMs: 60_000,
    tickets: 1_000,
    /** The protocol's heartbeat, and how long a peer may be silent; the reference has the same. */
    pingMs: 30_000,
    silentMs: 90_000,
    /** Pings of the WebSocket itself, which find half-open connections earlier; two may stay without an answer. */
    socketPingMs: 20_000,
    socketPingMisses: 2,
    /** How long a runtime may take to answer; the reference has the same. */
    callMs: 15_000,
    /** Calls that wait for an answer: of one runtime, and of all. */
    pendingPerClient: 64,
    pending: 4_096,
    /** Runtimes that one `callPaths` reaches at once. */
    fanOut: 64,
    /** Messages per second from one runtime, and how many may come at once: answers to a burst of calls. */
    messagesPerSecond: 50,
    messageBurst: 200,
    /** What a runtime may leave unread before it counts as slow, and for how long it may be slow. */
    unreadBytes: 1 * MiB,
    slowMs: 10_000,
    /** Changes within this time are told as one: a restart brings all runtimes back at once. */
    changeMs: 50,
    /** Messages that wait for the next poll of an HTTP loop. */
    queuedMessages: 128,
    /** How long a poll waits where the runtime names no time, and at most. */
    pollMs: 25_000,
    longestPollMs: 60_000,
    /** After a signal, calls under way get this long, and then runtimes to close their end. */
    shutdownMs: 2_000,
    /** Entries of one page of `listClients` and `listPaths`. */
    listed: 200,
  },
  runtimeClient: {
    /** A connection that takes longer to open is taken for none. */
    openMs: 10_000,
    /** Hubs ping every 30 seconds; after three that did not come, the connection is dead. */
    silentMs: 100_000,
    /** The first pause before a lost connection is opened anew, doubled each time, and the longest. */
    retryMs: 1_000,
    longestRetryMs: 30_000,
    /** The same where the hub refused: asking again soon cannot help, and a person may be mending it. */
    refusedRetryMs: 30_000,
    longestRefusedRetryMs: 5 * 60_000,
    /** The least time between two polls of an HTTP loop that brought nothing. */
    idlePollMs: 500,
    /** A connection that lasted this long was good, so the next pause is the first one again. */
    settledMs: 10_000,
    /** What the other side may take to close its end. */
    closeMs: 2_000,
  },
  liveSkills: {
    /** Texts that one runtime declared never to change and that are kept while it exposes them; the others are asked for. */
    staticBytes: 16 * MiB,
    /** Such texts of one runtime that are asked for at the same time. */
    parallelCalls: 8,
    /** Skills of patterns that readers asked for and that are watched for their end. */
    concrete: 1_000,
    /**
     * How long a server that was just started may list nothing before that counts as its answer, and how often it is asked. The reference
     * joins a running one within its election timeout of 7 s; a gateway gives up a listing after 10 s.
     */
    settleMs: 8_000,
    settleEveryMs: 500,
  },
  pin: {
    /** How often a server looks whether something was pinned or unpinned by another process, or has ended. */
    everyMs: 2_000,
    /** How often the live skill behind a pinned one is asked, where nothing tells that it changed. */
    driftMs: 60_000,
    /** How long a reader may keep a pinned entry: it can be unpinned at any time. */
    ttlMs: 60_000,
    /** The longest time for which something is pinned; longer ones are mistyped. */
    longestMs: 3_650 * 24 * 60 * 60_000,
    /** Skills of one command. */
    skills: 100,
    /** Skills that rules pin: a runtime decides how many it has, and each takes room in the state. */
    byRules: 100,
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
    /** Of one address, half of all, so that nobody alone keeps everybody out; a reverse proxy is one address. */
    connectionsPerAddress: 2_048,
    /** Connections above that which may ask once and are told why, and the time that they have for it. */
    refusedPerAddress: 64,
    refusedMs: 1_000,
    requestsPerSocket: 10_000,
    /** A client that does not read its answer for this long is cut off. */
    stalledWriteMs: 30_000,
    /** What a client may go on sending of a request that was refused, so that it gets to reading the answer. */
    discardedBytes: 8 * MiB,
    discardMs: 2_000,
    /** Streams of `subscriptions/listen`, all clients together. */
    subscriptions: 1_024,
    /** Streams of one address, of any kind; half of these, for the same reason. */
    streamsPerAddress: 512,
    /** What of one stream may wait for a client that does not read: an event has some hundred bytes. */
    stream: { events: 256, bytes: 1 * MiB },
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
  outbound: {
    /** One exchange with everything that belongs to it: name lookup, redirects, retries, body. */
    deadlineMs: 60_000,
    /** A body that comes slower than this after the grace time is given up: one byte now and then defeats idle timeouts. */
    bytesPerSecond: 1 * KiB,
    rateGraceMs: 10_000,
    /** What a caller gets who names no limit of its own. */
    bodyBytes: 16 * MiB,
    redirects: 5,
    retries: 3,
    /** The first wait before a retry, doubled each time and varied by half; then the longest wait that is honoured. */
    retryMs: 200,
    retryAfterMs: 30_000,
    /** Requests at the same time, to all hosts together and to one. */
    concurrency: 16,
    perOrigin: 4,
  },
  origin: {
    /** One answer of a server to a small question. */
    deadlineMs: 60_000,
    /** Whether a server speaks the modern revision; one that never answers on stdio is spoken to in the older way. */
    probeMs: 10_000,
    /** One walk through all pages of a listing or a directory. */
    listingMs: 5 * 60_000,
    pages: 1_000,
    entries: 100_000,
    /** Pages in a row that bring nothing new. */
    idlePages: 10,
    pageBytes: 32 * MiB,
    listingBytes: 256 * MiB,
    cursorCharacters: 64 * KiB,
    /** Children of one directory; a skill has at most 512 files. */
    children: 10_000,
    /** JSON may write each byte of a text with six characters; the rest is the envelope. */
    escapedBytes: 6,
    envelopeBytes: 64 * KiB,
    /** The longest line of a stdio server: a skill of 16 MiB in one file, written in the most wasteful way. */
    lineBytes: 6 * 16 * MiB + 64 * KiB,
    /** Lines of a stdio server that are no messages; above that it is not a server. */
    junkLines: 1_000,
    /** What is kept of the error output of a stdio server, and how much of it a message quotes. */
    stderrBytes: 64 * KiB,
    stderrQuotedCharacters: 400,
    /** What a server wrote gets this long to arrive after its end; to end it has this long after stdin, then after SIGTERM. */
    drainMs: 200,
    endMs: 2_000,
    terminateMs: 5_000,
    /** Starts of a stdio server before it is started at most once per `restartMs`. */
    restarts: 5,
    restartMs: 60_000,
    /** Nobody keeps a listing longer than this, whatever its server says. */
    ttlMs: 24 * 60 * 60_000,
    /** Findings about one listing, entries that are refused before it is given up, and faults told about one of them. */
    findings: 1_000,
    refused: 10_000,
    faults: 20,
    /** Free values in an entry (`_meta`): depth and number. */
    metaDepth: 16,
    metaNodes: 2_000,
    /** Text a server says about itself. */
    instructionsCharacters: 64 * KiB,
    /** Answers up to here are parsed as they come; larger ones take turns, since they take a millisecond and more. */
    atOnceBytes: 32 * KiB,
    /** Entries as a server last gave them, none longer than this, so that one that is given again is not checked again. */
    keptAnswers: 64,
    keptCharacters: 64 * KiB,
  },
  wellKnown: {
    /** The index of a site: 10,000 skills with five files each take 4 MiB. */
    indexBytes: 64 * MiB,
    entries: 100_000,
    /** Archives and files that were handed out by digest; a fourth of it holds the largest archive there is. */
    artifactBytes: 128 * MiB,
    /** An index without a skill whose files could not be read is made again after this long: soon, but not for every reader. */
    retryMs: 5_000,
    /** Paths of files of which it is known where they lead; some 150 bytes each. */
    askedFiles: 10_000,
    /** Skills of one build up to which every file is waited for until the disk has it; that takes milliseconds each. */
    syncedSkills: 100,
    /** What a build holds of the files that listing them read: some ten thousand skills. What is beyond is read twice. */
    builtBytes: 256 * MiB,
    /** How long a static site keeps what is no longer published: longer than any reader or cache holds an index. */
    keepDays: 7,
    mostKeepDays: 3_650,
  },
  site: {
    /** One artifact on the wire: a skill of 16 MiB in an archive that compresses nothing, and as much again. */
    artifactBytes: 32 * MiB,
    /** What one listing may fetch: thousands of ordinary skills. What is beyond is told, and is there by URI. */
    listingBytes: 200 * MiB,
    /** Skills of a listing that are fetched at the same time; a page comes with the first of them. */
    window: 8,
    /** Skills in a row that cannot be fetched because the site is silent, before the listing is given up. */
    silences: 3,
    /** Files that were fetched and may be asked for again. */
    heldBytes: 64 * MiB,
    /** How long an index without cache headers is good for: as long as a listing of our own that nobody watches. */
    ttlMs: 300_000,
  },
  mirror: {
    /** How often a mirrored origin is asked for its listing: as it says, but neither more nor less often than this. */
    leastMs: 10_000,
    mostMs: 60 * 60_000,
  },
  gateway: {
    /** One answer of an upstream, where nothing else is configured: who asks the gateway waits at most as long. */
    deadlineMs: 10_000,
    /** The longest and shortest that can be configured. */
    longestDeadlineMs: 5 * 60_000,
    shortestTtlMs: 1_000,
    /** How long the last good listing of an upstream is served while it does not answer, and the most that can be configured. */
    staleMs: 24 * 60 * 60_000,
    longestStaleMs: 30 * 24 * 60 * 60_000,
    /** Calls to one upstream at the same time, calls that wait for their turn, and the most that can be configured. */
    concurrency: 8,
    mostConcurrency: 64,
    waiting: 256,
    /** The first listing waits this long for all upstreams; those that are slower appear as soon as they have answered. */
    firstListingMs: 3_000,
    /** Failures in a row after which an upstream is left alone, and for how long before one call tries again. */
    breakerFailures: 5,
    breakerOpenMs: 30_000,
    /** The pause after a listing that failed, doubled each time, and the longest. */
    retryMs: 1_000,
    longestRetryMs: 30_000,
    /** The last good listing of an upstream that is kept for the next start, and its pieces: each is one line of an export. */
    keptListingBytes: 64 * MiB,
    keptPieceBytes: 4 * MiB,
    /** How often it is noted that a listing is still the same: every note waits for the disk. */
    listingStepMs: 60 * 60_000,
    /** At a start, an upstream of which a listing is kept gets this long before that one is served. */
    keptPatienceMs: 1_500,
    /** Rounds of the hash by which credentials are recognised again: some milliseconds for us, a wall for who guesses them. */
    identityRounds: 20_000,
    /** Gateways behind one another; a longer chain is a loop. */
    hops: 3,
    /** Upstreams of one gateway; each may have a process and connections. */
    origins: 1_000,
    /** Names that several skills share and that are told one by one. */
    sharedNames: 100,
    /** How often the configuration is looked at; it is read again when it has not moved between two looks. */
    reloadPollMs: 500,
    /** Headers, variables, patterns and rules of one origin. */
    settings: 100,
    /** One text of a place in a lock file: an address, a path, a word of a command. Longer ones cannot be shown to be accepted. */
    originCharacters: 4096,
    /** Whoever asks whether the server is ready waits this long for what decides it. */
    probeMs: 250,
    /** What the log and the status quote of an error of an upstream. */
    reasonCharacters: 400,
  },
  access: {
    /** Paths that a pattern of a profile remembers its answer for: callers may ask about any number of them. */
    rememberedPaths: 10_000,
    /** Profiles of one server: each keeps listings and pages of its own. */
    profiles: 100,
    /** Patterns, labels and rules of one profile or policy. */
    patterns: 1_000,
    /** Of the name of a token or a profile. */
    nameCharacters: 100,
    /** The longest that a token may be valid where it ends at all: ten years. */
    tokenMs: 3_650 * 24 * 60 * 60_000,
    /** What follows "Bearer": tokens of other systems have some thousand characters. */
    tokenCharacters: 8 * KiB,
    /** How often it is looked whether tokens were revoked whose streams are open; asks the disk for a time stamp. */
    streamPollMs: 500,
    /** Skills of one origin that are written down as not served; as many as one origin may list. */
    waiting: 10_000,
    /** How many of them in one write, so that a line of the journal stays well within its limit. */
    waitingAtOnce: 200,
    /** Above this number the audit says how many skills are no longer served, not which: every record waits for the disk. */
    auditedAtOnce: 100,
  },
  search: {
    /** What of a body is searched: its first part says what the skill is for, and costs a tenth of the whole. */
    bodyCharacters: 1_500,
    /** What of a SKILL.md is looked at for headings. */
    readBytes: 64 * KiB,
    /** Phrases, tags and sentences of an author together. */
    hintCharacters: 2_000,
    /** Headings together. */
    headingCharacters: 2_000,
    /** A longer word is no word; its beginning is enough to find it. */
    wordCharacters: 40,
    /** Words whose stem is remembered while texts are read. */
    rememberedWords: 100_000,
    /** Different texts of one index: as many as a number beside the weight of a word can name. */
    texts: 1_048_575,
    /** Texts that are gone and still take room, before the index is written anew. */
    goneTexts: 1_000,
    /** A query is a short phrase; what is beyond is not looked at. The rest of a whole task was tried and finds less. */
    queryCharacters: 500,
    queryWords: 32,
    /** Words that a word stands for which no skill has: those that begin with it, or differ in one letter. */
    guesses: 20,
    /** Hits where no number is asked for, and the most that can be. */
    hits: 10,
    mostHits: 50,
    /** Hits of the tool where no number is asked for; a model refines its query rather than reads on. */
    toolHits: 8,
    /** Tokens of one answer of the tool: about 40 for each hit, and 50 hits fit. */
    toolTokens: 2_000,
    /** What the tool shows of a description. */
    descriptionCharacters: 160,
    /** Texts that are looked at for each hit that is asked for, to find its twins. */
    hitsBehind: 4,
    /** Other places of the same text that a hit names. */
    copies: 10,
    /** Near twins that a hit names. */
    twins: 20,
    /** Numbers of a vector: the largest models in use give some thousand. */
    dimensions: 8_192,
    /** Texts whose vectors are compared in full, for each that is wanted. */
    nearCandidates: 10,
    /** Texts that an embedder is given in one call, and characters of each; models read about 256 tokens. */
    embeddedAtOnce: 32,
    embeddedCharacters: 1_000,
    /** How long a search waits for the vector of its query before it ranks by words alone. */
    queryVectorMs: 1_000,
    /** How long one call of an embedder may take, and how long it rests after a failure. */
    embedMs: 60_000,
    embedRestMs: 60_000,
    /** Vectors of one model that are cached for the next start: 33,000 of 1,536 numbers. Those that a run did not use go first. */
    cachedVectorBytes: 64 * MiB,
    /** Vectors are cached in pieces of this size, and so many of them; then they are put together. */
    vectorPieceBytes: 4 * MiB,
    vectorPieces: 64,
    /** Models whose vectors are cached; those that were used last. */
    cachedModels: 4,
    /** How long new vectors wait until they are cached, so that many are written at once. */
    vectorsDelayMs: 2_000,
    /** How long `skillwire search` waits for vectors of texts that it sees for the first time. */
    commandEmbedMs: 20_000,
    /** Queries whose vectors are remembered. */
    rememberedQueries: 1_000,
    /** How long a search waits for texts that are being read; it then answers from what there is, and says so. */
    waitMs: 10_000,
    /** Texts that are read at the same time. */
    parallelReads: 8,
  },
  messages: {
    /** Text from outside that a message quotes; what is cut off says nothing more about the fault. */
    quotedCharacters: 80,
    /** What is shorter is no secret that could be taken out of a text without spoiling it. */
    secretCharacters: 4,
  },
  page: {
    /** Of the token of the page; a shorter one could be guessed. */
    leastTokenCharacters: 16,
    /** Rows of the overview page: what a browser shows without delay and a person still scrolls through. */
    skills: 1_000,
    findings: 500,
    /** Of each description in a listing: two lines on a wide screen. */
    listedDescription: 300,
    /** Of a file that is shown or rendered: the largest of 42,098 SKILL.md that were looked at has 294 kB; Markdown of 1 MiB takes 3 s. */
    textBytes: 256 * KiB,
    /** Rendering one file, in a thread that is ended afterwards. */
    renderMs: 1_000,
    /** Files that wait to be rendered; beyond that they are shown as text. */
    renderings: 32,
    /** A picture of a skill that is shown. */
    imageBytes: 4 * MiB,
    /** Rows of the audit that are shown, newest first. */
    auditRecords: 500,
    /** A decision with its comment. */
    bodyBytes: 16 * KiB,
    /** A comment in the audit. */
    reasonCharacters: 1_000,
    /** Browsers that may approve at the same time; the oldest is signed out. */
    sessions: 64,
    /** A day of work. */
    sessionMs: 12 * 60 * 60_000,
    /** Wrong tokens of one client in a minute; for the rest of it none of its tokens is checked. A typing error is corrected earlier. */
    attempts: 10,
    /** The same of all clients. Behind a proxy all look like one, so a low number would let anybody lock out all others. */
    allAttempts: 300,
    attemptsMs: 60_000,
    /** Pages that follow changes at the same time. */
    eventStreams: 256,
    /** Of one client. A browser opens six at most. All clients behind a proxy together leave as many for others. */
    eventStreamsPerClient: 64,
    /** A comment goes through idle streams this often, so that no proxy takes them for dead. */
    keepAliveMs: 20_000,
    /** How often the token of an open page is checked again. */
    tokenPollMs: 2_000,
    /** Skills whose versions are followed from the first visit on; of others they are once somebody opens them. */
    followedSkills: 2_000,
    /** Their texts that are kept to be compared with later ones: all together, and of one file. */
    followedBytes: 32 * MiB,
    followedFileBytes: 256 * KiB,
    /** Versions of one skill; the oldest goes first. */
    versions: 20,
    /** Of what a runtime answers to "read now". */
    runtimeCharacters: 64 * KiB,
    /** The text of the catalogue that can be asked for on the page. */
    trialCharacters: 200_000,
    /** From here on an answer is packed where the browser can unpack it. */
    packedBytes: 2 * KiB,
  },
  archive: {
    /** As it comes over a wire: the content of the largest skill, packed in the most wasteful way, and as much again. */
    packedBytes: 32 * MiB,
    /** An archive of one skill: what hosts must accept, and room for folders and links beside 512 files. */
    skill: { entries: 1_024, bytes: 16 * MiB },
    /** An archive of many skills, read from a disk: held in memory as a whole. */
    tree: { entries: 10_000, bytes: 64 * MiB },
    /** Headers, long names and padding of one entry of a tar. */
    overheadBytes: 4 * KiB,
    /** One extended header of a tar: its longest path has 4 KiB; macOS adds attributes. */
    metadataBytes: 64 * KiB,
    /** Links that lead to links. */
    linkHops: 8,
    /** What is inflated at once: so far a bomb gets beyond its limit. */
    chunkBytes: 64 * KiB,
    /** Small entries of a zip are inflated without a thread; after this many bytes other work gets its turn. */
    sliceBytes: 1 * MiB,
    /** Files that are written and synced at the same time. */
    parallelWrites: 8,
    /** Packing in one go, before other work of the process gets its turn. */
    turnMs: 8,
  },
  policy: {
    /** Every rule may be tried for every skill. */
    rules: 1_000,
    patternCharacters: 1_024,
    /** `SKILL.md` files of one origin that are read at the same time for rules on content; as many as calls to one upstream. */
    parallelReads: 8,
    /** How long an answer waits for them after a rule was added. A skill that has not been read by then is not served until it is. */
    readPatienceMs: 2_000,
    /** Files of one origin that are noted before those of skills that are gone are forgotten. */
    notedFiles: 10_000,
    /** When a skill is looked at again whose `SKILL.md` could not be read, or that is dynamic and was refused for its content. */
    readAgainMs: 30_000,
  },
  configuration: {
    bytes: 1 * MiB,
    /** Nesting of `skillwire.json`, checked before the recursive parser runs; the schema needs four levels. */
    depth: 32,
    /** Faults named in one error message; the number beyond is told. */
    faults: 20,
  },
  verifier: {
    /** Failures kept for one skill, or for the server as a whole; the others are counted. */
    failures: 200,
    /** Nested skills whose files are compared with the outer entry. */
    nested: 10_000,
    /** Requests in flight: enough to keep a server busy, few enough that it is no attack. */
    parallel: 16,
    mostParallel: 128,
    /** Files of one skill that are read at the same time. */
    parallelFiles: 4,
    /** What is promised of files that are being read: one skill of the largest kind, so that large files go one by one. */
    bytesInFlight: 16 * MiB,
    /** What may come beyond the size of a file, so that it can be counted and told. */
    excessBytes: 64 * KiB,
    /** How often in a row a method may have no answer before it is not called any more; each may take a whole deadline. */
    silences: 3,
    /** Entries of one skill, each of which promises other bytes than come, before that is held against it. */
    versions: 3,
    /** One page of a directory: some thousand children; a skill has 512 files. */
    directoryBytes: 4 * MiB,
    /** Directories that cannot be read before the others are left alone. */
    unusableDirectories: 20,
    /** Verified skills that are written down at once. */
    batch: 500,
    /** Skills whose directories are read and compared, and skills whose files are read again in the other protocol era. */
    sampledSkills: 50,
  },
  cli: {
    /** A command that takes longer says on a terminal what it is doing. */
    progressMs: 1_000,
    /** After the first listing, watches are set and the digest cache is written; at 10,000 skills that takes seconds. */
    startMs: 10_000,
    /** How often `validate --fix` validates again: findings are cut, and the rest is seen when the first are fixed. */
    fixRounds: 20,
    /** Problems that `serve` prints with their remedy; `validate` prints all. */
    problemsShown: 5,
    /** Reasons for which a site is stale that are told one by one; `--json` has all. */
    staleShown: 20,
    /** GitHub refuses a SARIF run with more results than this. */
    sarifResults: 25_000,
    /** How often a line of progress is written anew. */
    progressStepMs: 1_000,
    /** Width of tables where the output is not a terminal, and the least that a cut text keeps of it. */
    tableColumns: 120,
    cutColumns: 16,
    /** The longest `--timeout`: whoever waits an hour for one answer has mistyped it. */
    timeoutMs: 60 * 60_000,
    /** Refused entries and findings that are told one by one; `--json` has all. */
    refusedShown: 5,
    /** Files of one skill that are fetched at the same time. */
    parallelReads: 4,
    /** Values that a person is shown to pick from; more can be asked for by their beginning. */
    offeredValues: 20,
    /** A value from the environment that becomes a header; servers refuse longer ones. */
    headerCharacters: 16 * KiB,
  },
  host: {
    /** The catalogue for a model, where the program names no budget: 4,000 tokens, about a hundred skills. */
    catalogCharacters: 16_000,
    /** The smallest budget: its own words, and one skill with a long label. */
    catalogCharactersLeast: 400,
    /** Characters of a description below which a skill is rather left out. */
    catalogDescriptionLeast: 60,
    /** What one skill is told to ask for, of each kind: more than that a person does not read. */
    asksShown: 100,
    /** Lines of files that are shown as asking for execution. */
    shellLines: 20,
    /** Lines of a text that are compared; longer ones are told as too different. */
    diffedLines: 50_000,
    /** Lines that differ, beyond which finding the shortest difference takes too long: time grows with their square. */
    diffEdits: 1_000,
    diffMs: 1_000,
    /** Lines of one difference, and characters of one of its lines, that are shown. */
    diffLines: 2_000,
    diffLineCharacters: 400,
    /** Lines of all differences of one skill together; each file is shown with so many at least. */
    changeLines: 10_000,
    changeLinesLeast: 20,
    /** Names in one sentence about a change. */
    itemsInSentence: 10,
    /** Origins that are asked at the same time; one that hangs keeps none of the others waiting. */
    parallelOrigins: 16,
    /** Deadline of one call to an origin, where the program names none. */
    callMs: 30_000,
    /** One whole listing: 64 pages at a second each and as much again; what arrived until then is kept as a part. */
    listingMs: 120_000,
    /** Entries of one listing, twice what our own server gives in 64 pages; beyond it the listing counts as a part. */
    listedSkills: 200_000,
    /** A SKILL.md that enters a context at all: 250,000 tokens. */
    skillMdBytes: 1 * MiB,
    /** A plain resource for a model. */
    resourceBytes: 16 * MiB,
    /** Cached content; what the state refers to is kept above it. */
    cacheBytes: 512 * MiB,
    /** What one origin may make the host fetch for a model within the window: twelve of the largest skills. */
    originBytes: 200 * MiB,
    originFiles: 10_000,
    originWindowMs: 10 * 60_000,
    /** Skills up to which a model gets a tool that lists them. */
    skillsForListTool: 100,
    /** Entries of one origin that are loaded from without asking, and for how long at most, whatever the origin says. */
    keptEntries: 256,
    keptEntryMs: 5 * 60_000,
  },
  dialects: {
    /** One URI template: the longest URI that servers publish has some hundred characters. */
    templateCharacters: 2 * KiB,
    /** Variables of one template; a person has to choose a value for each. */
    templateVariables: 16,
    /** URIs that are taken from the instructions of one server: each costs a request. */
    mentions: 20,
    /** Files of a collection (`skill://name/`) are all in one answer; skilljack-mcp leaves larger ones out. */
    collectionFileBytes: 1 * MiB,
    /** Texts of one prompt, tool answer or collection of another server. */
    answerTexts: 1_024,
    /** Templates that are listed for folders of skills: a person picks from them. */
    folderTemplates: 50,
    /** Skills that one description or answer of a tool names: it stands in front of a model. */
    catalogueSkills: 200,
    /** Lines about names and addresses that are written when a server starts. */
    remarks: 20,
    /** They are written this long after the first listing: whoever waits for skills goes first. */
    remarksMs: 1_000,
    /** One question by which a reader finds out what a server speaks; one that never answers does not speak it. */
    probeMs: 10_000,
    /** A listing without a time of its own, and the texts that were read for it: as long as we let others keep ours. */
    keptMs: 60_000,
    /** Skills whose text, manifest or archive is read at the same time to list them; as many are given as one page. */
    parallelLoads: 4,
    pageSkills: 32,
    /** What one listing may read beside its documents; skills beyond it are there by URI. */
    listingBytes: 200 * MiB,
    /** Unpacked archives and collections that are kept in memory; others are read again when they are wanted. */
    heldBytes: 64 * MiB,
    /** Skills in a row that cannot be read because the server is silent, before the listing is given up. */
    silences: 3,
  },
  sync: {
    /** `skillwire.lock`: 10,000 skills with five files each take 10 MiB. */
    lockBytes: 64 * MiB,
    /** A `skills-lock.json` of another installer. */
    foreignLockBytes: 16 * MiB,
    /** Files that are written at the same time: enough to keep the threads busy that wait for the disk. */
    parallelWrites: 16,
    /** Files of one run up to which each is waited for until the disk has it; that takes milliseconds each. */
    syncedFiles: 500,
    /** Skills whose files are fetched at the same time. */
    parallelSkills: 4,
    /** Files of one skill that are asked of a folder in one call: most skills have fewer. */
    localReads: 32,
    /** Folders inside one installed skill that are looked at for changes. */
    depth: 64,
    /** Changed files of one skill that are told one by one. */
    editsTold: 20,
    /** Age of a stamp from which on it shows every later change: the coarsest step in which disks write times. */
    settledMs: 2_000,
    /** Skills in one record of the audit, each with two digests' worth of text. */
    auditRows: 100,
  },
  git: {
    /** One run of git: a shallow fetch of a large repository over a slow line. */
    deadlineMs: 5 * 60_000,
    /** Who waits for another process that reads the same repository: two runs of git, one of which may fetch everything. */
    turnMs: 2 * 5 * 60_000,
    /** Listing of one commit: a hundred thousand paths. */
    listingBytes: 32 * MiB,
    /** Files and bytes of one commit that are read: those that can belong to skills. */
    files: 20_000,
    bytes: 256 * MiB,
    /** What is quoted of what git says. */
    stderrCharacters: 400,
  },
  agents: {
    /** The settings file of a host, in UTF-16 units; one that is longer is not edited. */
    hostFileCharacters: 16 * MiB,
    /** Backups of one file that are made before the name of the next one gives up. */
    backups: 100,
    /** Entries of one agent's folder that are looked at; the client guide of Agent Skills stops there too. */
    skillsLookedAt: 2_000,
    /** What Codex takes of names and descriptions before it cuts its list. */
    codexListingCharacters: 8_000,
  },
} as const;

/**
 * Every byte, count, depth and time limit of Skillwire, with its reason. Nothing waits or grows without one of these.
 */

const KiB = 1024;
const MiB = 1024 * KiB;

export const limits = {
  skill: {
    /** SEP-2640: hosts must accept a skill up to this size and may refuse a larger one, so we serve no larger one. */
    files: 512,
    bytes: 16 * MiB,
    /** Agent Skills specification: longest name, description and compatibility text. */
    nameLength: 64,
    descriptionLength: 1024,
    compatibilityLength: 500,
    /** Longer bodies get a note: the whole body enters the model's context when the skill is loaded. */
    bodyTokens: 5_000,
    bodyLines: 500,
  },
  frontmatter: {
    /** Seven times the largest of 42,098 public skills (9 KiB). Checked before the YAML parser runs. */
    bytes: 64 * KiB,
    depth: 32,
    /** Values after alias expansion. Stops a "billion laughs" document of 400 bytes. */
    nodes: 2_000,
    aliases: 64,
    /** Lines with missing quotes that are repaired in memory to find later faults; each costs one more parse. */
    fixedLines: 16,
    /** Findings about one SKILL.md, so that one hostile file cannot crowd out the others. */
    findings: 100,
    /** Differences, and remarks, reported by one comparison of an entry with its file. */
    differences: 100,
    /** Parsed frontmatter that is cached, and the longest text; half a MiB in all. */
    recentTexts: 64,
    recentCharacters: 4 * KiB,
  },
  path: {
    /** The longest public path has 216 characters and 15 levels; hosts refuse more than 1,024 characters. */
    characters: 1_024,
    segmentBytes: 255,
    depth: 32,
  },
  uri: {
    /** A path of 1,024 characters, each percent-encoded as up to four bytes. */
    characters: 12 * KiB + 64,
    /** A label, a prefix and the deepest file path. */
    segments: 100,
  },
  scan: {
    /** Directory entries below one root; stops a scan of a whole disk. */
    entries: 1_000_000,
    depth: 64,
    /** Synchronous work on a local disk before other work gets its turn. */
    sliceMs: 8,
    /** Shared buffer for hashing files; larger files get their own. */
    scratchBytes: 1 * MiB,
    /** Keeps the four threads of libuv busy. */
    parallelReads: 16,
    /** Turns a dead network drive into a finding instead of a hang. */
    fileReadMs: 10_000,
    /** Rereads of a file that changes while it is read, before that is a finding. */
    unstableRetries: 5,
    /** Size of one `.skillignore`, and bounds against patterns that take exponential time. */
    ignoreFileBytes: 64 * KiB,
    ignoreLines: 1_000,
    ignoreStars: 2,
    /** Links followed below one root, because links to folders full of links multiply. */
    links: 1_000,
    /** Cached entry names, because most folders contain the same few. */
    knownNames: 1_024,
    /** Hard-linked files that a finding names; the others are counted. */
    hardLinksShown: 5,
    /** Hidden files of a skill that a finding names; the others are counted. */
    hiddenFilesShown: 5,
    /** Entries of hidden folders, and their depth, that are scanned to count the skills left out. */
    hiddenEntries: 20_000,
    hiddenDepth: 8,
    /** Findings stored per root; one more finding counts the others. */
    findings: 10_000,
  },
  watch: {
    /** Quiet period before a change is published, so that half-written files are not. */
    quietMs: 120,
    /** A folder that keeps changing is published after this time anyway. */
    longestWaitMs: 800,
    /**
     * The same if a skill would disappear because its just-written `SKILL.md` is unreadable: it is most likely being
     * saved.
     */
    longestSaveMs: 3_200,
    /** Polling interval if the system's watch limit is reached. */
    pollMs: 900,
    /** Watches start this long after the first listing, so that the listing is answered first. */
    armMs: 50,
    /** Directories watched one by one if the system has no recursive watch. */
    watchers: 100_000,
  },
  stdio: {
    /** Clients built on the official SDK close the connection at a line of 10 MiB. */
    lineBytes: 10 * MiB,
    /** No request of this protocol needs more. */
    requestBytes: 4 * MiB,
    /** Read ahead while the client does not read its answers, enough to notice that it has closed stdin. */
    aheadBytes: 64 * KiB,
    /** Longest id that is echoed from a malformed line. */
    idCharacters: 256,
    /** Time for answers in flight after a signal. */
    shutdownMs: 2_000,
    /** The same after stdin ends: the first scan of a large folder takes seconds. */
    endedMs: 30_000,
  },
  pages: {
    /** Page size, a few hundred kilobytes, unless the list would then have too many pages. */
    entries: 400,
    /** The official client stops after 64 pages, so longer lists get larger pages. */
    perList: 60,
    bytes: 4 * MiB,
    /** A decoded cursor is one skill URI. */
    cursorCharacters: 20 * KiB,
    /** Set by the protocol. */
    completions: 100,
  },
  reads: {
    /** Encoded in one go: about a millisecond. */
    wholeBytes: 256 * KiB,
    /** Larger files are encoded in pieces of this size, with other work in between. */
    pieceBytes: 192 * KiB,
  },
  cache: {
    /** Bytes of recently read files. */
    bytes: 64 * MiB,
    /** The same files as JSON. */
    contentsBytes: 32 * MiB,
    /** Recently requested entries as JSON. */
    entryBytes: 8 * MiB,
    /** Pages of `skills/list` as JSON, enough for 30,000 ordinary skills. */
    pageBytes: 32 * MiB,
    /** URIs found recently, so that repeated requests skip the lookup. */
    foundUris: 4_096,
  },
  digestCache: {
    /** One root: 100,000 skills take 65 MiB. */
    bytes: 256 * MiB,
    /** All roots ever served; the oldest is removed first. */
    files: 64,
    folderBytes: 512 * MiB,
    /** Delay after the first listing, so that the listing is answered before anything is written. */
    delayMs: 1_000,
  },
  store: {
    /** How often the state is polled on file systems that report no changes. */
    followMs: 2_000,
    /** One transaction: the entries of several skills with 512 files each. */
    recordBytes: 16 * MiB,
    /** All values with their history: far more than 10,000 approved skills need, and still read in seconds. */
    journalBytes: 512 * MiB,
    /** Audit records contain digests and reasons, never content. */
    auditRecordBytes: 64 * KiB,
    /** One line of an export: the largest file of a skill in base64, or the largest value. */
    exportLineBytes: 32 * MiB,
    /** First line of a journal. */
    headerBytes: 1 * KiB,
    /** Bytes of a journal read at once. */
    chunkBytes: 256 * KiB,
    /** A journal is rewritten if it is this many times larger than its values, and not small. */
    compactFactor: 4,
    compactBytes: 256 * KiB,
    /** Removed decisions that the state remembers: about 2 MB. The audit has the older ones and is compared too. */
    tombstones: 10_000,
    /** Damaged files stored for inspection; the oldest is removed first. */
    corruptCopies: 5,
    /** Damaged lines reported one by one; the others are counted. */
    faultsReported: 20,
    /** Writes take milliseconds; after this wait the error names the lock's owner. */
    lockWaitMs: 15_000,
    /** A lock whose owner cannot be checked (another machine, a reused process id) is respected for this long. */
    unknownHolderMs: 10_000,
    /** Longest pause between attempts to take a lock. */
    lockPauseMs: 40,
    /** Callers of one process share a lock for this long before other processes get their turn. */
    lockTurnMs: 100,
    /** Callers of one process waiting for a lock. */
    waiting: 100_000,
    /** Nested takeovers that died halfway. */
    takeovers: 8,
    /** Age at which a temporary file is a leftover; no write takes a tenth of it. */
    leftoverMs: 60 * 60_000,
    /** Precision of a blob's last use; saves a write on most reads. */
    useStepMs: 60_000,
    /** Windows only: renames are retried this long, because virus scanners keep files open for moments. */
    renameMs: 2_000,
    /** Default cache size: thousands of ordinary skills. */
    cacheBytes: 512 * MiB,
  },
  dynamic: {
    /** A generated SKILL.md, and the time its function may take. */
    bytes: 1 * MiB,
    ms: 30_000,
  },
  runtimes: {
    /** One WebSocket frame, or one body of the HTTP loop: a large catalog or one skill. */
    messageBytes: 1 * MiB,
    /** A message needs one frame; thousands of tiny fragments are an attack. */
    fragments: 256,
    /** Paths of one runtime: far more than a person can tell apart. */
    paths: 1_000,
    idCharacters: 256,
    nameCharacters: 256,
    /** Endpoint descriptions may be long; skill descriptions are cut to the limit for skills. */
    descriptionCharacters: 8 * KiB,
    contentTypeCharacters: 256,
    errorCharacters: 8 * KiB,
    tokenCharacters: 8 * KiB,
    headers: 64,
    /** WebSockets and sessions of the HTTP loop together; each WebSocket is one of `http.connections`. */
    sessions: 3_000,
    /** Sessions of one credential, if credentials are required. */
    sessionsPerCredential: 20,
    /** WebSockets from one address, if other machines can reach the hub. */
    socketsPerAddress: 100,
    /** Time for a session to authenticate. */
    authenticateMs: 5_000,
    /** Lifetime and number of unused tickets of `/mdp/auth`. */
    ticketMs: 60_000,
    tickets: 1_000,
    /** Heartbeat and longest silence, as in the reference implementation. */
    pingMs: 30_000,
    silentMs: 90_000,
    /** WebSocket pings find half-open connections earlier; two may go unanswered. */
    socketPingMs: 20_000,
    socketPingMisses: 2,
    /** Time for a runtime to answer, as in the reference implementation. */
    callMs: 15_000,
    /** Pending calls of one runtime, and of all. */
    pendingPerClient: 64,
    pending: 4_096,
    /** Runtimes reached at once by one `callPaths`. */
    fanOut: 64,
    /** Messages per second from one runtime, and the burst that answers to several calls need. */
    messagesPerSecond: 50,
    messageBurst: 200,
    /** Unread bytes after which a runtime counts as slow, and how long it may stay slow. */
    unreadBytes: 1 * MiB,
    slowMs: 10_000,
    /** Changes within this time are reported as one: a restart reconnects all runtimes at once. */
    changeMs: 50,
    /** Messages waiting for the next poll of an HTTP loop. */
    queuedMessages: 128,
    /** Default and longest wait of a poll. */
    pollMs: 25_000,
    longestPollMs: 60_000,
    /** Time after a signal for pending calls, then for runtimes to close. */
    shutdownMs: 2_000,
    /** Page size of `listClients` and `listPaths`. */
    listed: 200,
  },
  runtimeClient: {
    /** Time to open a connection. */
    openMs: 10_000,
    /** Hubs ping every 30 seconds; after three missing pings the connection is dead. */
    silentMs: 100_000,
    /** First pause before reconnecting, doubled each time, and the longest. */
    retryMs: 1_000,
    longestRetryMs: 30_000,
    /** The same after a refusal: an early retry cannot help, and a person may be fixing it. */
    refusedRetryMs: 30_000,
    longestRefusedRetryMs: 5 * 60_000,
    /** Least time between two empty polls of an HTTP loop. */
    idlePollMs: 500,
    /** A connection that lasted this long resets the pause. */
    settledMs: 10_000,
    /** Time for the peer to close its end. */
    closeMs: 2_000,
  },
  liveSkills: {
    /** Cached texts that one runtime declared static; others are requested each time. */
    staticBytes: 16 * MiB,
    /** Parallel requests for static texts of one runtime. */
    parallelCalls: 8,
    /** Skills expanded from patterns that are watched for removal. */
    concrete: 1_000,
    /**
     * How long a newly started server may list nothing before that is its answer, and how often it is polled. The
     * reference joins a running server within its election timeout of 7 s; a gateway's listing times out after 10 s.
     */
    settleMs: 8_000,
    settleEveryMs: 500,
  },
  pin: {
    /** How often a server checks for pins that another process changed, or that expired. */
    everyMs: 2_000,
    /** How often the live skill behind a pin is checked if it sends no change notices. */
    driftMs: 60_000,
    /** How long a reader may cache a pinned entry, which can be unpinned at any time. */
    ttlMs: 60_000,
    /** Longest pin; a longer one is a typing mistake. */
    longestMs: 3_650 * 24 * 60 * 60_000,
    /** Skills of one command. */
    skills: 100,
    /** Skills pinned by rules: the runtime decides how many it has, and each takes space in the state. */
    byRules: 100,
  },
  ttl: {
    watchedMs: 60_000,
    unwatchedMs: 300_000,
  },
  http: {
    /** Messages in one batch of revision 2025-03-26; later revisions have no batches. */
    batch: 16,
    requestBytes: 4 * MiB,
    /** Larger requests skip the fast path; the requests it answers have a few hundred bytes. */
    hotRequestBytes: 64 * KiB,
    /** Ten times what any message needs; protects recursive parsers and schemas. */
    jsonDepth: 64,
    headerBytes: 16 * KiB,
    headersMs: 10_000,
    requestMs: 30_000,
    keepAliveMs: 5_000,
    /** How often slow headers, slow bodies and idle connections are checked. */
    connectionCheckMs: 1_000,
    connections: 4_096,
    /** Half of all connections, so that one address cannot lock out the others; a reverse proxy is one address. */
    connectionsPerAddress: 2_048,
    /** Connections beyond that which get one answer with the reason, and their time for it. */
    refusedPerAddress: 64,
    refusedMs: 1_000,
    requestsPerSocket: 10_000,
    /** A client that does not read its answer for this long is disconnected. */
    stalledWriteMs: 30_000,
    /** What a client may still send of a refused request, so that it gets to read the answer. */
    discardedBytes: 8 * MiB,
    discardMs: 2_000,
    /** Streams of `subscriptions/listen`, all clients together. */
    subscriptions: 1_024,
    /** Half of them, of any kind, for one address. */
    streamsPerAddress: 512,
    /** Queued for a client that does not read; an event has a few hundred bytes. */
    stream: { events: 256, bytes: 1 * MiB },
    /** Time for open requests after a signal. */
    shutdownMs: 5_000,
  },
  sessions: {
    /** Sessions of revisions before 2026-07-28; the longest idle one is removed first. */
    count: 1_000,
    idleMs: 30 * 60_000,
    /** URIs that one session may subscribe to. */
    subscriptions: 1_024,
  },
  outbound: {
    /** One complete exchange: name lookup, redirects, retries, body. */
    deadlineMs: 60_000,
    /** Slower bodies are aborted after the grace time: one byte now and then defeats idle timeouts. */
    bytesPerSecond: 1 * KiB,
    rateGraceMs: 10_000,
    /** Default if the caller sets no limit. */
    bodyBytes: 16 * MiB,
    redirects: 5,
    retries: 3,
    /**
     * First pause before a retry, doubled each time and varied by half, and the longest `Retry-After` that is followed.
     */
    retryMs: 200,
    retryAfterMs: 30_000,
    /** Parallel requests, to all hosts and to one. */
    concurrency: 16,
    perOrigin: 4,
  },
  origin: {
    /** One answer to a small request. */
    deadlineMs: 60_000,
    /** Time to detect the modern revision; a stdio server that never answers gets the older one. */
    probeMs: 10_000,
    /** All pages of one listing or directory. */
    listingMs: 5 * 60_000,
    pages: 1_000,
    entries: 100_000,
    /** Consecutive pages without anything new. */
    idlePages: 10,
    pageBytes: 32 * MiB,
    listingBytes: 256 * MiB,
    cursorCharacters: 64 * KiB,
    /** Children of one directory; a skill has at most 512 files. */
    children: 10_000,
    /** JSON may escape each byte of a text with six characters; the rest is the envelope. */
    escapedBytes: 6,
    envelopeBytes: 64 * KiB,
    /** Longest line of a stdio server: a 16 MiB file, fully escaped. */
    lineBytes: 6 * 16 * MiB + 64 * KiB,
    /** Lines that are not messages; a program with more is not an MCP server. */
    junkLines: 1_000,
    /** Stored stderr of a stdio server, and how much of it a message quotes. */
    stderrBytes: 64 * KiB,
    stderrQuotedCharacters: 400,
    /** Time for output to arrive after exit; then time to exit after stdin closes, and after SIGTERM. */
    drainMs: 200,
    endMs: 2_000,
    terminateMs: 5_000,
    /** Starts of a stdio server before `restartMs` applies between them. */
    restarts: 5,
    restartMs: 60_000,
    /** Longest time a listing is cached, whatever its server says. */
    ttlMs: 24 * 60 * 60_000,
    /** Findings about one listing, refused entries before it is aborted, and faults reported per entry. */
    findings: 1_000,
    refused: 10_000,
    faults: 20,
    /** Depth and number of free values in an entry (`_meta`). */
    metaDepth: 16,
    metaNodes: 2_000,
    /** Text of a server about itself. */
    instructionsCharacters: 64 * KiB,
    /** Larger answers are parsed in turns, because each takes a millisecond or more. */
    atOnceBytes: 32 * KiB,
    /** Cached entries, and the longest, so that a repeated entry is not checked again. */
    cachedAnswers: 64,
    cachedCharacters: 64 * KiB,
  },
  wellKnown: {
    /** The index of a site: 10,000 skills with five files each take 4 MiB. */
    indexBytes: 64 * MiB,
    entries: 100_000,
    /** Cached archives and files by digest; a quarter of it fits the largest archive. */
    artifactBytes: 128 * MiB,
    /** If files of a skill were unreadable, the index is rebuilt after this time: soon, but not for every reader. */
    retryMs: 5_000,
    /** Cached targets of file paths, about 150 bytes each. */
    cachedPaths: 10_000,
    /** Builds of up to this many skills sync every file to disk, which takes milliseconds each. */
    syncedSkills: 100,
    /** Files that a build caches while listing, some ten thousand skills; the others are read twice. */
    builtBytes: 256 * MiB,
    /** How long a static site keeps unpublished files: longer than any reader or cache keeps an index. */
    keepDays: 7,
    mostKeepDays: 3_650,
  },
  site: {
    /** One artifact on the wire: twice an uncompressed skill of 16 MiB. */
    artifactBytes: 32 * MiB,
    /** Bytes of one listing: thousands of ordinary skills. Skills beyond it are reported and available by URI. */
    listingBytes: 200 * MiB,
    /** Parallel skill downloads of a listing; a page comes with the first of them. */
    window: 8,
    /** Consecutive timeouts before a listing is aborted. */
    silences: 3,
    /** Cached files that may be requested again. */
    cachedBytes: 64 * MiB,
    /** Lifetime of an index without cache headers, the same as for our own unwatched listings. */
    ttlMs: 300_000,
  },
  mirror: {
    /** Bounds for how often a mirrored origin is listed; between them the origin decides. */
    leastMs: 10_000,
    mostMs: 60 * 60_000,
  },
  gateway: {
    /** Default time for one answer of an upstream, and so the longest wait of a gateway's client. */
    deadlineMs: 10_000,
    /** Longest and shortest configurable deadline. */
    longestDeadlineMs: 5 * 60_000,
    shortestTtlMs: 1_000,
    /** How long the last good listing is served while an upstream fails, and the configurable maximum. */
    staleMs: 24 * 60 * 60_000,
    longestStaleMs: 30 * 24 * 60 * 60_000,
    /** Parallel calls to one upstream, waiting calls, and the configurable maximum. */
    concurrency: 8,
    mostConcurrency: 64,
    waiting: 256,
    /** The first listing waits this long for all upstreams; slower ones appear once they answer. */
    firstListingMs: 3_000,
    /** Consecutive failures that open the circuit breaker, and the pause before one call tries again. */
    breakerFailures: 5,
    breakerOpenMs: 30_000,
    /** Pause after a failed listing, doubled each time, and the longest. */
    retryMs: 1_000,
    longestRetryMs: 30_000,
    /** The last good listing stored for the next start, and its pieces: each is one line of an export. */
    storedListingBytes: 64 * MiB,
    storedPieceBytes: 4 * MiB,
    /** How often an unchanged listing is recorded; each record waits for the disk. */
    listingStepMs: 60 * 60_000,
    /** At a start, an upstream has this long before its stored listing is served. */
    storedPatienceMs: 1_500,
    /** Hash rounds for recognizing credentials: milliseconds for us, a wall against guessing. */
    identityRounds: 20_000,
    /** Chained gateways; a longer chain is a loop. */
    hops: 3,
    /** Upstreams of one gateway; each may have a process and connections. */
    origins: 1_000,
    /** Shared skill names reported one by one. */
    sharedNames: 100,
    /** How often the configuration is checked; it is reread once two checks in a row find the same file. */
    reloadPollMs: 500,
    /** Headers, variables, patterns and rules of one origin. */
    settings: 100,
    /**
     * One text in a lock file's origin (address, path, word of a command). A longer one cannot be shown for approval.
     */
    originCharacters: 4096,
    /** Longest wait of a readiness probe. */
    probeMs: 250,
    /** Characters of an upstream's error in the log and the status. */
    reasonCharacters: 400,
  },
  access: {
    /** Cached decisions of a profile pattern; callers may request any number of paths. */
    rememberedPaths: 10_000,
    /** Profiles of one server; each has its own cached listings and pages. */
    profiles: 100,
    /** Patterns, labels and rules of one profile or policy. */
    patterns: 1_000,
    /** Name of a token or a profile. */
    nameCharacters: 100,
    /** Longest lifetime of a token that expires: ten years. */
    tokenMs: 3_650 * 24 * 60 * 60_000,
    /** Text after "Bearer"; tokens of other systems have some thousand characters. */
    tokenCharacters: 8 * KiB,
    /** How often open streams check for revoked tokens; costs one file time stamp. */
    streamPollMs: 500,
    /** Skills of one origin recorded as not served; as many as one origin may list. */
    waiting: 10_000,
    /** Rows of one write, which keeps a journal line well within its limit. */
    waitingAtOnce: 200,
    /** Beyond this the audit counts the skills that are no longer served: every record waits for the disk. */
    auditedAtOnce: 100,
  },
  search: {
    /**
     * The indexed part of a body. Its opening says what the skill is for, so every word of it is indexed; of the rest only words that
     * occur twice are.
     */
    bodyCharacters: 8_000,
    openingCharacters: 1_500,
    /** Part of a SKILL.md that is read for headings. */
    readBytes: 64 * KiB,
    /** Phrases, tags and sentences of an author together. */
    hintCharacters: 2_000,
    /** Headings together. */
    headingCharacters: 2_000,
    /** Longer words are indexed by their beginning. */
    wordCharacters: 40,
    /** Cached word stems while texts are read. */
    rememberedWords: 100_000,
    /** Distinct texts of one index: the number that fits beside the weight of a word. */
    texts: 1_048_575,
    /** Removed texts before the index is rebuilt. */
    goneTexts: 1_000,
    /** Part of a query that is read. A whole task says what it is about at its beginning. */
    queryCharacters: 2_000,
    /** Ranked terms of a query: those that tell most. */
    queryTerms: 64,
    /** Alternatives for an unknown word: words that begin with it or differ in one letter. */
    guesses: 20,
    /** Default and maximum number of hits. */
    hits: 10,
    mostHits: 50,
    /** Default hits of the tool; a model refines its query rather than reading on. */
    toolHits: 8,
    /** Tokens of one tool answer: about 40 per hit, and 50 hits fit. */
    toolTokens: 2_000,
    /** Part of a description that the tool shows. */
    descriptionCharacters: 160,
    /** Texts examined per requested hit, to find its twins. */
    hitsBehind: 4,
    /** Other places of the same text that a hit names. */
    copies: 10,
    /** Near twins that a hit names. */
    twins: 20,
    /** Numbers in a vector; the largest models in use have some thousand. */
    dimensions: 8_192,
    /** Vectors compared in full per requested hit. */
    nearCandidates: 10,
    /** Texts in one call of an embedder, and characters of each; models read about 256 tokens. */
    embeddedAtOnce: 32,
    embeddedCharacters: 1_000,
    /** Time for the vector of a query before the search ranks by words alone. */
    queryVectorMs: 1_000,
    /** Time for one call of an embedder, and the pause after a failure. */
    embedMs: 60_000,
    embedRestMs: 60_000,
    /** Cached vectors of one model: 33,000 of 1,536 numbers. Those not used in this run are removed first. */
    cachedVectorBytes: 64 * MiB,
    /** Size of a cached piece of vectors, and the number of pieces before they are merged. */
    vectorPieceBytes: 4 * MiB,
    vectorPieces: 64,
    /** Models with cached vectors; the least recently used is removed first. */
    cachedModels: 4,
    /** New vectors are written after this delay, so that many are written at once. */
    vectorsDelayMs: 2_000,
    /** How long `skillwire search` waits for vectors of new texts. */
    commandEmbedMs: 20_000,
    /** Cached query vectors. */
    rememberedQueries: 1_000,
    /** How long a search waits for texts that are still being read; it then answers from the others and says so. */
    waitMs: 10_000,
    /** Texts read in parallel. */
    parallelReads: 8,
  },
  messages: {
    /** Quoted text from outside; the part cut off says nothing more about the fault. */
    quotedCharacters: 80,
    /** Shorter secrets cannot be removed from a text without spoiling it. */
    secretCharacters: 4,
  },
  page: {
    /** A shorter page token could be guessed. */
    leastTokenCharacters: 16,
    /** Rows of the overview page: shown without delay, and a person can still scroll through. */
    skills: 1_000,
    findings: 500,
    /** Listed descriptions: two lines on a wide screen. */
    listedDescription: 300,
    /** Shown or rendered files: the largest of 42,098 SKILL.md files has 294 kB; 1 MiB of Markdown takes 3 s. */
    textBytes: 256 * KiB,
    /** Rendering one file, in a thread that is terminated afterwards. */
    renderMs: 1_000,
    /** Files waiting to be rendered; others are shown as text. */
    renderings: 32,
    /** A picture of a skill. */
    imageBytes: 4 * MiB,
    /** Audit rows shown, newest first. */
    auditRecords: 500,
    /** A decision with its comment. */
    bodyBytes: 16 * KiB,
    /** A comment in the audit. */
    reasonCharacters: 1_000,
    /** Browsers signed in for approvals; the oldest is signed out. */
    sessions: 64,
    /** A working day. */
    sessionMs: 12 * 60 * 60_000,
    /** Wrong tokens per minute from one client; its further tokens are not checked in that minute. */
    attempts: 10,
    /**
     * The same for all clients. Behind a proxy all look like one, so a low number would let anybody lock out the
     * others.
     */
    allAttempts: 300,
    attemptsMs: 60_000,
    /** Pages following changes at the same time. */
    eventStreams: 256,
    /** Streams of one client. A browser opens six at most, and all clients behind one proxy leave room for others. */
    eventStreamsPerClient: 64,
    /** Interval of comments on idle streams, so that proxies keep them open. */
    keepAliveMs: 20_000,
    /** How often the token of an open page is checked again. */
    tokenPollMs: 2_000,
    /** Skills whose versions are tracked from the first visit; others are tracked once somebody opens them. */
    followedSkills: 2_000,
    /** Their texts stored for comparison: in all, and of one file. */
    followedBytes: 32 * MiB,
    followedFileBytes: 256 * KiB,
    /** Versions of one skill; the oldest is removed first. */
    versions: 20,
    /** A runtime's answer to "read now". */
    runtimeCharacters: 64 * KiB,
    /** Catalog text that the page can request. */
    trialCharacters: 200_000,
    /** Larger answers are compressed if the browser accepts that. */
    packedBytes: 2 * KiB,
  },
  archive: {
    /** On the wire: twice the largest skill, packed in the most wasteful way. */
    packedBytes: 32 * MiB,
    /** An archive of one skill: the size that hosts must accept, with room for folders and links beside 512 files. */
    skill: { entries: 1_024, bytes: 16 * MiB },
    /** An archive of many skills, read from disk into memory as a whole. */
    tree: { entries: 10_000, bytes: 64 * MiB },
    /** Headers, long names and padding of one tar entry. */
    overheadBytes: 4 * KiB,
    /** One extended tar header: its longest path has 4 KiB; macOS adds attributes. */
    metadataBytes: 64 * KiB,
    /** Links that lead to links. */
    linkHops: 8,
    /** Inflated at once, so a bomb exceeds its limit by this much at most. */
    chunkBytes: 64 * KiB,
    /** Small zip entries are inflated without a thread; other work gets its turn after this many bytes. */
    sliceBytes: 1 * MiB,
    /** Files written and synced in parallel. */
    parallelWrites: 8,
    /** Packing in one go, before other work gets its turn. */
    turnMs: 8,
  },
  policy: {
    /** Every rule may be tried for every skill. */
    rules: 1_000,
    patternCharacters: 1_024,
    /** Parallel reads of `SKILL.md` files for content rules; as many as calls to one upstream. */
    parallelReads: 8,
    /** How long an answer waits for them after a rule was added. A skill not read by then is not served until it is. */
    readPatienceMs: 2_000,
    /** Recorded files of one origin, before those of removed skills are dropped. */
    notedFiles: 10_000,
    /** Retry for a skill with an unreadable `SKILL.md`, or a dynamic one denied for its content. */
    readAgainMs: 30_000,
  },
  configuration: {
    bytes: 1 * MiB,
    /** Nesting of `skillwire.json`, checked before the recursive parser runs; the schema needs four levels. */
    depth: 32,
    /** Faults in one error message; the others are counted. */
    faults: 20,
  },
  verifier: {
    /** Failures stored for one skill, or for the server; the others are counted. */
    failures: 200,
    /** Nested skills whose files are compared with the outer entry. */
    nested: 10_000,
    /** Parallel requests: enough to keep a server busy, too few for an attack. */
    parallel: 16,
    mostParallel: 128,
    /** Parallel reads of one skill. */
    parallelFiles: 4,
    /** Promised bytes being read: one largest skill, so that large files go one by one. */
    bytesInFlight: 16 * MiB,
    /** Bytes read beyond the promised size, to report how many there are. */
    excessBytes: 64 * KiB,
    /** Consecutive timeouts of a method before it is no longer called; each may take a whole deadline. */
    silences: 3,
    /** Entries of one skill with other bytes than promised, before that counts as a failure. */
    versions: 3,
    /** One page of a directory: some thousand children; a skill has 512 files. */
    directoryBytes: 4 * MiB,
    /** Unreadable directories before the others are skipped. */
    unusableDirectories: 20,
    /** Verified skills recorded at once. */
    batch: 500,
    /** Skills whose directories are read and compared, and skills reread in the other protocol era. */
    sampledSkills: 50,
  },
  cli: {
    /** A longer command shows its progress on a terminal. */
    progressMs: 1_000,
    /** Watches and the digest cache start after the first listing; at 10,000 skills that takes seconds. */
    startMs: 10_000,
    /** Rounds of `validate --fix`: findings are limited, so the next round sees the rest. */
    fixRounds: 20,
    /** Problems that `serve` prints with their remedy; `validate` prints all. */
    problemsShown: 5,
    /** Reasons for a stale site that are printed; `--json` has all. */
    staleShown: 20,
    /** GitHub refuses a SARIF run with more results. */
    sarifResults: 25_000,
    /** How often a progress line is redrawn. */
    progressStepMs: 1_000,
    /** Table width without a terminal, and the least width of a cut text. */
    tableColumns: 120,
    cutColumns: 16,
    /** Longest `--timeout`; an hour for one answer is a typing mistake. */
    timeoutMs: 60 * 60_000,
    /** Refused entries and findings that are printed; `--json` has all. */
    refusedShown: 5,
    /** Parallel downloads of one skill's files. */
    parallelReads: 4,
    /** Values offered to choose from; others are found by their beginning. */
    offeredValues: 20,
    /** An environment value used as a header; servers refuse longer ones. */
    headerCharacters: 16 * KiB,
  },
  host: {
    /** Default catalog text for a model: 4,000 tokens, about a hundred skills. */
    catalogCharacters: 16_000,
    /** Smallest budget: the frame and one skill with a long label. */
    catalogCharactersLeast: 400,
    /** Shortest cut of a description; below it the skill is left out instead. */
    catalogDescriptionLeast: 60,
    /** Requests of a skill shown per kind: a person reads no more. */
    asksShown: 100,
    /** Lines shown as commands to execute. */
    shellLines: 20,
    /** Lines of a text that are compared; longer texts are reported as too different. */
    diffedLines: 50_000,
    /** Edits beyond which the shortest difference takes too long: time grows with their square. */
    diffEdits: 1_000,
    diffMs: 1_000,
    /** Shown lines of one difference, and characters of one line. */
    diffLines: 2_000,
    diffLineCharacters: 400,
    /** Lines of all differences of one skill, and the minimum for each file. */
    changeLines: 10_000,
    changeLinesLeast: 20,
    /** Names in one sentence about a change. */
    itemsInSentence: 10,
    /** Origins queried in parallel, so that one that hangs does not delay the others. */
    parallelOrigins: 16,
    /** Default deadline of one call to an origin. */
    callMs: 30_000,
    /** One listing: twice 64 pages at a second each. Pages that arrived by then count as a partial listing. */
    listingMs: 120_000,
    /** Entries of one listing, twice what our server lists in 64 pages; beyond it the listing is partial. */
    listedSkills: 200_000,
    /** A SKILL.md that enters a context at all: 250,000 tokens. */
    skillMdBytes: 1 * MiB,
    /** A plain resource for a model. */
    resourceBytes: 16 * MiB,
    /** Cached content, not counting what the state refers to. */
    cacheBytes: 512 * MiB,
    /** Bytes that one origin may make the host fetch within the window: twelve of the largest skills. */
    originBytes: 200 * MiB,
    originFiles: 10_000,
    originWindowMs: 10 * 60_000,
    /** Up to this many skills, a model gets a tool that lists them. */
    skillsForListTool: 100,
    /**
     * Cached entries of one origin that load without a request, and their longest lifetime, whatever the origin says.
     */
    cachedEntries: 256,
    cachedEntryMs: 5 * 60_000,
  },
  dialects: {
    /** One URI template; published URIs have a few hundred characters. */
    templateCharacters: 2 * KiB,
    /** Variables of one template; a person chooses a value for each. */
    templateVariables: 16,
    /** URIs taken from the instructions of one server; each costs a request. */
    mentions: 20,
    /** A collection (`skill://name/`) sends all files in one answer; skilljack-mcp leaves out larger files. */
    collectionFileBytes: 1 * MiB,
    /** Texts of one prompt, tool answer or collection of another server. */
    answerTexts: 1_024,
    /** Templates listed for folders of skills, for a person to choose from. */
    folderTemplates: 50,
    /** Skills named in one tool description or answer, which a model reads. */
    catalogueSkills: 200,
    /** Lines about names and addresses that a starting server logs. */
    remarks: 20,
    /** Their delay after the first listing, which goes first. */
    remarksMs: 1_000,
    /** Time for one probe of what a server speaks. */
    probeMs: 10_000,
    /** Lifetime of a listing without its own, and of the texts read for it; the same as we allow others. */
    cachedMs: 60_000,
    /** Parallel reads of texts, manifests or archives for a listing; they make one page. */
    parallelLoads: 4,
    pageSkills: 32,
    /** Bytes of one listing beside its documents; skills beyond it are available by URI. */
    listingBytes: 200 * MiB,
    /** Unpacked archives and collections cached in memory; others are read again. */
    cachedBytes: 64 * MiB,
    /** Consecutive timeouts before a listing is aborted. */
    silences: 3,
  },
  sync: {
    /** `skillwire.lock`: 10,000 skills with five files each take 10 MiB. */
    lockBytes: 64 * MiB,
    /** A `skills-lock.json` of another installer. */
    foreignLockBytes: 16 * MiB,
    /** Parallel writes; keeps the disk threads busy. */
    parallelWrites: 16,
    /** Up to this many files per run are synced to disk, which takes milliseconds each. */
    syncedFiles: 500,
    /** Skills fetched in parallel. */
    parallelSkills: 4,
    /** Files of one skill read from a folder in one call; most skills have fewer. */
    localReads: 32,
    /** Folder depth of an installed skill that is checked for changes. */
    depth: 64,
    /** Changed files of one skill that are reported. */
    editsReported: 20,
    /** Age at which a stamp shows every later change: the coarsest time step of file systems. */
    settledMs: 2_000,
    /** Skills in one audit record, each with two digests. */
    auditRows: 100,
  },
  git: {
    /** One run of git: a shallow fetch of a large repository over a slow line. */
    deadlineMs: 5 * 60_000,
    /** Wait for another process that reads the same repository: two runs of git, one of which may fetch everything. */
    turnMs: 2 * 5 * 60_000,
    /** Listing of one commit: a hundred thousand paths. */
    listingBytes: 32 * MiB,
    /** Files and bytes of one commit that can belong to skills. */
    files: 20_000,
    bytes: 256 * MiB,
    /** Quoted output of git. */
    stderrCharacters: 400,
  },
  agents: {
    /** The settings file of a client, in UTF-16 units; a longer one is not edited. */
    hostFileCharacters: 16 * MiB,
    /** Backups of one file before a new name is no longer tried. */
    backups: 100,
    /** Entries scanned in one agent folder; the client guide of Agent Skills stops there too. */
    skillsLookedAt: 2_000,
    /** Codex cuts its list beyond this many characters of names and descriptions. */
    codexListingCharacters: 8_000,
  },
} as const;

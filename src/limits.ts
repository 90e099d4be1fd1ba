/**
 * Every byte, count, depth and time limit of Skillwire, with its reason. Nothing waits or grows without one of these.
 */

const KiB = 1024;
const MiB = 1024 * KiB;

export const limits = {
  skill: {
    /** SEP-2640: hosts must accept this much, and may refuse more. */
    files: 512,
    bytes: 16 * MiB,
    /** Agent Skills specification: longest name, description and compatibility text. */
    nameLength: 64,
    descriptionLength: 1024,
    compatibilityLength: 500,
    /** Longer bodies get a note: the whole body enters the model's context. */
    bodyTokens: 5_000,
    bodyLines: 500,
  },
  frontmatter: {
    /** Seven times the largest of 42,098 public skills. Checked before the parser runs. */
    bytes: 64 * KiB,
    depth: 32,
    /** Values after alias expansion. Stops a "billion laughs" document of 400 bytes. */
    nodes: 2_000,
    aliases: 64,
    /** Lines repaired in memory to find later faults; each costs one more parse. */
    fixedLines: 16,
    /** One hostile file must not crowd out the others. */
    findings: 100,
    /** Reported by one comparison of an entry with its file. */
    differences: 100,
    /** Parsed frontmatter that is cached, and the longest text; half a MiB in all. */
    recentTexts: 64,
    recentCharacters: 4 * KiB,
  },
  path: {
    /** The longest public path has 216 characters and 15 levels; hosts refuse 1,024. */
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
    /** Turns a dead network drive into a finding. */
    fileReadMs: 10_000,
    /** Rereads of a changing file before that is a finding. */
    unstableRetries: 5,
    /** Also bounds patterns that take exponential time. */
    ignoreFileBytes: 64 * KiB,
    ignoreLines: 1_000,
    ignoreStars: 2,
    /** Links to folders full of links multiply. */
    links: 1_000,
    /** Cached entry names, because most folders contain the same few. */
    knownNames: 1_024,
    /** Hard-linked files that a finding names; the others are counted. */
    hardLinksShown: 5,
    /** Hidden files of a skill that a finding names; the others are counted. */
    hiddenFilesShown: 5,
    /** Scanned to count the skills left out. */
    hiddenEntries: 20_000,
    hiddenDepth: 8,
    /** Findings stored per root; one more finding counts the others. */
    findings: 10_000,
  },
  watch: {
    /** Quiet period, so that half-written files are not published. */
    quietMs: 120,
    /** A folder that keeps changing is published anyway. */
    longestWaitMs: 800,
    /** The same for an unreadable `SKILL.md` that was just written: it is being saved. */
    longestSaveMs: 3_200,
    /** Polling interval if the system's watch limit is reached. */
    pollMs: 900,
    /** Delay, so that the first listing is answered first. */
    armMs: 50,
    /** If the system has no recursive watch. */
    watchers: 100_000,
  },
  stdio: {
    /** Clients built on the official SDK close the connection at a line of 10 MiB. */
    lineBytes: 10 * MiB,
    /** No request of this protocol needs more. */
    requestBytes: 4 * MiB,
    /** Enough to notice that stdin was closed while answers are not read. */
    aheadBytes: 64 * KiB,
    /** Longest id that is echoed from a malformed line. */
    idCharacters: 256,
    /** Answers in flight, after a signal. */
    shutdownMs: 2_000,
    /** After stdin ends: a first scan takes seconds. */
    endedMs: 30_000,
  },
  pages: {
    /** A few hundred kilobytes, unless the list gets too many pages. */
    entries: 400,
    /** The official client stops after 64 pages. */
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
    /** Larger files are encoded in pieces, with other work in between. */
    pieceBytes: 192 * KiB,
  },
  cache: {
    /** Bytes of recently read files. */
    bytes: 64 * MiB,
    /** The same files as JSON. */
    contentsBytes: 32 * MiB,
    /** Recently requested entries as JSON. */
    entryBytes: 8 * MiB,
    /** Enough for 30,000 ordinary skills. */
    pageBytes: 32 * MiB,
    /** Repeated requests skip the lookup. */
    foundUris: 4_096,
  },
  digestCache: {
    /** One root: 100,000 skills take 65 MiB. */
    bytes: 256 * MiB,
    /** All roots ever served; the oldest is removed first. */
    files: 64,
    folderBytes: 512 * MiB,
    /** Delay, so that the first listing is answered first. */
    delayMs: 1_000,
  },
  store: {
    /** Polling on file systems that report no changes. */
    followMs: 2_000,
    /** A line of an earlier version: the entries of several skills with 512 files each. */
    recordBytes: 16 * MiB,
    /** One transaction of the state: an approval of 512 files several times. */
    transactionBytes: 1 * MiB,
    /** Temporary values of one process, such as sessions; the oldest is removed first. */
    temporaryValues: 10_000,
    /** Far more than 10,000 approved skills need, and still read in seconds. */
    journalBytes: 512 * MiB,
    /** Audit records contain digests and reasons, never content. */
    auditRecordBytes: 64 * KiB,
    /** The largest file of a skill in base64, or the largest value. */
    exportLineBytes: 32 * MiB,
    /** First line of a journal. */
    headerBytes: 1 * KiB,
    /** Bytes of a journal read at once. */
    chunkBytes: 256 * KiB,
    /** A journal this many times larger than its values is rewritten. */
    compactFactor: 4,
    compactBytes: 256 * KiB,
    /** About 2 MB. The audit has the older ones. */
    tombstones: 10_000,
    /** Damaged files stored for inspection; the oldest is removed first. */
    corruptCopies: 5,
    /** Reported one by one; the others are counted. */
    faultsReported: 20,
    /** Writes take milliseconds; the error names the lock's owner. */
    lockWaitMs: 15_000,
    /** If its owner cannot be checked: another machine, a reused process id. */
    unknownHolderMs: 10_000,
    /** Longest pause between attempts to take a lock. */
    lockPauseMs: 40,
    /** Shared inside one process before others get their turn. */
    lockTurnMs: 100,
    /** How often a server renews its claim on the state folder, and how many times unchanged until another machine takes it. */
    claimMs: 2_000,
    claimTurns: 4,
    claimCharacters: 4 * KiB,
    /** Callers of one process waiting for a lock. */
    waiting: 100_000,
    /** Nested takeovers that died halfway. */
    takeovers: 8,
    /** No write takes a tenth of it. */
    leftoverMs: 60 * 60_000,
    /** Precision of a blob's last use; saves writes. */
    useStepMs: 60_000,
    /** A blob is written before the state names it, so a young blob is not collected. More than two steps of use. */
    blobGraceMs: 150_000,
    /** How long a member of a shared store counts as live after it was last heard, and how often it is heard. */
    leaseMs: 5_000,
    /** How long a server serves without its engine, unless the configuration says otherwise. */
    awayMs: 15 * 60_000,
    renewMs: 1_000,
    /** A member that may no longer serve is forgotten after this time; until then it is in the table for people to see. */
    goneMemberMs: 60 * 60_000,
    /** The same failure of an engine is logged again after this time. */
    reportAgainMs: 60_000,
    /** Blobs used since the last report to an engine; the others look unused for a while. */
    usesReported: 10_000,
    /** A new connection to an engine, and one statement without blobs. */
    connectMs: 2_000,
    statementMs: 5_000,
    /** A blob of the largest size over a slow network. */
    blobStatementMs: 60_000,
    /** Connections of one process to an engine, besides the one that listens. */
    connections: 4,
    /** Entries of a shared log and records of its audit in one answer. */
    pageEntries: 200,
    /** Another server takes over a task this long after the one that did it was last heard. */
    taskMs: 15_000,
    /** Entries after the newest snapshot of a shared log until the next one is written. A start reads no more than these. */
    snapshotEntries: 1_000,
    /** One part of a snapshot, and the parts in one answer. */
    snapshotPartBytes: 256 * KiB,
    snapshotParts: 16,
    /** A reader that finds its snapshot removed tries another one, this many times. */
    snapshotAttempts: 5,
    /** No other server tries a snapshot within this time. */
    snapshotMs: 60_000,
    /** Entries before a snapshot stay for this long, so that a writer without an answer still finds its entry. */
    logTailMs: 60 * 60_000,
    /** Entries removed by one statement, which delays writers. */
    trimEntries: 5_000,
    /** Unused snapshots stay for this long: somebody may be reading them. */
    snapshotGraceMs: 10 * 60_000,
    /** How often a server offers to remove old entries and unused blobs, and how often one of all servers does. */
    upkeepMs: 60_000,
    collectMs: 10 * 60_000,
    /** A write is tried again for this long if the connection breaks, with a pause between attempts. */
    retryMs: 1_000,
    retryPauseMs: 50,
    /** Attempts of a writer that loses against others. */
    conflicts: 1_000,
    confirmPollMs: 20,
    /** How long a command waits until every replica has applied its decision. */
    confirmMs: 2_000,
    /** Windows virus scanners keep files open for moments. */
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
    /** A large catalog or one skill. */
    messageBytes: 1 * MiB,
    /** Thousands of tiny fragments are an attack. */
    fragments: 256,
    /** More than a person can distinguish. */
    paths: 1_000,
    idCharacters: 256,
    nameCharacters: 256,
    /** Endpoint descriptions may be long; skill descriptions are cut to the limit for skills. */
    descriptionCharacters: 8 * KiB,
    contentTypeCharacters: 256,
    errorCharacters: 8 * KiB,
    tokenCharacters: 8 * KiB,
    headers: 64,
    /** With sessions of the HTTP loop; each WebSocket is one of `http.connections`. */
    sessions: 3_000,
    /** If credentials are required. */
    sessionsPerCredential: 20,
    /** If other machines can reach the hub. */
    socketsPerAddress: 100,
    /** Time for a session to authenticate. */
    authenticateMs: 5_000,
    /** Lifetime and number of unused tickets of `/mdp/auth`. */
    ticketMs: 60_000,
    tickets: 1_000,
    /** Heartbeat and longest silence, as in the reference implementation. */
    pingMs: 30_000,
    silentMs: 90_000,
    /** Finds half-open connections earlier; two pings may go unanswered. */
    socketPingMs: 20_000,
    socketPingMisses: 2,
    /** Time for a runtime to answer, as in the reference implementation. */
    callMs: 15_000,
    /** Pending calls of one runtime, and of all. */
    pendingPerClient: 64,
    pending: 4_096,
    /** Runtimes reached at once by one `callPaths`. */
    fanOut: 64,
    /** Rate of one runtime, and the burst of answers to several calls. */
    messagesPerSecond: 50,
    messageBurst: 200,
    /** Unread bytes of a slow runtime, and how long it may stay slow. */
    unreadBytes: 1 * MiB,
    slowMs: 10_000,
    /** A restart reconnects all runtimes at once, as one change. */
    changeMs: 50,
    /** Messages waiting for the next poll of an HTTP loop. */
    queuedMessages: 128,
    /** Default and longest wait of a poll. */
    pollMs: 25_000,
    longestPollMs: 60_000,
    /** For pending calls after a signal, then for runtimes to close. */
    shutdownMs: 2_000,
    /** Page size of `listClients` and `listPaths`. */
    listed: 200,
  },
  runtimeClient: {
    /** Time to open a connection. */
    openMs: 10_000,
    /** Three missing pings of a hub. */
    silentMs: 100_000,
    /** First pause before reconnecting, doubled each time, and the longest. */
    retryMs: 1_000,
    longestRetryMs: 30_000,
    /** After a refusal: an early retry cannot help. */
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
    /** Cached texts that one runtime declared static. */
    staticBytes: 16 * MiB,
    /** Parallel requests for static texts of one runtime. */
    parallelCalls: 8,
    /** Expanded from patterns and watched for removal. */
    concrete: 1_000,
    /**
     * A new server may list nothing for this long. The reference joins a running server within its election timeout of
     * 7 s; a gateway's listing times out after 10 s.
     */
    settleMs: 8_000,
    settleEveryMs: 500,
    /** After a restart of its hub: runtimes reconnect after pauses of 1, 2 and 4 s. A gateway's call times out after 10 s. */
    reconnect: { awayMs: 10_000, waitMs: 5_000, everyMs: 250 },
  },
  pin: {
    /** Checks for pins that changed or expired. */
    everyMs: 2_000,
    /** Checks of the live skill, if it sends no change notices. */
    driftMs: 60_000,
    /** A pinned entry can be unpinned at any time. */
    ttlMs: 60_000,
    /** A longer pin is a typing mistake. */
    longestMs: 3_650 * 24 * 60 * 60_000,
    /** Skills of one command. */
    skills: 100,
    /** The runtime decides how many it has, and each takes space in the state. */
    byRules: 100,
  },
  ttl: {
    watchedMs: 60_000,
    unwatchedMs: 300_000,
  },
  http: {
    /** Revision 2025-03-26 only; later ones have no batches. */
    batch: 16,
    requestBytes: 4 * MiB,
    /** Larger requests skip the fast path. */
    hotRequestBytes: 64 * KiB,
    /** Ten times what any message needs; protects recursive parsers and schemas. */
    jsonDepth: 64,
    /** A token of 16 KiB, and other headers. */
    headerBytes: 32 * KiB,
    headersMs: 10_000,
    requestMs: 30_000,
    /** Longer than the idle time of usual load balancers (60 s), which otherwise reuse a connection that is being closed. */
    keepAliveMs: 75_000,
    /** How often slow headers, slow bodies and idle connections are checked. */
    connectionCheckMs: 1_000,
    connections: 4_096,
    /** Half of all, so that one address cannot lock out the others; a reverse proxy is one address. */
    connectionsPerAddress: 2_048,
    /** Beyond that, one answer with the reason; of one address, and of all. */
    refusedPerAddress: 64,
    refused: 256,
    refusedMs: 1_000,
    requestsPerSocket: 10_000,
    /** A client that does not read its answer for this long is disconnected. */
    stalledWriteMs: 30_000,
    /** So that a client gets to read the refusal. */
    discardedBytes: 8 * MiB,
    discardMs: 2_000,
    /** Event streams of all clients together: `subscriptions/listen`, sessions and pages. */
    streams: 2_048,
    /** A quarter of them for one address. */
    streamsPerAddress: 512,
    /** A client that does not read; an event has a few hundred bytes. */
    stream: { events: 256, bytes: 1 * MiB },
    /** Time for open requests after a signal. */
    shutdownMs: 5_000,
    /** Default of `--drain`: a load balancer needs two or three checks of `/readyz` to notice. */
    drainMs: 10_000,
    longestDrainMs: 10 * 60_000,
    /** Clients of an ended stream reconnect after this time and up to twice as long, so that not all come at once. */
    retryMs: 1_000,
    /** Proxies between a client and this server. */
    proxyHops: 16,
  },
  sessions: {
    /** Before revision 2026-07-28; the longest idle one is removed first. */
    count: 1_000,
    idleMs: 30 * 60_000,
    /** URIs that one session may subscribe to. */
    subscriptions: 1_024,
  },
  outbound: {
    /** Including name lookup, redirects, retries and body. */
    deadlineMs: 60_000,
    /** After the grace time: one byte now and then defeats idle timeouts. */
    bytesPerSecond: 1 * KiB,
    rateGraceMs: 10_000,
    /** Default if the caller sets no limit. */
    bodyBytes: 16 * MiB,
    redirects: 5,
    retries: 3,
    /** Doubled each time and varied by half; then the longest `Retry-After`. */
    retryMs: 200,
    retryAfterMs: 30_000,
    /** Parallel requests, to all hosts and to one. */
    concurrency: 16,
    perOrigin: 4,
  },
  origin: {
    /** One answer to a small request. */
    deadlineMs: 60_000,
    /** A stdio server that never answers gets the older revision. */
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
    /** JSON may escape a byte with six characters. */
    escapedBytes: 6,
    envelopeBytes: 64 * KiB,
    /** A 16 MiB file, fully escaped. */
    lineBytes: 6 * 16 * MiB + 64 * KiB,
    /** A program with more is not an MCP server. */
    junkLines: 1_000,
    /** Stored, and quoted in a message. */
    stderrBytes: 64 * KiB,
    stderrQuotedCharacters: 400,
    /** After exit; then after stdin closes, and after SIGTERM. */
    drainMs: 200,
    endMs: 2_000,
    terminateMs: 5_000,
    /** Starts of a stdio server before `restartMs` applies between them. */
    restarts: 5,
    restartMs: 60_000,
    /** Longest time a listing is cached, whatever its server says. */
    ttlMs: 24 * 60 * 60_000,
    /** Of one listing; then per entry. */
    findings: 1_000,
    refused: 10_000,
    faults: 20,
    /** Depth and number of free values in an entry (`_meta`). */
    metaDepth: 16,
    metaNodes: 2_000,
    /** Text of a server about itself. */
    instructionsCharacters: 64 * KiB,
    /** Larger answers take a millisecond or more, and are parsed in turns. */
    atOnceBytes: 32 * KiB,
    /** A repeated entry is not checked again. */
    cachedAnswers: 64,
    cachedCharacters: 64 * KiB,
  },
  wellKnown: {
    /** The index of a site: 10,000 skills with five files each take 4 MiB. */
    indexBytes: 64 * MiB,
    entries: 100_000,
    /** A quarter of it fits the largest archive. */
    artifactBytes: 128 * MiB,
    /** After unreadable files: soon, but not for every reader. */
    retryMs: 5_000,
    /** Cached targets of file paths, about 150 bytes each. */
    cachedPaths: 10_000,
    /** Larger builds do not sync every file, which takes milliseconds each. */
    syncedSkills: 100,
    /** Some ten thousand skills; the others are read twice. */
    builtBytes: 256 * MiB,
    /** Unpublished files stay longer than any reader or cache keeps an index. */
    keepDays: 7,
    mostKeepDays: 3_650,
  },
  site: {
    /** Twice an uncompressed skill of 16 MiB. */
    artifactBytes: 32 * MiB,
    /** Thousands of ordinary skills; others are reported and available by URI. */
    listingBytes: 200 * MiB,
    /** Parallel downloads; a page comes with the first of them. */
    window: 8,
    /** Consecutive timeouts before a listing is aborted. */
    silences: 3,
    /** Cached files that may be requested again. */
    cachedBytes: 64 * MiB,
    /** Without cache headers; the same as for our own unwatched listings. */
    ttlMs: 300_000,
  },
  mirror: {
    /** Between these bounds the origin decides. */
    leastMs: 10_000,
    mostMs: 60 * 60_000,
  },
  telemetry: {
    /** A collector that is away must not delay the end of a server. */
    closeMs: 2_000,
    /** Different messages of the SDK that are logged, and how much of each. */
    messages: 50,
    messageCharacters: 500,
  },
  gateway: {
    /** The longest wait of a gateway's client. */
    deadlineMs: 10_000,
    /** Longest and shortest configurable deadline. */
    longestDeadlineMs: 5 * 60_000,
    shortestTtlMs: 1_000,
    /** Default and maximum while an upstream fails. */
    staleMs: 24 * 60 * 60_000,
    /** The part of a pause by which requests to an upstream are spread. */
    jitter: 0.1,
    longestStaleMs: 30 * 24 * 60 * 60_000,
    /** Parallel calls to one upstream, waiting calls, and the configurable maximum. */
    concurrency: 8,
    mostConcurrency: 64,
    waiting: 256,
    /** Slower upstreams appear once they answer. */
    firstListingMs: 3_000,
    /** Consecutive failures, and the pause before one call tries again. */
    breakerFailures: 5,
    breakerOpenMs: 30_000,
    /** Pause after a failed listing, doubled each time, and the longest. */
    retryMs: 1_000,
    longestRetryMs: 30_000,
    /** For the next start; each piece is one line of an export. */
    storedListingBytes: 64 * MiB,
    storedPieceBytes: 4 * MiB,
    /** Each record waits for the disk. */
    listingStepMs: 60 * 60_000,
    /** At a start, before the stored listing is served. */
    storedPatienceMs: 1_500,
    /** Milliseconds for us, a wall against guessing credentials. */
    identityRounds: 20_000,
    /** Chained gateways; a longer chain is a loop. */
    hops: 3,
    /** Upstreams of one gateway; each may have a process and connections. */
    origins: 1_000,
    /** Shared skill names reported one by one. */
    sharedNames: 100,
    /** It is reread once two checks in a row find the same file. */
    reloadPollMs: 500,
    /** Headers, variables, patterns and rules of one origin. */
    settings: 100,
    /** A longer address, path or word cannot be shown for approval. */
    originCharacters: 4096,
    /** Longest wait of a readiness probe. */
    probeMs: 250,
    /** Characters of an upstream's error in the log and the status. */
    reasonCharacters: 400,
  },
  credentials: {
    /** Tokens with 200 groups have 11 KB, and there are two of them. */
    recordBytes: 256 * KiB,
    /** Tokens that a server accepts may have as many. */
    tokenCharacters: 64 * KiB,
    /** A token is renewed this long before it expires, so that no request in flight fails. */
    renewMs: 60_000,
    /** Metadata and answers of an authorization server. */
    answerBytes: 512 * KiB,
    answerMs: 10_000,
    /** Time for a person to log in and consent. */
    loginMs: 10 * 60_000,
    /** Between two requests of the device flow, if the server says nothing or too little. */
    pollMs: 5_000,
    /** Characters of an address that a person pastes. */
    pastedCharacters: 16 * KiB,
  },
  access: {
    /** Callers may request any number of paths. */
    rememberedPaths: 10_000,
    /** Each has its own cached listings and pages. */
    profiles: 100,
    /** Patterns, labels and rules of one profile or policy. */
    patterns: 1_000,
    /** Name of a token or a profile. */
    nameCharacters: 100,
    /** Longest lifetime of a token that expires: ten years. */
    tokenMs: 3_650 * 24 * 60 * 60_000,
    /** A JWT with 200 groups has 11,000 characters. */
    tokenCharacters: 16 * KiB,
    /** Verified tokens of our own that are remembered, some 200 bytes each. */
    knownTokens: 10_000,
    /** Check for revoked tokens; costs one file time stamp. */
    streamPollMs: 500,
    /** As many as one origin may list. */
    waiting: 10_000,
    /** How often a server that does not write the queue looks whether it must. */
    waitingAgainMs: 10_000,
    /** Keeps a journal line well within its limit. */
    waitingAtOnce: 200,
    /** Beyond this the audit counts: every record waits for the disk. */
    auditedAtOnce: 100,
    /** Identity providers of one server. */
    issuers: 16,
    /** Verified tokens; each costs some hundred bytes, and verifying one again 300 µs. */
    verifiedTokens: 10_000,
    /** Clocks of issuers and servers differ. */
    clockToleranceMs: 30_000,
    /** After this, signing keys are fetched again; a withdrawn key is accepted at most this long. */
    keysMs: 10 * 60_000,
    /** While an issuer does not answer, its last keys are accepted this long. */
    staleKeysMs: 60 * 60_000,
    /** Tokens with unknown keys, and failures, cause at most one request in this time. */
    keysCooldownMs: 5_000,
    /** Keys of one issuer; large ones have about ten. */
    keys: 100,
    /** Metadata, keys and answers about one token or person. */
    issuerBytes: 512 * KiB,
    issuerMs: 5_000,
    /** Revoked tokens that only their issuer knows are accepted at most this long. */
    introspectedMs: 30_000,
    /** Time to sign in at the identity provider. */
    signInMs: 10 * 60_000,
    /** Browsers that are signing in; the oldest attempt is dropped. */
    signIns: 1_000,
    /** Revoked subjects and token ids. */
    revoked: 10_000,
  },
  suggestions: {
    /** Longer texts are not names that somebody mistyped. */
    typedCharacters: 200,
    /** Comparing a name takes microseconds, so an answer takes milliseconds. */
    names: 10_000,
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
    /** The number that fits beside the weight of a word. */
    texts: 1_048_575,
    /** Synchronous indexing before other requests get their turn. */
    sliceMs: 8,
    /** Removed texts before the index is rebuilt. */
    goneTexts: 1_000,
    /** Part of a query that is read. A whole task says what it is about at its beginning. */
    queryCharacters: 2_000,
    /** Ranked terms of a query: the most specific ones. */
    queryTerms: 64,
    /** Alternatives for an unknown word: words that begin with it or differ in one letter. */
    guesses: 20,
    /** Default and maximum number of hits. */
    hits: 10,
    mostHits: 50,
    /** A model refines its query rather than reading on. */
    toolHits: 8,
    /** About 40 per hit, and 50 hits fit. */
    toolTokens: 2_000,
    /** Part of a description that the tool shows. */
    descriptionCharacters: 160,
    /** Examined to find twins. */
    hitsBehind: 4,
    /** Other places of the same text that a hit names. */
    copies: 10,
    /** Near twins that a hit names. */
    twins: 20,
    /** The largest models in use have some thousand. */
    dimensions: 8_192,
    /** Vectors compared in full per requested hit. */
    nearCandidates: 10,
    /** Models read about 256 tokens. */
    embeddedAtOnce: 32,
    embeddedCharacters: 1_000,
    /** Then the search ranks by words alone. */
    queryVectorMs: 1_000,
    /** Time for one call of an embedder, and the pause after a failure. */
    embedMs: 60_000,
    embedPauseMs: 60_000,
    /** 33,000 vectors of 1,536 numbers. Those not used in this run go first. */
    cachedVectorBytes: 64 * MiB,
    /** Pieces are merged beyond this number. */
    vectorPieceBytes: 4 * MiB,
    vectorPieces: 64,
    /** Models with cached vectors; the least recently used is removed first. */
    cachedModels: 4,
    /** Many vectors are written at once. */
    vectorsDelayMs: 2_000,
    /** How long `skillwire search` waits for vectors of new texts. */
    commandEmbedMs: 20_000,
    /** Cached query vectors. */
    rememberedQueries: 1_000,
    /** Then the search answers from the other texts, and says so. */
    waitMs: 10_000,
    /** Texts read in parallel. */
    parallelReads: 8,
  },
  messages: {
    /** The part cut off says nothing more about the fault. */
    quotedCharacters: 80,
    /** Removing a shorter secret would spoil the text. */
    secretCharacters: 4,
  },
  page: {
    /** A shorter page token could be guessed. */
    leastTokenCharacters: 16,
    /** Shown without delay, and a person can still scroll through. */
    skills: 1_000,
    findings: 500,
    /** Rows of one answer, by default and at most: a few screens, about 60 and 300 kB. */
    rows: 100,
    mostRows: 500,
    /** The address of the server, as a browser reaches it. */
    addressCharacters: 2_000,
    /** Best matches of a search in the listing. */
    hits: 200,
    /** Listed descriptions: two lines on a wide screen. */
    listedDescription: 300,
    /** Part of a description that is read for "Use when"; the specification allows 1,024 characters. */
    readDescription: 2_000,
    /** The largest of 42,098 SKILL.md files has 294 kB; 1 MiB of Markdown takes 3 s. */
    textBytes: 256 * KiB,
    /** Code above this length is shown without colors. */
    coloredCharacters: 64 * KiB,
    /** In a thread that is terminated afterwards. */
    renderMs: 1_000,
    /** Others are shown as text. */
    renderings: 32,
    /** A picture of a skill. */
    imageBytes: 4 * MiB,
    /** Audit rows shown, newest first. */
    auditRecords: 500,
    /** A decision with its comment, or a token. */
    bodyBytes: 24 * KiB,
    /** Verified, then recorded in parallel when many skills are approved at once, so that they share writes to the disk. */
    approvals: 32,
    /** A comment in the audit. */
    reasonCharacters: 1_000,
    /** Signed-in browsers; the oldest is signed out. */
    sessions: 1_000,
    /** How long a server uses its copy of a session of another server, which a sign-out there ends. */
    sessionCopyMs: 10_000,
    /** A working day. */
    sessionMs: 12 * 60 * 60_000,
    /** Per minute and client; further tokens are not checked in that minute. */
    attempts: 10,
    /** For all clients. Behind a proxy all look like one, so a low number would lock out everybody. */
    allAttempts: 300,
    attemptsMs: 60_000,
    /** Pages following changes at the same time. */
    eventStreams: 256,
    /** A browser opens six at most, and all clients behind one proxy leave room for others. */
    eventStreamsPerClient: 64,
    /** So that proxies keep idle streams open. */
    keepAliveMs: 20_000,
    /** How often the token of an open page is checked again. */
    tokenPollMs: 2_000,
    /** Tracked from the first visit; others once somebody opens them. */
    followedSkills: 2_000,
    /** Stored for comparison: in all, and of one file. */
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
    /** Twice the largest skill, packed in the most wasteful way. */
    packedBytes: 32 * MiB,
    /** The size that hosts must accept, with room for folders and links. */
    skill: { entries: 1_024, bytes: 16 * MiB },
    /** An archive of many skills, read from disk into memory as a whole. */
    tree: { entries: 10_000, bytes: 64 * MiB },
    /** Headers, long names and padding of one tar entry. */
    overheadBytes: 4 * KiB,
    /** The longest path has 4 KiB; macOS adds attributes. */
    metadataBytes: 64 * KiB,
    /** Links that lead to links. */
    linkHops: 8,
    /** A bomb exceeds its limit by this much at most. */
    chunkBytes: 64 * KiB,
    /** Without a thread; then other work gets its turn. */
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
    /** As many as calls to one upstream. */
    parallelReads: 8,
    /** After a rule was added. A skill not read by then is not served. */
    readPatienceMs: 2_000,
    /** Then files of removed skills are dropped. */
    notedFiles: 10_000,
    /** After an unreadable `SKILL.md`, or a denied dynamic one. */
    readAgainMs: 30_000,
    /** Between two readings of decisions that nobody asked for, as a multiple of the time that one takes. */
    followPauses: 4,
    longestFollowPauseMs: 2_000,
  },
  configuration: {
    bytes: 1 * MiB,
    /** Checked before the recursive parser runs; the schema needs four levels. */
    depth: 32,
    /** Faults in one error message; the others are counted. */
    faults: 20,
  },
  verifier: {
    /** Failures stored for one skill, or for the server; the others are counted. */
    failures: 200,
    /** Nested skills whose files are compared with the outer entry. */
    nested: 10_000,
    /** Keeps a server busy without being an attack. */
    parallel: 16,
    mostParallel: 128,
    /** Parallel reads of one skill. */
    parallelFiles: 4,
    /** One largest skill, so that large files go one by one. */
    bytesInFlight: 16 * MiB,
    /** Read to report how many bytes there are. */
    excessBytes: 64 * KiB,
    /** Each may take a whole deadline. */
    silences: 3,
    /** Then wrong bytes count as a failure. */
    versions: 3,
    /** One page of a directory: some thousand children; a skill has 512 files. */
    directoryBytes: 4 * MiB,
    /** Unreadable directories before the others are skipped. */
    unusableDirectories: 20,
    /** Verified skills recorded at once. */
    batch: 500,
    /** Skills compared by directory, and reread in the other protocol era. */
    sampledSkills: 50,
  },
  cli: {
    /** A longer command shows its progress on a terminal. */
    progressMs: 1_000,
    /** At 10,000 skills, watches and the digest cache take seconds. */
    startMs: 10_000,
    /** Findings are limited, so the next round sees the rest. */
    fixRounds: 20,
    /** Problems that `serve` prints with their remedy; `validate` prints all. */
    problemsShown: 5,
    /** Reasons for a stale site that are printed; `--json` has all. */
    staleShown: 20,
    /** GitHub refuses more. */
    sarifResults: 25_000,
    /** How often a progress line is redrawn. */
    progressStepMs: 1_000,
    /** Table width without a terminal, and the least width of a cut text. */
    tableColumns: 120,
    cutColumns: 16,
    /** Size of a terminal that does not say how large it is: that of most when they open. */
    narrowColumns: 80,
    terminalRows: 24,
    /** Rows of a list to choose from; more of them make a person read instead of search. */
    choiceRows: 12,
    /** A typed search; no name is longer. */
    queryCharacters: 100,
    /** Longest `--timeout`; an hour for one answer is a typing mistake. */
    timeoutMs: 60 * 60_000,
    /** Refused entries and findings that are printed; `--json` has all. */
    refusedShown: 5,
    /** Parallel downloads of one skill's files, and parallel requests for entries. */
    parallelReads: 4,
    /** A file for `approve --from-file`: 10,000 rows of `waiting --json` have 8 MiB. */
    planFileBytes: 32 * MiB,
    planFileDepth: 64,
    /** Lines of one file that `review` prints; `read` prints all. */
    viewedLines: 400,
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
    /** Below it the skill is left out instead. */
    catalogDescriptionLeast: 60,
    /** Requests of a skill shown per kind: a person reads no more. */
    requestsShown: 100,
    /** Lines shown as commands to execute. */
    shellLines: 20,
    /** Lines of a text that are compared; longer texts are reported as too different. */
    diffedLines: 50_000,
    /** Time grows with the square of the edits. */
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
    /** One that hangs does not delay the others. */
    parallelOrigins: 16,
    /** Default deadline of one call to an origin. */
    callMs: 30_000,
    /** Twice 64 pages at a second each; then the listing is partial. */
    listingMs: 120_000,
    /** Twice what our server lists in 64 pages; then the listing is partial. */
    listedSkills: 200_000,
    /** 250,000 tokens. */
    skillMdBytes: 1 * MiB,
    /** A plain resource for a model. */
    resourceBytes: 16 * MiB,
    /** Cached content, not counting what the state refers to. */
    cacheBytes: 512 * MiB,
    /** Twelve of the largest skills, within the window. */
    originBytes: 200 * MiB,
    originFiles: 10_000,
    originWindowMs: 10 * 60_000,
    /** Up to this many skills, a model gets a tool that lists them. */
    skillsForListTool: 100,
    /** Loaded without a request, whatever lifetime the origin declares. */
    cachedEntries: 256,
    cachedEntryMs: 5 * 60_000,
    /** Skills that the error about an ambiguous name lists. */
    namedCandidates: 10,
  },
  dialects: {
    /** Published URIs have a few hundred characters. */
    templateCharacters: 2 * KiB,
    /** Variables of one template; a person chooses a value for each. */
    templateVariables: 16,
    /** URIs taken from the instructions of one server; each costs a request. */
    mentions: 20,
    /** Like skilljack-mcp: a collection sends all files in one answer. */
    collectionFileBytes: 1 * MiB,
    /** Texts of one prompt, tool answer or collection of another server. */
    answerTexts: 1_024,
    /** Templates listed for folders of skills, for a person to choose from. */
    folderTemplates: 50,
    /** A model reads the tool description or answer. */
    catalogSkills: 200,
    /** After the first listing, which goes first. */
    remarksMs: 1_000,
    /** Time for one probe of what a server speaks. */
    probeMs: 10_000,
    /** The same as we allow others. */
    cachedMs: 60_000,
    /** Read in parallel as one page. */
    parallelLoads: 4,
    pageSkills: 32,
    /** Bytes of one listing beside its documents; skills beyond it are available by URI. */
    listingBytes: 200 * MiB,
    /** Unpacked archives and collections cached in memory; others are read again. */
    cachedBytes: 64 * MiB,
    /** Consecutive timeouts before a listing is aborted. */
    silences: 3,
  },
  signing: {
    /** A signature file; the largest of 344 public ones has 40 KiB. */
    bundleBytes: 1 * MiB,
    jsonDepth: 32,
    /** Files that one signature lists: those of a skill, and unpublished ones. */
    files: 5_000,
    /** Of one chain, root included. */
    certificates: 5,
    certificateBytes: 8 * KiB,
    /** A key or a root in PEM form. */
    trustFileBytes: 64 * KiB,
    /** Named signers of a configuration; every one of a kind is tried. */
    signers: 64,
    /** Checked chains; 344 public skills have two. */
    cachedChains: 64,
    /** Verdicts of one server or host, about 1 KiB each. */
    cachedVerdicts: 20_000,
    /** Skills of one installation that are judged at once; their records are one write. */
    parallelVerdicts: 64,
    /** A certificate that is not valid yet is looked at again after this time. */
    timeVerdictMs: 10 * 60_000,
  },
  sync: {
    /** `skillwire.lock`: 10,000 skills with five files each take 10 MiB. */
    lockBytes: 64 * MiB,
    /** A `skills-lock.json` of another installer. */
    foreignLockBytes: 16 * MiB,
    /** Parallel writes; keeps the disk threads busy. */
    parallelWrites: 16,
    /** Larger runs do not sync every file, which takes milliseconds each. */
    syncedFiles: 500,
    /** Skills fetched in parallel. */
    parallelSkills: 4,
    /** Files of one skill read from a folder in one call; most skills have fewer. */
    localReads: 32,
    /** Folder depth of an installed skill that is checked for changes. */
    depth: 64,
    /** Changed files of one skill that are reported. */
    editsReported: 20,
    /** The coarsest time step of file systems. */
    settledMs: 2_000,
    /** Skills in one audit record, each with two digests. */
    auditRows: 100,
  },
  git: {
    /** A shallow fetch of a large repository over a slow line. */
    deadlineMs: 5 * 60_000,
    /** Two runs of git, one of which may fetch everything. */
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
    /** UTF-16 units of a client's settings; a longer file is not edited. */
    hostFileCharacters: 16 * MiB,
    /** Backups of one file before a new name is no longer tried. */
    backups: 100,
    /** The client guide of Agent Skills stops there too. */
    skillsLookedAt: 2_000,
    /** Codex cuts its list beyond this many characters of names and descriptions. */
    codexListingCharacters: 8_000,
  },
} as const;

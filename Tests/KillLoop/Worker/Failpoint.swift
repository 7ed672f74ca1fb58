internal import Glibc
internal import IdentityHTTP
internal import IdentityKit

/// A moment at which a process dies, as if somebody had killed it there.
enum Failpoint: String, CaseIterable, Sendable {
    case beforeTheClaimCommits = "before-claim"
    case afterTheClaimBeforeBytesLeave = "after-claim"
    case afterBytesLeft = "bytes-left"
    case rotatedAndNotJournaled = "rotated"
    case journaledAndNotPromoted = "journaled"
    case afterTheSave = "saved"
    case beforeTheSpool = "before-spool"
    case afterTheSpool = "spooled"
    case savedFromTheSpool = "unspooled"

    /// Whether the store takes nothing after the claim, so that the tokens go to its second place.
    var breaksStore: Bool { self == .beforeTheSpool || self == .afterTheSpool }

    func strike(_ point: Failpoint) {
        guard self == point else { return }
        kill(getpid(), SIGKILL)
        while true { pause() }
    }
}

/// The store of a process that dies at a failpoint.
final class FailingStore: SessionLocking, SessionSpooling, SessionStore {
    private let inner: any OrderedStore
    private var second: (any SessionSpooling)? { inner as? any SessionSpooling }
    private let point: Failpoint

    init(_ inner: any OrderedStore, _ point: Failpoint) {
        self.inner = inner
        self.point = point
    }

    func replace(_ session: StoredSession, expecting generation: Int64) async throws -> Bool {
        let isClaim = session.isUnsettled && !session.holdsAnswer
        if isClaim {
            point.strike(.beforeTheClaimCommits)
        } else if point.breaksStore {
            throw IdentityError(.retryLater, .storeFull, "The disk is full.")
        }
        let isReplaced = try await inner.replace(session, expecting: generation)
        if session.isUnsettled, session.holdsAnswer { point.strike(.journaledAndNotPromoted) }
        if !session.isUnsettled { point.strike(.afterTheSave) }
        return isReplaced
    }

    func spool(_ session: StoredSession) async throws {
        point.strike(.beforeTheSpool)
        guard let second else { throw IdentityError(.retryLater, .storeFailed, "The store has no second place.") }
        try await second.spool(session)
        point.strike(.afterTheSpool)
    }

    func removeSpooledSession(_ id: SessionID) async throws {
        point.strike(.savedFromTheSpool)
        try await second?.removeSpooledSession(id)
    }

    func insert(_ session: StoredSession) async throws { try await inner.insert(session) }
    func session(_ id: SessionID) async throws -> StoredSession? { try await inner.session(id) }
    func remove(_ id: SessionID) async throws -> RemovedSession? { try await inner.remove(id) }
    func sessions(matching filter: SessionFilter) async throws -> [StoredSession] {
        try await inner.sessions(matching: filter)
    }
    func insert(_ attempt: StoredLoginAttempt) async throws { try await inner.insert(attempt) }
    func takeLoginAttempt(_ key: String) async throws -> StoredLoginAttempt? { try await inner.takeLoginAttempt(key) }
    func attachment(_ name: String, of id: SessionID) async throws -> SessionAttachment? {
        try await inner.attachment(name, of: id)
    }
    func setAttachment(
        _ name: String,
        to payload: Secret?,
        of id: SessionID,
        expecting revision: Int64?
    ) async throws -> Bool {
        try await inner.setAttachment(name, to: payload, of: id, expecting: revision)
    }
    func withSessionLock<Result: Sendable>(
        _ id: SessionID,
        waitingUpTo limit: Duration,
        _ body: @Sendable (SessionHold) async throws -> Result
    ) async throws -> Result {
        try await inner.withSessionLock(id, waitingUpTo: limit, body)
    }
    func spooledSession(_ id: SessionID) async throws -> StoredSession? { try await second?.spooledSession(id) }
    func spooledSessions() async throws -> [StoredSession] { try await second?.spooledSessions() ?? [] }
}

/// The transport of a process that dies at a failpoint.
struct FailingTransport: HTTPTransport {
    let inner: any HTTPTransport
    let point: Failpoint

    func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        guard request.url.path == "/token" else { return try await inner.send(request) }
        point.strike(.afterTheClaimBeforeBytesLeave)
        if point == .afterBytesLeft {
            // The provider takes its time with this request.
            Task {
                try? await Task.sleep(for: .milliseconds(150))
                point.strike(.afterBytesLeft)
            }
        }
        let response = try await inner.send(request)
        point.strike(.rotatedAndNotJournaled)
        return response
    }
}

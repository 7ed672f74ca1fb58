internal import Glibc
internal import IdentityHTTP
internal import IdentityKit
internal import IdentityTesting

/// A point in a refresh at which a process kills or stops itself, or, for ``afterBytesLeft``, is killed by its parent.
enum Failpoint: String, CaseIterable, Sendable {
    case beforeTheClaimCommits = "before-claim"
    case afterTheClaimBeforeBytesLeave = "after-claim"
    case afterBytesLeft = "bytes-left"
    case receivedAndNotStored = "rotated"
    case storedAndNotValidated = "journaled"
    case afterTheSave = "saved"
    case beforeTheSpool = "before-spool"
    case afterTheSpool = "spooled"
    case savedFromTheSpool = "unspooled"
    case stoppedWhileConnecting = "stopped-connecting"
    case stoppedWithTheResponse = "stopped-with-response"

    /// Whether the store fails after the claim, so that the tokens are spooled.
    var breaksStore: Bool { self == .beforeTheSpool || self == .afterTheSpool }

    func strike(_ point: Failpoint) {
        guard self == point else { return }
        // The signal is raised in this thread, so that the thread does not continue before it takes effect.
        guard !stops else { return _ = raise(SIGSTOP) }
        kill(getpid(), SIGKILL)
        while true { pause() }
    }

    private var stops: Bool { self == .stoppedWhileConnecting || self == .stoppedWithTheResponse }
}

struct FailingStore<Inner: SessionStore>: SpoolingWrapper {
    let inner: Inner
    let point: Failpoint

    func replace(_ session: StoredSession, expecting generation: Int64) async throws -> Bool {
        let isClaim = session.isInDoubt && !session.holdsResponse
        if isClaim {
            point.strike(.beforeTheClaimCommits)
        } else if point.breaksStore {
            throw IdentityError(.retryLater, .storeFull, "The disk is full.")
        }
        let isReplaced = try await inner.replace(session, expecting: generation)
        if session.isInDoubt, session.holdsResponse { point.strike(.storedAndNotValidated) }
        if !session.isInDoubt { point.strike(.afterTheSave) }
        return isReplaced
    }

    func spool(_ session: StoredSession) async throws {
        point.strike(.beforeTheSpool)
        guard let innerSpool else { throw IdentityError(.retryLater, .storeFailed, "The store has no spool.") }
        try await innerSpool.spool(session)
        point.strike(.afterTheSpool)
    }

    func removeSpooledSession(_ id: SessionID) async throws {
        point.strike(.savedFromTheSpool)
        try await innerSpool?.removeSpooledSession(id)
    }
}

struct FailingTransport: HTTPTransport {
    let inner: any HTTPTransport
    let point: Failpoint

    func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        guard request.url.path == "/token" else { return try await inner.send(request) }
        point.strike(.afterTheClaimBeforeBytesLeave)
        var request = request
        if point == .afterBytesLeft {
            // The parent process kills this one when the provider has executed the request, and delays the response until then.
            (request.limits.firstByteTimeout, request.limits.totalTimeout) = (.seconds(600), .seconds(600))
        }
        let maySend = request.maySend
        request.maySend = {
            point.strike(.stoppedWhileConnecting)
            return maySend?() ?? true
        }
        let response = try await inner.send(request)
        point.strike(.receivedAndNotStored)
        point.strike(.stoppedWithTheResponse)
        return response
    }
}

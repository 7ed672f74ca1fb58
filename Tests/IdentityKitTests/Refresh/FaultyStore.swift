import FoundationEssentials
import IdentityKit
import IdentityTesting
import Synchronization

/// A store whose next replacements fail as scripted.
///
/// Its locks exclude no caller, so that another process can work in the middle of a refresh.
final class FaultyStore: WrappingStore {
    enum Fault: Sendable {
        /// The session is not written, and an error is thrown.
        case fails
        /// The session is written, and an error is thrown.
        case failsAfterCommit
        /// Runs an action first; then the session is written.
        case after(@Sendable () async throws -> Void)
    }

    let inner: InMemoryStore
    private let faults = Mutex<[Fault?]>([])

    init(_ inner: InMemoryStore) {
        self.inner = inner
    }

    func withLock<Result: Sendable>(
        _ name: LockName,
        waitingUpTo limit: Duration,
        _ body: @Sendable (HeldLock) async throws -> Result
    ) async throws -> Result {
        try await body(.untilProcessEnds)
    }

    /// The faults of the next replacements, in order; nil means no fault.
    func script(_ next: [Fault?]) {
        faults.withLock { $0 = next }
    }

    func replace(_ session: StoredSession, expecting generation: Int64) async throws -> Bool {
        let broken = IdentityError(.retryLater, .storeBusy, "Busy.")
        switch faults.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
        case .fails: throw broken
        case .failsAfterCommit:
            _ = try await inner.replace(session, expecting: generation)
            throw broken
        case .after(let first):
            try await first()
            return try await inner.replace(session, expecting: generation)
        case nil: return try await inner.replace(session, expecting: generation)
        }
    }
}

/// A store that records the sizes of the payloads of replacements.
final class SizeRecorder: WrappingStore {
    let inner: InMemoryStore
    private let noted = Mutex<[Int]>([])
    var sizes: [Int] { noted.withLock(\.self) }

    init(_ inner: InMemoryStore) {
        self.inner = inner
    }

    func replace(_ session: StoredSession, expecting generation: Int64) async throws -> Bool {
        noted.withLock { $0.append(session.payload.count) }
        return try await inner.replace(session, expecting: generation)
    }
}

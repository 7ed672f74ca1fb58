/// Locks among all tasks, processes and machines that share a store; ``LockName`` lists what they protect.
public protocol SessionLocking: Sendable {
    /// How long a lock is certainly held while the store can be reached: the lower bound of ``HeldLock/remaining``.
    ///
    /// Nil, the default, means that a lock is lost only when its holder's process ends. A request with a refresh token must end within this
    /// time, so ``SessionManager`` refuses providers whose ``ProviderDescriptor/timeout`` is longer.
    var guaranteedLockDuration: Duration? { get }

    /// Runs the body while no other task, process or machine holds the lock.
    ///
    /// If the holder's process ends, the lock is released at once or when its lease expires.
    ///
    /// - Parameters:
    ///   - name: The name of the lock. It may name a session that does not exist.
    ///   - limit: How long to wait until another holder releases the lock.
    ///   - body: The code to run. It receives a ``HeldLock``: check ``HeldLock/isHeld`` before each step that must happen only once.
    /// - Returns: The result of the body.
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/refreshBusy`` when the lock is not free in time; an error when the task
    ///   is cancelled while it waits, or when the store fails; the error of the body.
    func withLock<Result: Sendable>(
        _ name: LockName,
        waitingUpTo limit: Duration,
        _ body: @Sendable (HeldLock) async throws -> Result
    ) async throws -> Result
}

extension SessionLocking {
    /// Returns nil: a lock can be lost only when its holder's process ends.
    public var guaranteedLockDuration: Duration? { nil }
}

/// The name of a lock of a store (``SessionLocking``); it says what the lock protects.
public enum LockName: Sendable, Hashable {
    /// The tokens of a session, while they are refreshed.
    case session(SessionID)
    /// An attachment of a session, such as its cart, by the name of the attachment.
    case attachment(String, of: SessionID)
    /// An object of another system that several sessions can use, such as a cart, with its id in that system.
    case object(String)

    /// The name as bytes; two different names never have the same bytes.
    ///
    /// The bytes contain the session's id, which is a secret. A store that writes or sends the bytes must hash them with a key.
    public var bytes: [UInt8] {
        // The first byte differs between the cases. The session id at the end of an attachment's bytes has a fixed length, so the bytes of
        // two different attachments differ too.
        switch self {
        case .session(let id): [0] + id.rawValue.utf8
        case .attachment(let name, let id): [1] + "\(name) \(id.rawValue)".utf8
        case .object(let id): [2] + id.utf8
        }
    }

    /// Compares the ``bytes``, because Swift's `==` treats canonically equivalent strings as equal.
    public static func == (left: LockName, right: LockName) -> Bool { left.bytes == right.bytes }

    /// Hashes the ``bytes``.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

    package var busyError: IdentityError {
        let object: String
        switch self {
        case .session:
            return IdentityError(
                .retryLater,
                .refreshBusy,
                "Another task, process or machine holds the session's lock, usually for a refresh, and did not release it in time.",
                hint: """
                    Try again. If this error continues, look for a suspended process, and resume or end the suspended process. If a \
                    process reports tokens_not_durable, repair the store: the process may keep the lock until it saves the tokens.
                    """
            )
        case .attachment(let name, _): object = "the session's attachment \"\(name)\""
        case .object: object = "an object that this call needs, such as a cart"
        }
        return IdentityError(
            .retryLater,
            .refreshBusy,
            "Another task, process or machine holds the lock of \(object), and did not release the lock in time.",
            hint: "Try again."
        )
    }
}

extension LockName: Redacted {
    /// A constant text.
    public var description: String { "<lock name>" }
}

/// Tells the holder of a lock whether the lock is still held.
///
/// The holder checks the lock before each step that must happen only once, for example before it sends a refresh token.
public struct HeldLock: Sendable {
    private let time: (@Sendable () -> Duration)?
    private let keep: (@Sendable () -> Void)?

    /// A lock that can be lost while its holder runs: a lease, or a lock that a server releases when the holder's connection ends.
    ///
    /// - Parameter remaining: How much longer no other process can get the lock; zero or less if another process may already have it.
    ///   Measure the time with `ContinuousClock`, which also advances while the process is stopped or the machine sleeps.
    public init(remaining: @escaping @Sendable () -> Duration) {
        time = remaining
        keep = nil
    }

    private init(keep: (@Sendable () -> Void)?) {
        time = nil
        self.keep = keep
    }

    /// A value for calls without a lock, such as a refresh of tokens that are in no store.
    public static let notNeeded = HeldLock(keep: nil)

    /// A lock among the tasks of one process, which cannot be lost while the process runs.
    public static let untilProcessEnds = HeldLock(keep: nil)

    /// A lock that can be lost only if its holder's process ends, such as a file lock of the kernel.
    ///
    /// - Parameter keep: A closure that ``keepAfterBody()`` calls. After a call of the closure, the process keeps the lock when the body
    ///   ends: other tasks of the process can get the lock, other processes cannot. When a later body ends without a call of the closure,
    ///   the lock is released.
    /// - Returns: The lock.
    public static func untilProcessEnds(keeping keep: @escaping @Sendable () -> Void) -> HeldLock {
        HeldLock(keep: keep)
    }

    /// Lets the process keep the lock after the body, if the lock was created with ``untilProcessEnds(keeping:)``.
    ///
    /// Call the method if new tokens could not be saved. Otherwise another process could get the lock, assume that this process has
    /// crashed, and send the old refresh token again. When a later body in this process ends without this call, the lock is released.
    public func keepAfterBody() { keep?() }

    /// How much longer the lock is certainly held; nil for a lock that cannot be lost while the body runs, and for ``notNeeded``.
    public var remaining: Duration? { time?() }

    /// Whether the lock is certainly still held; true for ``notNeeded``.
    public var isHeld: Bool { remaining.map { $0 > .zero } ?? true }

    /// Whether the acquisition of this lock proves that its previous holder has released it or has ended.
    ///
    /// It is false for a lease and for a lock of a server. The previous holder of a lease or of a server's lock may only be suspended or
    /// disconnected from the server, and may still have an unsaved response of the provider.
    public var provesPreviousHolderGone: Bool { time == nil }
}

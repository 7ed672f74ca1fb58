internal import Synchronization

/// The idle contexts of one key, so that concurrent verifications neither share a context nor wait for one another.
final class VerificationContextPool: Sendable {
    /// The maximum number of idle contexts.
    ///
    /// A context that is returned to a full pool is released.
    private static let capacity = 16

    private let idle = Mutex<[VerificationContext]>([])

    func take(_ algorithm: SignatureAlgorithm) -> VerificationContext? {
        idle.withLock { idle in
            guard let index = idle.lastIndex(where: { $0.algorithm == algorithm }) else { return nil }
            return idle.remove(at: index)
        }
    }

    func put(_ context: VerificationContext) {
        idle.withLock { idle in
            if idle.count < Self.capacity { idle.append(context) }
        }
    }
}

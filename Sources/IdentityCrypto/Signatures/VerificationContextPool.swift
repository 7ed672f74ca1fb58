internal import Synchronization

/// Keeps the unused contexts of one key.
///
/// Each verification takes its own context, so concurrent verifications do not wait for one another.
final class VerificationContextPool: Sendable {
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

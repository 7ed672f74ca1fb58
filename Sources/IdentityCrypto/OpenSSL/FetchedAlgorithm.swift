internal import CIdentityOpenSSL

/// An algorithm implementation fetched from OpenSSL's providers; ``LazyAlgorithm`` fetches each once in a process.
///
/// `@unchecked Sendable`: the pointer is never reassigned, the object behind it is immutable after the fetch, and OpenSSL
/// counts references to it atomically, so any number of threads may use it at once.
@safe
final class FetchedAlgorithm: @unchecked Sendable {
    let pointer: OpaquePointer
    private let release: (OpaquePointer) -> Void

    /// Fetches the algorithm with `fetch`; nil if the fetch fails.
    init?(_ fetch: () -> OpaquePointer?, release: @escaping (OpaquePointer) -> Void) {
        guard let pointer = unsafe ErrorQueue.preserved(fetch) else { return nil }
        unsafe self.pointer = pointer
        unsafe self.release = release
    }

    deinit {
        unsafe release(pointer)
    }
}

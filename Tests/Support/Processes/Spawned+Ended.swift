internal import IdentityPlatform

extension Spawned {
    /// Waits on a thread until the process has ended; returns what ``wait()`` returns.
    package func ended() async -> Int32 {
        await withCheckedContinuation { continuation in
            _ = DedicatedThread.start { continuation.resume(returning: wait()) }
        }
    }
}

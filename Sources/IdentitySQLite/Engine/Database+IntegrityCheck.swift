internal import IdentityKit

extension Database {
    /// Returns at most 100 problems that `PRAGMA integrity_check` finds on a connection of its own.
    ///
    /// With a rollback journal, a store that is open for writing holds the writer lock during the check. Otherwise a commit would take
    /// SQLite's PENDING lock, wait for the end of the check, and block new reads in this time.
    func problems(in location: StoreLocation) async throws -> [String] {
        func check() async throws -> [String] {
            try await Self.onAnotherThread {
                try Self.connection(location, forWriting: false).texts("PRAGMA integrity_check(100)")
            }
        }
        let mayBlock = try writer != nil && connection?.texts("PRAGMA journal_mode") != ["wal"]
        let lines =
            if mayBlock {
                try await exclusively(WriterLock(try LockDescriptor(path: location.locks)), check)
            } else {
                try await retryingWhileBusy(check)
            }
        return lines == ["ok"] ? [] : lines
    }
}

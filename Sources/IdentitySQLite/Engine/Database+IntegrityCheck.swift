internal import IdentityKit

extension Database {
    /// The problems that SQLite finds in the structure of the file, at most 100 lines; empty if it finds none.
    ///
    /// The check reads the whole file. It has its own connection and thread, because other reads must not wait for it. With the rollback
    /// journal, it holds the writer lock if the store is open for writing, so that saves wait for this lock. If a save waited inside SQLite
    /// for the end of the check, all reads would wait too.
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

internal import IdentityKit

extension Database {
    /// Returns the problems that SQLite finds in the structure of the file, at most 100 lines; empty if it finds no problem.
    ///
    /// The check reads the whole file. It has its own connection and thread, so that other reads do not wait for it. With a rollback
    /// journal, a store that is open for writing holds the writer lock during the check. Without this lock, a commit would take SQLite's
    /// pending lock and wait for the end of the check, and new reads would wait for this commit.
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

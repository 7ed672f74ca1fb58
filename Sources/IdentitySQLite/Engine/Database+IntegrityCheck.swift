internal import IdentityKit

extension Database {
    /// The problems that SQLite finds in the structure of the file, at most 100 lines.
    ///
    /// The check reads the whole file. It has its own connection and thread, because other reads must not wait for it.
    func problems(in location: StoreLocation) async throws -> [String] {
        let lines = try await retryingWhileBusy {
            try await Self.onAnotherThread {
                try Self.connection(location, forWriting: false).texts("PRAGMA integrity_check(100)")
            }
        }
        return lines == ["ok"] ? [] : lines
    }
}

public import IdentityStoreKit

extension SQLiteStore: StoreKeyRotating {
    /// The keys of this process and of the rows: the active key first, then by id.
    ///
    /// Sessions in the spool count too: they need their key as well.
    public func keyUsage() async throws -> [StoreKeyUsage] {
        var counts: [String: Int] = [:]
        for kind in SealedRow.Kind.allCases {
            var last: Int64 = -1
            while true {
                let after = last
                let found = try await database.read { connection in
                    try connection.all(kind.listKeys, .integer(after), .integer(512)) {
                        (row: $0.integer(0), start: $0.bytes(1))
                    }
                }
                for (_, start) in found {
                    if let key = RecordSealer.keyIdentifier(ofStart: start) {
                        counts[StoreKey.describe(key), default: 0] += 1
                    }
                }
                guard found.count == 512, let row = found.last?.row else { break }
                last = row
            }
        }
        for key in try await logins?.keyIDs() ?? [] { counts[key, default: 0] += 1 }
        for key in try await spool.keyIDs() { counts[key, default: 0] += 1 }
        return records.keyUsage(counts)
    }

    /// Encrypts the next rows with the active key, if they are encrypted with another one, and returns the numbers of rows.
    ///
    /// A row keeps its generation and its length, so this needs no space. A row that is saved concurrently is skipped. The last step
    /// truncates the rollback journal, which contains old records.
    public func resealRows(after position: ResealPosition?, limit: Int) async throws -> ResealProgress {
        let progress = try await resealNextRows(after: position, limit: limit)
        if progress.position == nil { try await database.truncateJournal() }
        return progress
    }

    private func resealNextRows(after position: ResealPosition?, limit: Int) async throws -> ResealProgress {
        // The file of pending logins follows the tables.
        let end = SealedRow.Kind.allCases.count
        let kind = SealedRow.Kind.loginAttempt.rawValue
        if let position, position.table == end {
            let own = ResealPosition(table: kind, row: position.row)
            var progress = try await loginMaintenance?.resealRows(after: own, limit: limit) ?? ResealProgress()
            progress.position = progress.position.flatMap {
                $0.table == kind ? ResealPosition(table: end, row: $0.row) : nil
            }
            return progress
        }
        var progress = try await maintenance.resealRows(after: position, limit: limit)
        if progress.position == nil, logins != nil { progress.position = ResealPosition(table: end, row: -1) }
        return progress
    }
}

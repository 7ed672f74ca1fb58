#if PostgreSQL
public import IdentityStoreKit

extension PostgresStore: StoreKeyRotating {
    /// The keys of this process and of the rows: the active key first, then by id.
    ///
    /// Sessions in the spool of this machine count too.
    public func keyUsage() async throws -> [StoreKeyUsage] {
        var counts: [String: Int] = [:]
        for kind in SealedRow.Kind.allCases {
            var last: Int64 = -1
            while true {
                let rows = try await client.read(sql.countByKey(kind), .integer(last), .integer(4_096)).all
                for row in rows { counts[StoreKey.describe(row.bytes(0)), default: 0] += Int(row.integer(1)) }
                guard let end = rows.map({ $0.integer(2) }).max() else { break }
                last = end
            }
        }
        for key in try await spool?.keyIDs() ?? [] { counts[key, default: 0] += 1 }
        return records.keyUsage(counts)
    }

    /// Encrypts the next rows with the active key, if they are encrypted with another one, and returns the numbers of rows.
    public func resealRows(after position: ResealPosition?, limit: Int) async throws -> ResealProgress {
        try await maintenance.resealRows(after: position, limit: limit)
    }
}
#endif

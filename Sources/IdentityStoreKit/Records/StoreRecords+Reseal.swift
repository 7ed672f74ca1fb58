internal import IdentityCrypto
public import IdentityKit

extension StoreRecords {
    /// The ``StoreKey/id`` of the key with which a record is encrypted; nil if the bytes are not a record.
    public static func keyID(of record: [UInt8]) -> String? {
        RecordSealer.keyIdentifier(of: record).map(Hexadecimal.encode)
    }

    /// Whether a record is encrypted with the active key.
    public func isUnderActiveKey(_ record: [UInt8]) -> Bool {
        RecordSealer.keyIdentifier(of: record)?.elementsEqual(sealer.keys.active.identifier) ?? false
    }

    /// The role of each store key, and how many records it encrypts; a row whose first 24 bytes are damaged is not counted.
    ///
    /// `others` contains one id of a store key for each record outside the tables, such as a record in the spool; these records count, too.
    /// `next` returns the next rows of a table, after a row key, in groups of one or more rows. The records of a group begin with the same
    /// 24 bytes (`start`); `key` is the highest row key of the group. No groups mean that the table has no more rows.
    package func keyUsage(
        others: [String],
        countingRows next: (SealedRow.Kind, _ after: Int64) async throws -> [(start: [UInt8], rows: Int, key: Int64)]
    ) async throws -> [StoreKeyUsage] {
        var counts: [String: Int] = [:]
        for key in others { counts[key, default: 0] += 1 }
        for kind in SealedRow.Kind.allCases {
            var last: Int64 = -1
            while true {
                let groups = try await next(kind, last)
                for group in groups {
                    guard let key = RecordSealer.keyIdentifier(ofStart: group.start) else { continue }
                    counts[Hexadecimal.encode(key), default: 0] += group.rows
                }
                guard let end = groups.map(\.key).max() else { break }
                last = end
            }
        }
        return keyUsage(counts)
    }

    /// The role and the number of rows of each key; `counts` contains the number of records for each ``keyID(of:)``.
    public func keyUsage(_ counts: [String: Int]) -> [StoreKeyUsage] {
        let active = sealer.keys.active.id
        let readOnly = Set(sealer.keys.readOnly.map(\.id))
        let others = readOnly.union(counts.keys).subtracting([active]).sorted()
        return [StoreKeyUsage(id: active, role: .active, rows: counts[active] ?? 0)]
            + others.map {
                StoreKeyUsage(id: $0, role: readOnly.contains($0) ? .readOnly : .missing, rows: counts[$0] ?? 0)
            }
    }

    /// Opens a row of any kind and discards its content, for health checks.
    ///
    /// - Throws: `store_corrupt` or `store_key_mismatch` for a record that cannot be opened. Any other error says nothing about the record.
    public func check(_ row: SealedRow) throws(IdentityError) {
        if case .session(let session) = row {
            _ = try open(session)
        } else {
            _ = try sealer.open(row.record, as: row.identity)
        }
    }

    /// The record of a row, encrypted again with the active key; it keeps its length.
    public func reseal(_ row: SealedRow) throws(IdentityError) -> [UInt8] {
        let body = try sealer.open(row.record, as: row.identity)
        return try sealer.seal(Array(body), as: row.identity, atLeast: row.record.count)
    }
}

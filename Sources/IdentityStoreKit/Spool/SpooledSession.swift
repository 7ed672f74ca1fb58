/// A spooled session as its file holds it: what a row would show in the clear, and the record that its slot would hold.
///
/// `magic 4 | format 1`, then each field behind its length: row, buyer, tenant, provider, issuer; generation; whether a renewal is
/// under way; the record. Nothing but the record can be relied on, and it opens only if the rest is what it was sealed for.
package struct SpooledSession: Sendable {
    package var identity: RecordIdentity
    package var isUnsettled: Bool
    package var record: [UInt8]

    private static let prefix: [UInt8] = Array("IKSP".utf8) + [1]

    package init(identity: RecordIdentity, isUnsettled: Bool, record: [UInt8]) {
        self.identity = identity
        self.isUnsettled = isUnsettled
        self.record = record
    }

    /// Reads a file's content; nil unless every byte of it is understood.
    package init?(_ bytes: [UInt8]) {
        guard bytes.starts(with: Self.prefix) else { return nil }
        var reader = FieldReader(bytes[Self.prefix.count...])
        guard let row = reader.field(), let buyer = reader.field(), let tenant = reader.text(),
            let provider = reader.text(), let issuer = reader.text(), let generation = reader.integer(Int64.self),
            let isUnsettled = reader.integer(UInt8.self), isUnsettled <= 1, let record = reader.field(), reader.isAtEnd
        else { return nil }
        identity = RecordIdentity(
            .session,
            row: Array(row),
            tenant: tenant,
            provider: provider,
            issuer: issuer,
            buyer: Array(buyer),
            generation: generation
        )
        self.isUnsettled = isUnsettled == 1
        self.record = Array(record)
    }

    /// The file's content.
    package var bytes: [UInt8] {
        var fields = FieldWriter(capacity: record.count + 512)
        fields.append(identity.row)
        fields.append(identity.buyer)
        fields.append(identity.tenant)
        fields.append(identity.provider)
        fields.append(identity.issuer)
        fields.append(identity.generation)
        fields.append(UInt8(isUnsettled ? 1 : 0))
        fields.append(record)
        return Self.prefix + fields.bytes
    }
}

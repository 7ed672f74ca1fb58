public import FoundationEssentials

/// The row of a session: a sealed record, and the columns that are not encrypted.
///
/// Write every member to the row. A key-value store can write ``bytes`` instead.
public struct SealedSession: Sendable {
    /// The keyed hash of the session's id; it identifies the row.
    public var hash: [UInt8]
    /// The keyed hash of issuer and subject; index it, so that the sessions of one buyer can be listed.
    public var buyer: [UInt8]
    /// The keyed hash of the provider's session id (`sid`); nil if the provider did not send an id.
    ///
    /// Index this column, so that a logout that the provider sends finds the session.
    public var providerSession: [UInt8]?
    /// The tenant; empty if the app has only one tenant.
    public var tenant: String
    /// The provider's name.
    public var provider: String
    /// The buyer's issuer.
    public var issuer: String
    /// The number of the session's version, which `SessionRecordStore.replace(_:expecting:)` compares with the expected one.
    public var generation: Int64
    /// When a sweep may remove the row.
    ///
    /// The encrypted record also contains this time. ``StoreRecords`` returns the time from the record, because nobody can change that time
    /// without the store key.
    public var retainedUntil: Date
    /// Whether a refresh is in progress, ended without a known outcome, or received a response that was not accepted yet.
    ///
    /// Index the rows with the value true.
    public var isInDoubt: Bool
    /// Whether the row was restored from a backup; the next save of the session sets it to false.
    public var isRestored: Bool
    /// All other data, encrypted.
    public var record: [UInt8]

    /// Creates a row from its columns.
    public init(
        hash: [UInt8],
        buyer: [UInt8],
        providerSession: [UInt8]? = nil,
        tenant: String,
        provider: String,
        issuer: String,
        generation: Int64,
        retainedUntil: Date,
        isInDoubt: Bool,
        isRestored: Bool = false,
        record: [UInt8]
    ) {
        self.hash = hash
        self.buyer = buyer
        self.providerSession = providerSession
        self.tenant = tenant
        self.provider = provider
        self.issuer = issuer
        self.generation = generation
        self.retainedUntil = retainedUntil
        self.isInDoubt = isInDoubt
        self.isRestored = isRestored
        self.record = record
    }

    package var identity: RecordFields {
        RecordFields(
            .session,
            row: hash,
            tenant: tenant,
            provider: provider,
            issuer: issuer,
            buyer: buyer,
            generation: generation
        )
    }
}

extension SealedSession {
    private static let prefix: [UInt8] = Array("IKSP".utf8) + [1]

    /// The whole row as bytes: the magic number `IKSP`, a byte with the format number 1, then the members in the order of the initializer.
    ///
    /// A length (4 bytes, big-endian) precedes each byte string and text; a nil `providerSession` has the length 0. `generation` has 8
    /// bytes, `retainedUntil` has the 8 bytes of a `Double` (seconds since 2001), and one byte contains both flags.
    public var bytes: [UInt8] {
        var fields = FieldWriter(capacity: record.count + 512)
        for field in [hash, buyer, providerSession ?? []] { fields.append(field) }
        for field in [tenant, provider, issuer] { fields.append(field) }
        fields.append(generation)
        fields.append(retainedUntil.timeIntervalSinceReferenceDate.bitPattern)
        fields.append(UInt8((isInDoubt ? 1 : 0) | (isRestored ? 2 : 0)))
        fields.append(record)
        return Self.prefix + fields.bytes
    }

    /// Reads ``bytes``; nil if they do not have this format.
    public init?(bytes: [UInt8]) {
        guard bytes.starts(with: Self.prefix) else { return nil }
        var reader = FieldReader(bytes[Self.prefix.count...])
        guard let hash = reader.field(), let buyer = reader.field(), let providerSession = reader.field(),
            let tenant = reader.text(), let provider = reader.text(), let issuer = reader.text(),
            let generation = reader.integer(Int64.self), let retainedUntil = reader.integer(UInt64.self),
            let flags = reader.integer(UInt8.self), flags <= 3, let record = reader.field(), reader.isAtEnd
        else { return nil }
        self.init(
            hash: Array(hash),
            buyer: Array(buyer),
            providerSession: providerSession.isEmpty ? nil : Array(providerSession),
            tenant: tenant,
            provider: provider,
            issuer: issuer,
            generation: generation,
            retainedUntil: Date(timeIntervalSinceReferenceDate: Double(bitPattern: retainedUntil)),
            isInDoubt: flags & 1 == 1,
            isRestored: flags & 2 == 2,
            record: Array(record)
        )
    }
}

/// The fields of the row that a sealed record belongs to.
///
/// ``RecordSealer`` authenticates these fields as associated data of the encryption. It derives the row's key from the store key, the
/// store's id, the row's hash and the tenant. So a record that is moved to another row cannot be opened.
package struct RecordFields: Sendable {
    package enum Kind: UInt8, Sendable {
        case session = 1
        case loginAttempt = 2
        case attachment = 3
        case lookupKey = 4
    }

    package var kind: Kind
    /// The keyed hash that identifies the row.
    package var row: [UInt8]
    package var tenant: String
    package var provider: String
    package var issuer: String
    /// The keyed hash of the buyer.
    package var buyer: [UInt8]
    /// Generation or revision, so that an older record of the row cannot be opened with the current generation.
    package var generation: Int64

    package init(
        _ kind: Kind,
        row: [UInt8],
        tenant: String = "",
        provider: String = "",
        issuer: String = "",
        buyer: [UInt8] = [],
        generation: Int64 = 0
    ) {
        self.kind = kind
        self.row = row
        self.tenant = tenant
        self.provider = provider
        self.issuer = issuer
        self.buyer = buyer
        self.generation = generation
    }
}

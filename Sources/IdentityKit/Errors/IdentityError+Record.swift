extension IdentityError {
    /// Whether the store threw the error because a record is damaged, or because this process does not have the record's key.
    ///
    /// The store leaves such a record unchanged. Any other error, such as an outage of the store or exhausted memory in OpenSSL, says
    /// nothing about the record. After any other error, a store must not omit the record from a list, count the record as damaged or move
    /// it to quarantine.
    public var concernsRecord: Bool { code == .storeCorrupt || code == .storeKeyMismatch }
}

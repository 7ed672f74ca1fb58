extension IdentityError {
    /// Whether the error concerns one stored record: it is damaged, or its key is missing.
    ///
    /// The store keeps such a record unchanged. Any other error, such as an outage of the store or exhausted memory in OpenSSL, does not
    /// concern the record. Because of such an error, no row may be omitted from a list, counted as damaged or moved to quarantine.
    public var concernsRecord: Bool { code == .storeCorrupt || code == .storeKeyMismatch }
}

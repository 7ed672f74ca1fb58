public import IdentityKit

extension IdentityError.Code {
    /// A record is larger than the store's maximum, which is sixteen times its slot size, or a tenant's name is longer than 1,536 bytes.
    public static let storeRecordTooLarge = Self(rawValue: "store_record_too_large")
}

extension IdentityError {
    /// The error of a call to a store that was closed.
    package static var storeClosed: IdentityError {
        IdentityError(
            .retryLater,
            .storeFailed,
            "The store is closed.",
            hint: "Close the store only after the last call that needs the store. For new calls, open a new store."
        )
    }
}

public import IdentityKit

extension IdentityError.Code {
    /// A record is larger than the store's maximum, which is sixteen times its slot size.
    public static let storeRecordTooLarge = Self(rawValue: "store_record_too_large")
}

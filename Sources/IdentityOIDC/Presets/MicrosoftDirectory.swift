/// Whose Microsoft accounts may sign in.
public enum MicrosoftDirectory: Sendable, Equatable {
    /// Accounts of one directory (tenant), by its id, a GUID in upper or lower case.
    case tenant(String)
    /// Work and school accounts of every directory.
    case organizations
    /// Personal Microsoft accounts.
    case consumers
    /// Work, school and personal accounts.
    case common

    /// Reads a name as Microsoft's documentation writes it; nil for a text that is neither a known name nor a GUID.
    public init?(_ name: String) {
        switch name {
        case "organizations": self = .organizations
        case "consumers": self = .consumers
        case "common": self = .common
        default:
            guard TenantIssuerTemplate.isTenantID(name) else { return nil }
            self = .tenant(name)
        }
    }

    /// The name in the address of the login service.
    var name: String {
        switch self {
        // The issuer in tokens and metadata contains the id in lower case. In addresses, Microsoft also accepts upper case.
        case .tenant(let id): id.lowercased()
        case .organizations: "organizations"
        // The tenant of personal accounts: the issuer in tokens and metadata contains this id and not "consumers".
        case .consumers: "9188040d-6c67-4c5b-b112-36a304b66dad"
        case .common: "common"
        }
    }

    /// Whether accounts of several directories may sign in; each directory has its own issuer.
    var hasManyIssuers: Bool { self == .organizations || self == .common }
}

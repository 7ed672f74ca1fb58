internal import IdentityKit

/// Decides whether a document of the provider that cannot be parsed indicates an outage.
enum UnreadableDocument {
    /// The kind of error: an HTML page or an empty body usually comes from a proxy or a maintenance window, so it
    /// counts as an outage.
    static func errorKind(for body: [UInt8]) -> IdentityError.Kind {
        let opening = body.first { $0 > 0x20 }
        return opening == nil || opening == UInt8(ascii: "<") ? .retryLater : .rejected
    }
}

internal import IdentityKit

/// What it means that one of the provider's documents cannot be read.
enum UnreadableDocument {
    /// A page or nothing at all is what a proxy or a maintenance window sends in the provider's place, and passes; anything else
    /// is the provider's own doing.
    static func kind(ofUnreadable body: [UInt8]) -> IdentityError.Kind {
        let opening = body.first { $0 > 0x20 }
        return opening == nil || opening == UInt8(ascii: "<") ? .retryLater : .rejected
    }
}

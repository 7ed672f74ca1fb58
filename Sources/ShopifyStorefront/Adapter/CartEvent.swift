public import IdentityKit

/// An event of a session's cart, without the cart's id, for logs and metrics.
public struct CartEvent: Sendable, Equatable {
    /// The kind of an event.
    public enum Kind: Sendable, Equatable {
        /// Shopify no longer has the cart, for example because its order was placed or because the cart has expired.
        case gone
        /// A cart that Shopify no longer had was created again with its last known lines.
        case recreated
        /// Shopify returned a new id for the cart.
        case moved
        /// A process began to create a cart for the session, and the outcome was not stored, for example because the process ended. Shopify
        /// may have a cart that belongs to no session; that cart expires.
        case interrupted
        /// The session's identity could not be put on the cart; the value is the code of the error.
        case degraded(IdentityError.Code)
        /// The lines of a guest's cart were added to the buyer's cart.
        case merged
        /// Some lines of a guest's cart are missing in the buyer's cart, because Shopify rejected these lines or no stock was left.
        /// The guest's session keeps its cart.
        case partlyMerged
    }

    /// The kind of the event.
    public let kind: Kind
    /// The name of the session (`SessionID.reference`).
    public let session: SessionReference

    /// Creates an event, for an app's own tests.
    public init(_ kind: Kind, session: SessionReference) {
        self.kind = kind
        self.session = session
    }
}

extension EventBridge {
    /// Sends a cart event as an ``ObservedEvent``; assign this method to ``CartPolicy/onEvent``.
    public func cartEvent(_ event: CartEvent) {
        let (name, detail, level) = event.kind.observed
        send(
            ObservedEvent(
                "cart_" + name,
                detail: detail,
                level: level,
                metadata: [("session", event.session.rawValue)]
            )
        )
    }
}

extension CartEvent.Kind {
    fileprivate var observed: (name: String, detail: String?, level: ObservedEvent.Level) {
        switch self {
        case .gone: ("gone", nil, .notice)
        case .recreated: ("recreated", nil, .notice)
        case .moved: ("moved", nil, .debug)
        case .interrupted: ("interrupted", nil, .notice)
        case .degraded(let code): ("degraded", code.rawValue, .notice)
        case .merged: ("merged", nil, .debug)
        case .partlyMerged: ("partly_merged", nil, .notice)
        }
    }
}

public import IdentityKit

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

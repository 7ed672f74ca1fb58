internal import IdentityHTTP
internal import IdentityKit

/// Decides whether an unreadable document of the provider indicates an outage.
enum UnreadableDocument {
    static func error(
        _ response: HTTPResponse,
        _ message: String,
        addressHint: String,
        reference: String
    ) -> IdentityError {
        let isOutage = response.isOutage
        return IdentityError(
            isOutage ? .retryLater : .configuration,
            isOutage ? .providerUnavailable : .discoveryFailed,
            "\(message) (HTTP \(response.status)).",
            hint: isOutage
                ? "Try again later. If a login failed, start the login again."
                : "\(addressHint) If the address is right, ask the provider why it sent this status.",
            reference: reference,
            retryAfter: isOutage ? response.headers.retryAfter : nil,
            providerResponse: IdentityError.ProviderResponse(status: response.status)
        )
    }

    // An HTML page or an empty body counts as an outage, because such a body usually comes from a proxy or from maintenance.
    static func errorKind(for body: [UInt8]) -> IdentityError.Kind {
        let opening = body.first { $0 > 0x20 }
        return opening == nil || opening == UInt8(ascii: "<") ? .retryLater : .rejected
    }
}

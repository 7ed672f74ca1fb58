internal import IdentityKit
internal import ShopifyGraphQL

/// The cart that an operation was meant for does not exist any more: its binding is to be dropped.
struct CartVanished: Error {}

/// A mutation's answer, judged.
struct CartReply: Sendable {
    enum Verdict: Sendable {
        case done(Cart)
        /// No cart and no word about it.
        case silent
        case gone
        /// The customer access token was refused.
        case tokenRefused([CartUserError])
        case refused([CartUserError])
    }

    let payload: CartPayload
    /// Whether a missing customer means that there is none, and not that we may not see it.
    let seesCustomer: Bool
    let verdict: Verdict

    init(_ result: StorefrontResult<CartPayload>, selection: CartSelection) throws(IdentityError) {
        payload = result.data
        seesCustomer = selection.seesCustomer(despite: result.errors)
        let errors = payload.userErrors
        if errors.contains(where: { $0.code == .serviceUnavailable }) { throw .refusal(of: errors) }
        if errors.isEmpty {
            verdict = payload.cart.map { .done($0) } ?? .silent
        } else if errors.contains(where: Self.saysGone) {
            verdict = .gone
        } else if errors.contains(where: Self.refusesToken) {
            verdict = .tokenRefused(errors)
        } else {
            verdict = .refused(errors)
        }
    }

    /// The field decides; the text, which is translated, only where there is no field.
    private static func saysGone(_ error: CartUserError) -> Bool {
        if error.field.last == "cartId" { return error.code == .invalid || error.code == nil }
        return error.field.isEmpty && error.message.utf8.elementsEqual("The specified cart does not exist.".utf8)
    }

    /// There is no code of its own for a dead token: code and field together tell, never the text.
    private static func refusesToken(_ error: CartUserError) -> Bool {
        error.code == .invalid && error.field.last == "customerAccessToken"
    }
}

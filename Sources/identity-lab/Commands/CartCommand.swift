internal import IdentityHTTP
internal import IdentityKit
internal import ShopifyStorefront

struct CartCommand: Command {
    static let name = "cart"
    static let summary = "Add lines to the session's cart, attach the buyer's identity and print the checkout URL."
    static let options: [Option] = [.session, line, cart, buyerIP]
    static let examples = [
        "identity-lab cart --session ID --line gid://shopify/ProductVariant/1:2 --buyer-ip 203.0.113.7",
        "identity-lab cart --session ID --cart 'gid://shopify/Cart/…?key=…' --line gid://shopify/ProductVariant/2 --json",
    ]
    private static let line = Option(
        "--line MERCHANDISE_ID[:QUANTITY]",
        repeats: true,
        "The global id of a variant, and the quantity (default 1); may be given several times."
    )
    private static let cart = Option(
        "--cart CART_ID",
        "Use this cart for the session. Pass only an id from a trusted source, never one from the buyer's browser."
    )
    private static let buyerIP = Option(
        "--buyer-ip IP",
        "The buyer's IP address. With a private Storefront token it is needed for a signed-in checkout."
    )

    private let session: SessionArgument
    private let lines: [CartLineInput]
    private let cart: CartID?
    private let context: StorefrontContext

    init(_ arguments: Arguments) throws {
        session = try arguments.session()
        lines = try arguments.values(of: Self.line).map(Self.line(from:))
        cart = arguments[Self.cart].flatMap { $0.hasPrefix("gid://shopify/Cart/") ? CartID(rawValue: $0) : nil }
        guard arguments[Self.cart] == nil || cart != nil else {
            throw UsageError("--cart must be a cart id (gid://shopify/Cart/…).")
        }
        guard !lines.isEmpty || cart != nil else {
            throw UsageError("cart needs --line or --cart.")
        }
        guard arguments[Self.buyerIP].map(StorefrontContext.isAddress) ?? true else {
            throw UsageError("--buyer-ip must be an IP address.")
        }
        context = StorefrontContext(buyerIP: arguments[Self.buyerIP])
    }

    func run(_ lab: Lab) async throws {
        let deployment = try await lab.deployment()
        let carts = try deployment.requireCarts()
        let session = try await session.id(in: deployment.sessions)
        let (handoff, warnings) = try await deployment.draining {
            var warnings: [CartWarning] = []
            if let cart {
                // A person typed the id on the command line, so it is trusted.
                warnings += try await carts.adopt(cart, for: session, isTrusted: true, in: context).warnings
            }
            if !lines.isEmpty { warnings += try await carts.add(lines, for: session, in: context).warnings }
            let handoff = try await carts.checkout(for: session, in: context)
            return (handoff, warnings + handoff.warnings)
        }
        show(handoff, warnings, lab.output)
    }

    private func show(_ handoff: CheckoutHandoff, _ warnings: [CartWarning], _ output: Output) {
        var texts = warnings.map { "\($0.code.rawValue): \($0.message)" }
        if let problem = handoff.problem { texts.append("\(problem.code): \(problem.message)") }
        texts = texts.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        let notes = texts.map { "\n  Warning: \($0.printable)" }.joined()
        output.event(
            "cart",
            [
                "id": .string(handoff.cart.id.rawValue),
                "identity": .string(handoff.identity.rawValue),
                "checkout_url": .string(handoff.url.reveal().text),
                "warnings": .array(texts.map { .string($0) }),
            ],
            text: """
                Cart \(handoff.cart.id.rawValue.printable)
                  \(handoff.cart.totalQuantity) items, buyer: \(ApproachNames.text(for: handoff.identity))\(notes)
                  Send the browser to:

                  \(handoff.url.reveal().text)

                """
        )
    }

    /// Parses `ID[:QUANTITY]`; ids contain colons, so only digits after the last colon are a quantity.
    private static func line(from text: String) throws(UsageError) -> CartLineInput {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count > 1, let last = parts.last, !last.isEmpty, last.utf8.allSatisfy(ASCII.isDigit) else {
            return CartLineInput(merchandiseID: text)
        }
        let id = parts.dropLast().joined(separator: ":")
        guard !id.isEmpty else {
            throw UsageError("--line must begin with the id of a variant (gid://shopify/ProductVariant/…).")
        }
        guard let quantity = Int(last), (1...1_000_000).contains(quantity) else {
            throw UsageError("A quantity in --line must be from 1 to 1000000.")
        }
        return CartLineInput(merchandiseID: id, quantity: quantity)
    }
}

internal import IdentityHTTP
internal import IdentityKit
internal import ShopifyGraphQL

extension StorefrontClient {
    /// Adds the headers of a call; the buyer's IP is sent only with a private token, because Shopify accepts it only from a server.
    func addHeaders(for context: StorefrontContext, to call: inout GraphQLCall) throws(IdentityError) {
        if let address = context.buyerIP { call.secrets.append(Secret(address)) }
        do {
            switch configuration.authentication {
            case .privateToken(let token):
                call.secrets.append(token)
                try call.headers.set("Shopify-Storefront-Private-Token", token.reveal())
                if let address = context.buyerIP {
                    guard StorefrontContext.isAddress(address) else { throw Self.invalidAddress }
                    try call.headers.set("Shopify-Storefront-Buyer-IP", address)
                }
            case .publicToken(let token): try call.headers.set("X-Shopify-Storefront-Access-Token", token)
            case .tokenless: break
            }
        } catch let error as IdentityError {
            throw error
        } catch {
            throw StorefrontConfiguration.invalid(
                "The Storefront token contains characters that an HTTP header cannot contain.",
                "Copy the Storefront token without line breaks."
            )
        }
    }

    private static var invalidAddress: IdentityError {
        IdentityError(
            .rejected,
            .invalidRequest,
            "StorefrontContext.buyerIP is not an IP address.",
            hint: "Pass one IPv4 or IPv6 address, without port and brackets, as the app's own proxy reports it.",
            reference: "Storefront API reference, authentication"
        )
    }
}

internal import IdentityKit
public import IdentitySandbox

extension SandboxEndpoint {
    /// The Storefront API.
    public static let storefront = SandboxEndpoint(rawValue: "storefront")
    /// The web checkout that a cart's checkout URL opens.
    public static let checkout = SandboxEndpoint(rawValue: "checkout")
    /// The pictures of products.
    public static let picture = SandboxEndpoint(rawValue: "picture")
}

extension SandboxStorefront {
    package func customerAccountAPI(_ call: SandboxCall) -> SandboxResponse {
        customers.customerAccountAPI(call)
    }

    package func route(_ path: String) -> SandboxRoute {
        let endpoint: SandboxEndpoint =
            path.hasPrefix("/api/")
            ? .storefront
            : path.hasPrefix("/cart/c/") ? .checkout : path.hasPrefix(ProductPicture.folder) ? .picture : .other
        return SandboxRoute(journal: journal, endpoint: endpoint) { [self] call in
            switch endpoint {
            case .storefront: api(call.request)
            case .checkout: checkout(call.request)
            case .picture:
                ProductPicture(path: call.request.path, of: self)?.response
                    ?? .text("There is no such picture.", status: 404)
            default: .json(["errors": .string("Not Found")], status: 404)
            }
        }
    }

    private func api(_ request: SandboxRequest) -> SandboxResponse {
        journal.count(\.apiCalls)
        let parts = request.path.split(separator: "/").map(String.init)
        guard parts.count == 3, parts[2] == "graphql.json", let version = ShopifyVersions.serving(parts[1]) else {
            return .json(["errors": .string("Not Found")], status: 404)
        }
        let identifier = RandomText.hexadecimal(32)
        func finish(_ response: SandboxResponse) -> SandboxResponse {
            response.with("X-Shopify-API-Version", version).with("X-Request-Id", identifier)
        }
        let publicToken = request.header("x-shopify-storefront-access-token")
        let privateToken = request.header("shopify-storefront-private-token")
        guard publicToken.map({ $0 == configuration.publicToken }) ?? true,
            privateToken.map({ $0 == configuration.privateToken }) ?? true
        else {
            let error: JSONObject = [
                "message": .string(""), "extensions": .object(["code": .string("UNAUTHORIZED")]),
            ]
            return finish(.json(["errors": .array([.object(error)])], status: 401))
        }
        let isJSON = request.header("content-type")?.lowercased().hasPrefix("application/json") == true
        guard request.method == "POST", isJSON, let body = try? JSONValue(parsing: request.body),
            body["query"]?.string != nil
        else {
            let hint: JSONObject = ["query": .string("Required parameter missing or invalid")]
            return finish(.json(["errors": .object(hint)], status: 400))
        }
        let namesBuyer = request.header("shopify-storefront-buyer-ip")?.isEmpty == false
        if configuration.rejectsIdentityWithoutBuyerIP, privateToken != nil, !namesBuyer,
            body.carriesCustomerToken
        {
            return finish(.html("<h1>Security Rejection</h1>", status: 430))
        }
        let viewer = CartViewer(
            hasToken: publicToken != nil || privateToken != nil,
            mayAuthenticateCheckout: privateToken == nil || namesBuyer || !configuration.requiresBuyerIP,
            now: now
        )
        guard let executor = executor(viewer, version) else { return finish(.json([:], status: 500)) }
        return finish(.json(executor.run(body)))
    }
}

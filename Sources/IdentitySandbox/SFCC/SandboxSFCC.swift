internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityKit
internal import Synchronization

/// The sandbox's Salesforce Commerce Cloud storefront that uses Bolt: two controllers that share a session cookie.
///
/// The controller `Login-OAuthMobileBolt` redeems Bolt's code. The real controller sends the code and the merchant's secret to Bolt; the
/// sandbox calls ``SandboxBolt`` directly. SFCC has no PKCE verifier, so the controller refuses the code of a login with PKCE.
public final class SandboxSFCC: SandboxService {
    private struct State: Sendable {
        var configuration: SandboxSFCCConfiguration
        var keyring = SigningKeyring(owner: "sfcc", keyIDPrefix: "sfcc-", algorithms: [.rs256])
        /// The number of the buyer for each value of the cookie `dwsid`.
        var sessions: [String: Int] = [:]
    }

    /// The name on Bolt's pages if the login belongs to SFCC.
    static let brand = "Bolt for Salesforce"

    /// The record of requests, and the planned faults.
    public let journal = SandboxJournal()
    /// The origin that stands for the storefront's host.
    public let origin: String

    private let bolt: SandboxBolt
    private let clock: any IdentityClock
    private let directory: BuyerDirectory
    private let state: Mutex<State>

    init(_ configuration: SandboxConfiguration, directory: BuyerDirectory, bolt: SandboxBolt, origin: String) {
        self.bolt = bolt
        self.directory = directory
        self.origin = origin
        clock = configuration.clock
        state = Mutex(State(configuration: configuration.sfcc))
    }

    /// The current configuration.
    public var configuration: SandboxSFCCConfiguration { state.withLock { $0.configuration } }

    /// Changes the configuration; `change` must not call this object, because the object holds a lock while it runs `change`.
    public func configure(_ change: @Sendable (inout SandboxSFCCConfiguration) -> Void) {
        state.withLock { change(&$0.configuration) }
    }

    /// The URL of the controller `Login-OAuthMobileBolt`, which exchanges Bolt's code.
    public var codeExchangeURL: String { origin + path("Login-OAuthMobileBolt") }
    /// The URL of the controller `Login-ExchangeSFCCToken`, which returns the buyer's JWT.
    public var tokenExchangeURL: String { origin + path("Login-ExchangeSFCCToken") }

    private func path(_ controller: String) -> String {
        let configuration = configuration
        return "/on/demandware.store/Sites-\(configuration.siteID)-Site/\(configuration.locale)/\(controller)"
    }

    func route(_ path: String) -> SandboxRoute {
        let endpoint: SandboxEndpoint =
            switch path {
            case self.path("Login-OAuthMobileBolt"): .codeExchange
            case self.path("Login-ExchangeSFCCToken"): .tokenExchange
            case "/oauth2/jwks": .jwks
            default: .other
            }
        return SandboxRoute(journal: journal, endpoint: endpoint) { [self] call in
            switch endpoint {
            case .codeExchange: exchangeCode(call.request)
            case .tokenExchange: exchangeToken(call)
            case .jwks: keySet()
            default: failure("Not found.", status: 404)
            }
        }
    }

    private func keySet() -> SandboxResponse {
        journal.count(\.jwksFetches)
        return .json(state.withLock { $0.keyring.keySet() })
    }

    private func exchangeCode(_ request: SandboxRequest) -> SandboxResponse {
        guard request.method == "GET", let query = OAuthParameters(request), let code = query["code"],
            query["state"] != nil
        else { return failure("code and state are required.", status: 400) }
        guard let buyer = bolt.redeemForSFCC(code: code) else {
            journal.count(\.tokenRefusals)
            return failure("The login with Bolt failed.", status: 401)
        }
        journal.count(\.codesIssued)
        let session = RandomText.hexadecimal(32)
        state.withLock { $0.sessions[session] = buyer.number }
        return SandboxResponse.json(["success": .bool(true)])
            .with("Set-Cookie", "dwsid=\(session); Path=/; HttpOnly")
            .with("Set-Cookie", "dwsecuretoken=\(RandomText.hexadecimal(16)); Path=/; HttpOnly")
    }

    private func exchangeToken(_ call: SandboxCall) -> SandboxResponse {
        let cookies = call.request.cookies
        guard call.request.method == "POST" else { return failure("POST is required.", status: 405) }
        guard let session = cookies["dwsid"], cookies["dwsecuretoken"] != nil,
            let number = state.withLock({ $0.sessions.removeValue(forKey: session) }),
            let buyer = directory.buyer(number: number)
        else {
            journal.count(\.tokenRefusals)
            return failure("No shopper is logged in.", status: 401)
        }
        journal.count(\.exchanges)
        let now = clock.now
        return state.withLock { state in
            let lifetime = state.configuration.tokenLifetime.wholeSeconds
            let claims: JSONObject = [
                "iss": .string("sandbox-sfcc"), "sub": .string("customer:\(buyer.number)"),
                "email": .string(buyer.account.email), "iat": .integer(now.epochSeconds),
                "exp": .integer(now.epochSeconds + lifetime),
            ]
            let token = state.keyring.mint(claims, .rs256, changes: call.idTokenChanges)
            var body: JSONObject = ["success": .bool(true), "expires_in": .integer(lifetime)]
            switch state.configuration.tokenPlacement {
            case .header: return SandboxResponse.json(body).with("Authorization", "Bearer " + token)
            case .json(let path):
                guard let first = path.first else { return .json(body) }
                body[first] = path.dropFirst().reversed().reduce(.string(token)) { .object([$1: $0]) }
                return .json(body)
            }
        }
    }

    private func failure(_ message: String, status: Int) -> SandboxResponse {
        .json(["success": .bool(false), "error": .bool(true), "errorMessage": .string(message)], status: status)
    }
}

extension SandboxFault {
    /// Sends `{"success": false}` with status 200.
    public static let sfccFailureIn200 = SandboxFault.answer(
        .json(["success": .bool(false), "errorMessage": .string("Technical error")])
    )

    /// Sends a storefront page with status 200 instead of JSON.
    public static let sfccHTMLPage = SandboxFault.htmlPage(status: 200)
}

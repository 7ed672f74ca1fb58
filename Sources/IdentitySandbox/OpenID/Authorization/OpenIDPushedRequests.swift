internal import FoundationEssentials
internal import IdentityKit
internal import Synchronization

/// The pushed authorization requests whose login has not ended (RFC 9126).
struct PushedRequests: Sendable {
    struct Request: Sendable {
        let clientID: String
        let query: OAuthParameters
        /// The thumbprint of the key of the request's DPoP proof (RFC 9449 section 10.1); nil without a proof, or if DPoP is off.
        let keyThumbprint: String?
        let expires: Date
    }

    static let prefix = "urn:ietf:params:oauth:request_uri:"
    private var requests: [String: Request] = [:]

    mutating func add(_ request: Request, at now: Date) -> String {
        requests = requests.filter { $0.value.expires > now }
        let uri = Self.prefix + RandomText.base64URL(32)
        requests[uri] = request
        return uri
    }

    /// The request is not removed, because the browser may reload the authorization URL until the login ends (RFC 9126 section 4).
    func request(_ uri: String, at now: Date) -> Request? {
        requests[uri].flatMap { $0.expires > now ? $0 : nil }
    }

    mutating func remove(_ uri: String) { requests[uri] = nil }
}

extension SandboxOpenID {
    func push(_ call: SandboxCall) -> SandboxResponse {
        respond(to: call) { () throws(OAuthRefusal) in
            let (query, client) = try authenticate(call.request)
            guard query["request_uri"] == nil else {
                throw .invalidRequest("A pushed request must not contain request_uri.")
            }
            guard query["client_id"].map({ $0.isIdentical(to: client.clientID) }) ?? false else {
                throw .invalidRequest("client_id is missing or unknown.")
            }
            let rules = rules(for: client)
            _ = try rules.redirectURI(of: query)
            try rules.check(query)
            let key = try provenKey(call.request, isRequired: false)
            if let key, let named = query["dpop_jkt"], !named.isIdentical(to: key) {
                throw OAuthRefusal("invalid_dpop_proof", "dpop_jkt is not the thumbprint of the DPoP proof's key.")
            }
            let (now, lifetime) = (clock.now, configuration.pushedRequestLifetime)
            let request = PushedRequests.Request(
                clientID: client.clientID,
                query: query,
                keyThumbprint: key,
                expires: now + lifetime.timeInterval
            )
            let uri = state.withLock { $0.pushed.add(request, at: now) }
            journal.count(\.pushedRequests)
            return SandboxResponse.json(
                ["request_uri": .string(uri), "expires_in": .integer(lifetime.wholeSeconds)],
                status: 201
            ).with("Cache-Control", "no-cache, no-store")
        }
    }

    /// Returns the parameters of an authorization request, and the thumbprint of its DPoP key; `key` is nil if the request names no key.
    ///
    /// If the URL has a `request_uri` of this provider, the result has the pushed parameters, without the other parameters of the URL.
    func resolve(
        _ query: OAuthParameters,
        _ client: SandboxOpenIDClient
    ) throws(OAuthRefusal) -> (query: OAuthParameters, key: String?) {
        guard configuration.pushedRequests != .off, let uri = query["request_uri"],
            uri.utf8.starts(with: PushedRequests.prefix.utf8)
        else { return (query, query["dpop_jkt"]) }
        let now = clock.now
        guard let pushed = state.withLock({ $0.pushed.request(uri, at: now) }),
            pushed.clientID.isIdentical(to: client.clientID)
        else {
            throw OAuthRefusal(
                "invalid_request_uri",
                "request_uri is unknown for this client, has expired or was used."
            )
        }
        return (pushed.query, pushed.keyThumbprint ?? pushed.query["dpop_jkt"])
    }
}

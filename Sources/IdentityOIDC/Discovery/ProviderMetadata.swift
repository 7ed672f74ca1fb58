internal import IdentityCrypto
public import IdentityHTTP
internal import IdentityKit

/// A provider's metadata (OpenID Connect Discovery 1.0 section 3): the members that a client uses.
///
/// The property of an endpoint is nil if the endpoint is missing or unusable.
public struct ProviderMetadata: Sendable {
    /// `issuer`.
    public internal(set) var issuer: String
    /// `authorization_endpoint`.
    public internal(set) var authorizationEndpoint: HTTPURL?
    /// `token_endpoint`.
    public internal(set) var tokenEndpoint: HTTPURL?
    /// `jwks_uri`.
    public internal(set) var keySetURL: HTTPURL?
    /// `end_session_endpoint` (RP-Initiated Logout 1.0 section 2.1).
    public internal(set) var endSessionEndpoint: HTTPURL?
    /// `userinfo_endpoint`.
    public internal(set) var userInfoEndpoint: HTTPURL?
    /// `pushed_authorization_request_endpoint` (PAR, RFC 9126 section 5).
    public internal(set) var pushedAuthorizationRequestEndpoint: HTTPURL?
    /// `revocation_endpoint` (RFC 8414 section 2).
    public internal(set) var revocationEndpoint: HTTPURL?
    /// `device_authorization_endpoint` (RFC 8628 section 4).
    public internal(set) var deviceAuthorizationEndpoint: HTTPURL?
    /// The names of optional endpoints whose URLs in the document are invalid; the SDK ignores these URLs.
    package private(set) var unusableEndpoints: Set<String> = []
    /// The asymmetric algorithms of `id_token_signing_alg_values_supported` that this SDK supports.
    ///
    /// If the metadata list no such algorithm, the list contains only RS256, the default of OpenID Connect Core section 3.1.3.7 item 7.
    private(set) var signatureAlgorithms: [SignatureAlgorithm] = [.rs256]
    /// The algorithms of `userinfo_signing_alg_values_supported`; nil when the metadata have no valid list.
    package var userInfoAlgorithms: [String]?
    /// The methods of `code_challenge_methods_supported`; nil if the metadata lack the list.
    package var codeChallengeMethods: [String]?
    /// The methods of `token_endpoint_auth_methods_supported`; nil if the metadata lack the list.
    package var authenticationMethods: [String]?
    /// The algorithms of `token_endpoint_auth_signing_alg_values_supported`; nil if the metadata lack the list.
    package var authenticationAlgorithms: [String]?
    /// The algorithms of `dpop_signing_alg_values_supported`; nil if the metadata lack the list (RFC 9449 section 5.1).
    package var dpopAlgorithms: [String]?
    /// The modes of `response_modes_supported`; nil if the metadata lack the list.
    package var responseModes: [String]?
    /// Whether an authorization request must be pushed (RFC 9126 section 5).
    package var requiresPushedRequests = false
    /// Whether every authorization response contains `iss` (RFC 9207 section 3).
    package var sendsIssuerInResponse = false

    /// The endpoints with their names in the document.
    package var endpoints: [(name: String, url: HTTPURL)] {
        Self.endpointMembers.compactMap { name, path in self[keyPath: path].map { (name, $0) } }
    }

    private static var endpointMembers: [(name: String, path: WritableKeyPath<ProviderMetadata, HTTPURL?>)] {
        [
            ("authorization_endpoint", \.authorizationEndpoint), ("token_endpoint", \.tokenEndpoint),
            ("jwks_uri", \.keySetURL), ("end_session_endpoint", \.endSessionEndpoint),
            ("userinfo_endpoint", \.userInfoEndpoint),
            ("pushed_authorization_request_endpoint", \.pushedAuthorizationRequestEndpoint),
            ("revocation_endpoint", \.revocationEndpoint),
            ("device_authorization_endpoint", \.deviceAuthorizationEndpoint),
        ]
    }

    func overridden(by configured: ProviderMetadata) -> ProviderMetadata {
        var metadata = self
        for (_, path) in Self.endpointMembers {
            if let url = configured[keyPath: path] { metadata[keyPath: path] = url }
        }
        return metadata
    }

    package init(issuer: String) {
        self.issuer = issuer
    }

    /// Parses a metadata document; `addressHint` is advice about the document's address, for errors.
    package init(parsing body: [UInt8], allowsLoopbackHTTP: Bool, addressHint: String? = nil) throws {
        let hint = [Self.documentHint, addressHint].compactMap(\.self).joined(separator: " ")
        let document: JSONValue
        do {
            document = try JSONValue(parsing: body)
        } catch {
            throw Self.failure(
                "are not valid JSON: \(error)",
                kind: UnreadableDocument.errorKind(for: body),
                hint: hint,
                cause: error
            )
        }
        guard document.object != nil, let issuer = document["issuer"]?.string, !issuer.isEmpty else {
            throw Self.failure("have no issuer", hint: hint)
        }
        func url(_ name: String) throws -> HTTPURL? {
            guard let value = document[name], !value.isNull else { return nil }
            guard let text = value.string, let url = try? HTTPURL(text),
                url.isSecure(orLoopback: allowsLoopbackHTTP)
            else {
                throw Self.failure(
                    "have a \(name) that is not a valid https URL",
                    hint:
                        "Ask the provider to correct \(name). For tests on one machine, set allowsLoopbackHTTP to true: it permits http "
                        + "to loopback addresses such as 127.0.0.1 and [::1], not to localhost."
                )
            }
            return url
        }
        func list(_ name: String) throws -> [String]? {
            guard let value = document[name], !value.isNull else { return nil }
            guard let strings = value.strings else {
                throw Self.failure(
                    "have a \(name) that is not a list of strings",
                    hint: "Ask the provider to correct \(name)."
                )
            }
            return strings
        }
        self.init(issuer: issuer)
        requiresPushedRequests = document["require_pushed_authorization_requests"]?.bool ?? false
        var optional: Set = ["revocation_endpoint", "device_authorization_endpoint"]
        if !requiresPushedRequests { optional.insert("pushed_authorization_request_endpoint") }
        for (name, path) in Self.endpointMembers {
            do {
                self[keyPath: path] = try url(name)
            } catch {
                guard optional.contains(name) else { throw error }
                unusableEndpoints.insert(name)
            }
        }
        let offered = try list("id_token_signing_alg_values_supported")?.compactMap { SignatureAlgorithm(name: $0) }
        if let offered, !offered.isEmpty { signatureAlgorithms = offered }
        // Few clients need this list, so an invalid list does not fail a login.
        userInfoAlgorithms = document["userinfo_signing_alg_values_supported"]?.strings
        codeChallengeMethods = try list("code_challenge_methods_supported")
        authenticationMethods = try list("token_endpoint_auth_methods_supported")
        authenticationAlgorithms = try list("token_endpoint_auth_signing_alg_values_supported")
        dpopAlgorithms = try list("dpop_signing_alg_values_supported")
        responseModes = try list("response_modes_supported")
        sendsIssuerInResponse = document["authorization_response_iss_parameter_supported"]?.bool ?? false
    }

    private static let documentHint =
        "Open the discovery URL in a browser: it must show the provider's metadata as JSON."

    private static func failure(
        _ problem: String,
        kind: IdentityError.Kind = .rejected,
        hint: String,
        cause: (any Error)? = nil
    ) -> IdentityError {
        IdentityError(
            kind,
            .discoveryFailed,
            "The provider's metadata \(problem).",
            hint: hint,
            reference: "OpenID Connect Discovery 1.0 section 3",
            cause: cause
        )
    }
}

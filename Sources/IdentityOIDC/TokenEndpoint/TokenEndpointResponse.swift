package import IdentityHTTP
package import IdentityKit

/// A response of the token endpoint, or of another endpoint that responds in the same form (device authorization, PAR).
package enum TokenEndpointResponse: Sendable {
    /// A success (RFC 6749 section 5.1), whose members are not checked yet.
    case success(JSONObject)
    /// An error response (RFC 6749 section 5.2), or an unexpected response.
    case failure(TokenErrorResponse)

    /// Whether a response with this status may contain tokens.
    package static func isSuccess(_ status: Int) -> Bool {
        status == 200 || status == 201
    }

    static func parse(_ response: HTTPResponse) -> Result<JSONValue, JSONError> {
        Result { () throws(JSONError) in try JSONValue(parsing: response.body) }
    }

    /// Reads a response to a request with the grant type `grant`; no error may contain the values of `redacted`.
    ///
    /// A success has status 200, or 201 as some providers send, and a JSON object without `error`. Some providers send an `error` with
    /// status 200; such a response counts as an error response. The function throws an error for status 200 or 201 with a body that begins
    /// with `{` but cannot be parsed, for example because a member occurs twice. If `body` is nil, the body of the response is parsed.
    package init(
        _ response: HTTPResponse,
        _ body: Result<JSONValue, JSONError>? = nil,
        to grant: TokenGrant,
        from endpoint: ProviderEndpoint = .token,
        hiding redacted: RequestSecrets = RequestSecrets()
    ) throws(IdentityError) {
        let isSuccess = Self.isSuccess(response.status)
        var object: JSONObject?
        do {
            object = try (body ?? Self.parse(response)).get().object
        } catch {
            let looksLikeJSON = response.body.first { $0 > 0x20 } == UInt8(ascii: "{")
            guard !isSuccess || !looksLikeJSON else {
                throw endpoint.unusable(
                    "could not be parsed as JSON: \(error)",
                    reference: endpoint == .token ? "RFC 6749 section 5.1" : "RFC 8259 section 2",
                    cause: error
                )
            }
        }
        let error = object?["error"]
        if isSuccess, let object, error == nil || error?.isNull == true {
            self = .success(object)
            return
        }
        self = .failure(TokenErrorResponse(response, object, to: grant, from: endpoint, hiding: redacted))
    }
}

extension TokenEndpointResponse: Redacted {
    package var description: String {
        switch self {
        case .success: "TokenEndpointResponse(success)"
        case .failure(let failure): "TokenEndpointResponse(failure, HTTP \(failure.status))"
        }
    }
}

package import IdentityHTTP
package import IdentityKit

/// Decides what an answer of a token endpoint is: bytes in, tokens or a failure out.
package enum TokenEndpointResponse: Sendable {
    case success(JSONObject)
    case failure(TokenFailure)

    /// Whether an answer with this status may hold tokens.
    package static func isSuccess(_ status: Int) -> Bool {
        status == 200 || status == 201
    }

    /// Reads an answer.
    ///
    /// A success is 200, or 201 as some providers send, with a JSON object that has no `error`. Some providers send an error
    /// with 200; it is the error that it names.
    ///
    /// - Parameters:
    ///   - response: The answer.
    ///   - grant: What was asked for.
    ///   - sent: What the request carried, which a failure must not repeat.
    /// - Throws: `IdentityError` for JSON that two parsers could read in two ways.
    package init(
        _ response: HTTPResponse,
        to grant: TokenGrant,
        hiding sent: RedactedValues = RedactedValues()
    ) throws(IdentityError) {
        let isSuccess = Self.isSuccess(response.status)
        var object: JSONObject?
        do {
            object = try JSONValue(parsing: response.body).object
        } catch {
            let looksLikeJSON = response.body.first { $0 > 0x20 } == UInt8(ascii: "{")
            guard !isSuccess || !looksLikeJSON else {
                throw IdentityError(
                    .rejected,
                    .tokenResponseInvalid,
                    "The provider's token answer is not valid JSON: \(error).",
                    hint: "Check that the token endpoint is the right one.",
                    reference: "RFC 6749 section 5.1",
                    cause: error
                )
            }
        }
        let error = object?["error"]
        if isSuccess, let object, error == nil || error?.isNull == true {
            self = .success(object)
            return
        }
        self = .failure(
            TokenFailure(
                grant: grant,
                status: response.status,
                headers: response.headers,
                error: error?.string,
                errorDescription: object?["error_description"]?.string,
                errorURI: object?["error_uri"]?.string,
                isJSON: object != nil,
                sent: sent
            )
        )
    }
}

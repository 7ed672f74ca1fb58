internal import IdentityHTTP
internal import IdentityKit

struct BoltErrorResponse: Sendable, Equatable {
    /// Bolt's error number, for example 18 (forbidden), which Bolt also sends for an expired access token.
    var code: Int?
    /// The name of the error, if it has no number.
    var name: String?
    var message: String?
}

extension BoltErrorResponse {
    /// Reads an error in one of the formats that Bolt uses; nil if the object is not an error.
    init?(_ object: JSONObject) {
        if let first = object["errors"]?.array?.first {
            self.init(part: first)  // {"errors":[{"code","message"}],"result":{"success":false}}
        } else if let error = object["error"], error.object != nil {
            self.init(part: error)  // {"status":"failure","error":{"code","message"}}
        } else if let error = object["error"]?.string {
            self.init(name: error, message: object["error_description"]?.string)  // OAuth
        } else if let tag = object[".tag"]?.string {
            self.init(name: tag, message: object["message"]?.string)  // the third version of the API
        } else if object["code"] != nil, object["message"] != nil {
            self.init(part: .object(object))  // {"code","message"}
        } else if object["result"]?["success"]?.bool == false || object["status"]?.string == "failure" {
            self.init()
        } else {
            return nil
        }
    }

    private init(part: JSONValue) {
        code = part["code"]?.number?.integer ?? (part["code"]?.string).flatMap { Int($0) }
        name = code == nil ? part["code"]?.string : nil
        message = part["message"]?.string
    }

    /// The error numbers with which Bolt rejects an access token; such a response has status 403 instead of 401.
    ///
    /// 18 can also mean that the token's scope does not permit the request.
    private static let refusedTokenCodes = [18, 1009, 1015]
    /// The error number with which Bolt rejects keys that belong to no merchant.
    static let wrongKeyCode = 1005
    static let wrongKeyMessage = "Bolt does not know a merchant with the configured keys."
    static let wrongKeyHint =
        "Check that publishableKey, and apiKey if it is set, belong to the configured environment."

    static func error(_ refusal: BoltErrorResponse?, _ response: HTTPResponse, isJSON: Bool) -> IdentityError {
        let status = response.status
        let isTokenRefused = refusal?.code.map { refusedTokenCodes.contains($0) } ?? false
        let (kind, code, message, hint): (IdentityError.Kind, IdentityError.Code, String, String) =
            if refusal?.code == wrongKeyCode {
                (.configuration, .invalidClient, wrongKeyMessage, wrongKeyHint)
            } else if status == 401 || status == 403 && isTokenRefused {
                (
                    .retryLater, .accessTokenRefused, "Bolt rejected the access token.",
                    "Refresh the access token. If Bolt rejects the new access token too, check scopes in the provider's configuration. "
                        + "Then let the buyer sign in again."
                )
            } else if response.isOutage {
                (
                    .retryLater, .providerUnavailable,
                    "Bolt's account API cannot process the request at the moment (HTTP \(status)).", "Try again later."
                )
            } else if (300..<400).contains(status) {
                (
                    .rejected, .redirectRefused, "Bolt's account API returned a redirect, which was not followed.",
                    "Check environment, and endpoints.api if it is set."
                )
            } else if !isJSON {
                (
                    .retryLater, .unexpectedResponse,
                    "Bolt's account API returned an unexpected response (HTTP \(status)).",
                    "Check environment, and endpoints.api if it is set. If the address is right, try again later."
                )
            } else {
                (
                    .rejected, .unexpectedResponse, "Bolt's account API rejected the request (HTTP \(status)).",
                    "Read providerResponse of this error: it contains Bolt's explanation, if Bolt sent one."
                )
            }
        return IdentityError(
            kind,
            code,
            message,
            hint: hint,
            reference: "help.bolt.com/developers/error-codes",
            retryAfter: response.headers.retryAfter,
            providerResponse: IdentityError.ProviderResponse(
                error: refusal?.code.map { String($0) } ?? refusal?.name,
                errorDescription: refusal?.message,
                status: status,
                traceID: response.headers["X-Bolt-Trace-Id"]
            )
        )
    }
}

internal import IdentityHTTP
internal import IdentityKit

/// Checks the parameters that an app adds to an authorization request, and the values of the standard login options.
enum AuthorizationParameter {
    struct Problem {
        /// The end of a sentence that begins with the parameter's name.
        let text: String
        let hint: String
        var reference = "OpenID Connect Core section 3.1.2.1"
    }

    /// The protocol parameters that an app may not set, even if the login does not send them.
    ///
    /// The SDK sets most of them itself. `request` and `request_uri` would replace the whole request (RFC 9101), and `client_secret`
    /// and `client_assertion` authenticate the client.
    private static let protocolNames = [
        "client_id", "response_type", "scope", "state", "redirect_uri", "nonce", "code_challenge",
        "code_challenge_method", "request", "request_uri", "response_mode", "dpop_jkt", "client_secret",
        "client_assertion", "client_assertion_type", "grant_type", "code", "code_verifier", "refresh_token",
        "device_code",
    ]

    /// The parameters that an app must set with a login option.
    ///
    /// The SDK compares the ID token with the options of `max_age` and `acr_values`.
    private static let optionNames: [(name: String, option: String, member: String)] = [
        ("prompt", "prompt", "prompt"), ("login_hint", "loginHint", "loginHint"), ("max_age", "maximumAge", "maxAge"),
        ("acr_values", "authenticationContexts", "acrValues"), ("ui_locales", "locale", "uiLocales"),
    ]

    /// Why an app may not set a parameter; nil if the app may set it.
    ///
    /// Names are compared without case, and `.` counts as `_`: some servers ignore case, and PHP reads `client.id` as `client_id`.
    static func problem(name: String, value: String) -> Problem? {
        guard (1...128).contains(name.utf8.count), name.utf8.allSatisfy(isNameCharacter) else {
            return Problem(
                text: "has an invalid name",
                hint: "Rename the parameter. Use 1 to 128 characters: letters, digits, \"-\", \".\" and \"_\".",
                reference: "RFC 6749 section 8.2"
            )
        }
        let read = String(decoding: name.utf8.map(lenient), as: UTF8.self)
        guard !protocolNames.contains(where: { $0.isIdentical(to: read) }) else {
            return Problem(
                text: "cannot be set by an app",
                hint: "Remove the parameter: the SDK sets it from the configuration and the options of the login.",
                reference: "RFC 6749 section 3.1"
            )
        }
        guard !read.isIdentical(to: "claims") || !requestsAuthentication(value) else {
            // The client should check a requested acr or auth_time in the ID token (OpenID Connect Core section 3.1.3.7 items 12 and 13).
            // The SDK checks only the values that its login options request.
            return Problem(
                text:
                    "requests acr or auth_time in id_token, which the SDK would not check, or is not a valid claims request",
                hint:
                    "If the value requests acr or auth_time, remove both from id_token, and use acrValues and maxAge of the provider's "
                    + "configuration instead (in Swift: authenticationContexts and maximumAge of LoginOptions). Otherwise correct the "
                    + "value: it must be a JSON object, and id_token in it must be a JSON object too.",
                reference: "OpenID Connect Core section 5.5"
            )
        }
        guard let own = optionNames.first(where: { $0.name.isIdentical(to: read) }) else { return nil }
        return Problem(
            text: "must be set with its own login option",
            hint:
                "Remove the parameter. Set the configuration member \(own.member), or in Swift LoginOptions.\(own.option)."
        )
    }

    /// Whether a value of `claims` requests `acr` or `auth_time` in the ID token, or is not a valid request.
    private static func requestsAuthentication(_ value: String) -> Bool {
        guard let request = try? JSONValue(parsing: Array(value.utf8)), let object = request.object else { return true }
        guard let members = object["id_token"] else { return false }
        return members.object.map { $0["acr"] != nil || $0["auth_time"] != nil } ?? true
    }

    // Unknown values of `prompt` are accepted, because providers define additional values.
    static func problem(prompt: String) -> Problem? {
        let values = prompt.split(separator: " ", omittingEmptySubsequences: false)
        guard values.allSatisfy({ isWord(String($0)) }) else {
            return Problem(
                text: "is not a list of printable ASCII values, at most 256 bytes each, separated by single spaces",
                hint: "Set prompt for example to \"consent\" or \"login consent\"."
            )
        }
        guard values.count == 1 || !values.contains("none") else {
            return Problem(
                text: "combines \"none\" with another value",
                hint:
                    "If the provider must not show a page, set prompt to \"none\" alone. Otherwise remove \"none\" from prompt."
            )
        }
        return nil
    }

    static func problem(contexts: [String]) -> Problem? {
        guard contexts.allSatisfy(isWord) else {
            return Problem(
                text: "contains an invalid value",
                hint:
                    "Write each value as a separate element of acrValues (in Swift: authenticationContexts of LoginOptions, "
                    + "loginDefaults or StepUpRequirement). Use 1 to 256 printable ASCII characters and no spaces."
            )
        }
        return nil
    }

    static func problem(locales: String) -> Problem? {
        guard locales.split(separator: " ", omittingEmptySubsequences: false).allSatisfy({ isLanguageTag(String($0)) })
        else {
            return Problem(
                text:
                    "contains a language tag that is empty, too long, or has characters other than letters, digits and hyphens",
                hint:
                    "Write tags such as \"de\" or \"fr-CA\", at most 35 characters each. In the configuration, set uiLocales to a list "
                    + "of tags. In Swift, set locale of LoginOptions or loginDefaults to a text with single spaces between the tags. "
                    + "At Shopify, use one tag only."
            )
        }
        return nil
    }

    private static func isWord(_ text: String) -> Bool {
        (1...256).contains(text.utf8.count) && text.utf8.allSatisfy(ASCII.isVisible)
    }

    /// Whether a text has the form of a language tag (BCP 47): 1 to 35 letters, digits and hyphens.
    private static func isLanguageTag(_ text: String) -> Bool {
        (1...35).contains(text.utf8.count)
            && text.utf8.allSatisfy { ASCII.isDigit($0) || ASCII.isLetter($0) || $0 == UInt8(ascii: "-") }
    }

    private static func lenient(_ byte: UInt8) -> UInt8 {
        byte == UInt8(ascii: ".") ? UInt8(ascii: "_") : ASCII.lowercased(byte)
    }

    private static func isNameCharacter(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || "-._".utf8.contains(byte)
    }
}

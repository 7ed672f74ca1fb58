package import IdentityHTTP

/// One challenge of a `WWW-Authenticate` header (RFC 9110 section 11.6.1).
package struct AuthenticationChallenge: Sendable {
    private static let maximumHeaders = 8
    private static let maximumBytes = 8192

    /// The scheme in lower case.
    package let scheme: String
    /// The parameters, with names in lower case.
    package private(set) var parameters: [(name: String, value: String)] = []

    package subscript(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// The challenges of a response; of a malformed header, only the part before the first mistake.
    ///
    /// At most 8 headers are read, and at most 8 KiB of each header.
    package static func all(in headers: HTTPHeaders) -> [AuthenticationChallenge] {
        headers.values(for: "WWW-Authenticate").prefix(maximumHeaders).flatMap {
            read(Array($0.utf8.prefix(maximumBytes))).challenges
        }
    }

    /// The challenges of all headers; nil if a header is malformed, a challenge repeats a parameter, or the headers exceed a limit.
    static func wellFormed(in values: [String]) -> [AuthenticationChallenge]? {
        guard values.count <= maximumHeaders, values.allSatisfy({ $0.utf8.count <= maximumBytes }) else { return nil }
        var challenges: [AuthenticationChallenge] = []
        for value in values {
            let (found, isComplete) = read(Array(value.utf8))
            guard isComplete, found.allSatisfy({ Set($0.parameters.map(\.name)).count == $0.parameters.count }) else {
                return nil
            }
            challenges += found
        }
        return challenges
    }

    /// Whether a resource server wants a stronger or more recent login (RFC 9470 section 3).
    var asksForStepUp: Bool { self["error"] == "insufficient_user_authentication" }

    /// The error in the challenge of a rejected access token (RFC 6750 section 3), limited in length and without secrets of the request.
    package static func answer(
        _ challenges: [AuthenticationChallenge],
        status: Int,
        hiding redacted: RequestSecrets
    ) -> IdentityError.ProviderResponse {
        let challenge = challenges.first { ["bearer", "dpop"].contains($0.scheme) && $0["error"] != nil }
        return IdentityError.ProviderResponse(
            error: challenge?["error"],
            errorDescription: challenge?["error_description"],
            errorURI: challenge?["error_uri"],
            status: status
        ).hiding(redacted)
    }

    /// Reads one header; `isComplete` is false if a part of the header could not be read.
    ///
    /// Commas separate challenges, and also parameters: a token before `=` is a parameter of the current challenge, any other token starts
    /// the next challenge. The method skips a token68.
    private static func read(_ bytes: [UInt8]) -> (challenges: [AuthenticationChallenge], isComplete: Bool) {
        var challenges: [AuthenticationChallenge] = []
        var rest = bytes[...]
        while true {
            rest = rest.drop { ASCII.isWhitespace($0) || $0 == UInt8(ascii: ",") }
            let word = rest.prefix(while: ASCII.isToken)
            guard !word.isEmpty else { return (challenges, rest.isEmpty) }
            rest = rest[word.endIndex...]
            let name = String(decoding: word.map(ASCII.lowercased), as: UTF8.self)
            let after = rest.drop(while: ASCII.isWhitespace)
            guard after.first == UInt8(ascii: "=") else {
                challenges.append(AuthenticationChallenge(scheme: name))
                rest = skippingToken68(rest)
                continue
            }
            rest = after.dropFirst().drop(while: ASCII.isWhitespace)
            guard let value = value(&rest), let last = challenges.indices.last else {
                return (challenges, false)
            }
            challenges[last].parameters.append((name, value))
        }
    }

    /// The bytes after a scheme's token68, which stands alone before the next comma (RFC 9110 section 11.2).
    ///
    /// If the scheme has no token68, the result contains all bytes.
    private static func skippingToken68(_ rest: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let text = rest.drop(while: ASCII.isWhitespace)
        let data = text.prefix { ASCII.isToken($0) || $0 == UInt8(ascii: "/") }
        let after = text[data.endIndex...].drop { $0 == UInt8(ascii: "=") }.drop(while: ASCII.isWhitespace)
        guard text.startIndex > rest.startIndex, !data.isEmpty, after.first ?? 0x2C == 0x2C else { return rest }
        return after
    }

    /// A token or a quoted string; nil for anything else, and for a quoted string without an end.
    private static func value(_ rest: inout ArraySlice<UInt8>) -> String? {
        guard rest.first == UInt8(ascii: "\"") else {
            let word = rest.prefix(while: ASCII.isToken)
            rest = rest[word.endIndex...]
            return word.isEmpty ? nil : String(decoding: word, as: UTF8.self)
        }
        rest = rest.dropFirst()
        var text: [UInt8] = []
        while var byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
            if byte == UInt8(ascii: "\\") {
                guard let escaped = rest.popFirst() else { return nil }
                byte = escaped
            }
            text.append(byte)
        }
        return nil
    }
}

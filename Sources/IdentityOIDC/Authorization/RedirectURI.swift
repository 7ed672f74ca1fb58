internal import IdentityHTTP
public import IdentityKit

/// Checks redirect URIs by the rules that apply at every provider.
public enum RedirectURI {
    /// Checks a redirect URI before it is sent.
    ///
    /// - Throws: `IdentityError` of kind `configuration` for:
    ///   - a text that is not an absolute URI, or that contains a fragment, a backslash, spaces or control characters;
    ///   - https without a host, such as `https:callback` or `https://:8443/callback`;
    ///   - user information: the host of `https://app.example@evil.example` is `evil.example`;
    ///   - plain http, except to a loopback literal such as 127.0.0.1 (RFC 8252 section 7.3);
    ///   - a private-use scheme that does not have the form of a domain name; `com.example.app` has this form (section 7.1).
    public static func check(_ text: String) throws(IdentityError) {
        try check(text, ofProvider: nil)
    }

    static func check(
        _ text: String,
        ofProvider name: String?,
        member: String = "redirectURI"
    ) throws(IdentityError) {
        guard !isValid(text) else { return }
        let isPlain = text.utf8.prefix(7).elementsEqual("http://".utf8) { ASCII.lowercased($0) == $1 }
        throw IdentityError(
            configuration:
                "\(name.map { "Configuration member providers.\($0).\(member)" } ?? "The redirect URI") is not a valid redirect URI.",
            hint: isPlain
                ? "Use https, or http only to a loopback address such as 127.0.0.1 or [::1], not to localhost. Remove user information, "
                    + "fragment, backslashes, spaces and control characters from the redirect URI."
                : "Copy the redirect URI that is registered at the provider, for example https://app.example/callback. Remove user "
                    + "information, fragment, backslashes, spaces and control characters. If its scheme is the app's own, use a reversed "
                    + "domain name such as com.example.app.",
            reference: isPlain
                ? "RFC 8252 section 7.3"
                : member == "redirectURI"
                    ? "RFC 6749 section 3.1.2" : "OpenID Connect RP-Initiated Logout 1.0 section 2"
        )
    }

    private static func isValid(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let scheme = parts.first, let first = scheme.first, !parts[1].isEmpty else {
            return false
        }
        return ASCII.isLetter(first)
            && scheme.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || "+-.".utf8.contains($0) }
            && text.utf8.allSatisfy {
                $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "#") && $0 != UInt8(ascii: "\\")
            }
            && !authority(parts[1]).contains(UInt8(ascii: "@"))
            && isPermitted(scheme, parts[1], text)
    }

    private static func isPermitted(
        _ scheme: Substring.UTF8View,
        _ rest: Substring.UTF8View,
        _ text: String
    ) -> Bool {
        switch String(decoding: scheme.map(ASCII.lowercased), as: UTF8.self) {
        case "https": authority(rest).first.map { $0 != UInt8(ascii: ":") } ?? false
        case "http": (try? HTTPURL(String(text.prefix { $0 != "?" })))?.isLoopback ?? false
        default: isDomainName(scheme)
        }
    }

    private static func isDomainName(_ text: Substring.UTF8View) -> Bool {
        let labels = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return labels.count > 1 && !labels.contains(where: \.isEmpty)
    }

    /// The authority of a URI, read from the part after its scheme and colon; empty if the URI has none.
    private static func authority(_ rest: Substring.UTF8View) -> Substring.UTF8View {
        guard rest.starts(with: "//".utf8) else { return rest.prefix(0) }
        return rest.dropFirst(2).prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    }
}

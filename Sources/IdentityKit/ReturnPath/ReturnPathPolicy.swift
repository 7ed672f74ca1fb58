internal import IdentityHTTP

/// Decides where a browser may be sent after a login: the app's own pages, and origins that the app lists.
///
/// What a request names as its return path is an attacker's to choose, so nothing is searched for bad signs. The text is parsed as
/// RFC 3986 permits and no more, brought into one form, written anew from its parts, and only that is handed out: what the browser
/// gets is what was checked (RFC 9700 section 4.11.1).
///
/// ``SessionManager`` applies its ``SessionManager/Configuration/returnPaths`` when a login begins and again when it ends. Apps may
/// use it for redirects of their own.
public struct ReturnPathPolicy: Sendable, Equatable {
    /// The longest text that is looked at, in bytes.
    static let maximumLength = 2048

    private let origins: [String]
    private let fallback: String?

    /// Paths of this app only; everything else is refused.
    public static let pathsOnly = ReturnPathPolicy(origins: [], fallback: nil)

    /// A policy.
    ///
    /// - Parameters:
    ///   - origins: Origins that absolute URLs may have, such as `https://shop.example` or `https://shop.example:8443`: scheme, host
    ///     and port must all be equal. None by default. Plain http is for loopback addresses only.
    ///   - defaultPage: Where the browser goes instead when a text is refused; must itself be permitted. By default there is none,
    ///     and a refused text is an error.
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/configurationInvalid``.
    public init(origins: [String] = [], otherwise defaultPage: String? = nil) throws(IdentityError) {
        var accepted: [String] = []
        for origin in origins {
            guard let url = try? HTTPURL(origin), url.path.utf8.count == 1, url.query == nil,
                url.isSecure || url.isLoopback
            else {
                throw Self.wrongConfiguration("One of the origins for return paths is no https origin.")
            }
            accepted.append(url.origin)
        }
        let strict = ReturnPathPolicy(origins: accepted, fallback: nil)
        guard let defaultPage else {
            self = strict
            return
        }
        guard let page = strict.checked(defaultPage) else {
            throw Self.wrongConfiguration("The default page for return paths is not permitted itself.")
        }
        self.init(origins: accepted, fallback: page)
    }

    private init(origins: [String], fallback: String?) {
        self.origins = origins
        self.fallback = fallback
    }

    /// The text to redirect a browser to for a return path that came from outside.
    ///
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/returnPathRefused`` where there is no default page.
    public func location(for text: String) throws(IdentityError) -> String {
        if let location = checked(text) ?? fallback { return location }
        throw IdentityError(
            .rejected,
            .returnPathRefused,
            "The return path is no page of this app.",
            hint: "Pass a path that begins with one slash, or a URL of an origin that the return path policy lists.",
            reference: "RFC 9700 section 4.11.1"
        )
    }

    private func checked(_ text: String) -> String? {
        guard text.utf8.count <= Self.maximumLength else { return nil }
        let parts = text.utf8.split(separator: UInt8(ascii: "#"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let reference = parts.first.flatMap({ String($0) }) else { return nil }
        // Whether a URL is a path of this app is a matter of its first byte alone. In front of a path goes an origin that does not
        // exist, so that one parser reads both.
        let isPath = reference.utf8.first == UInt8(ascii: "/")
        guard let url = try? HTTPURL(isPath ? "https://app.invalid" + reference : reference),
            isPath || origins.contains(where: { $0.isIdentical(to: url.origin) }),
            let path = ReturnPathNormalization.path(url.path)
        else { return nil }
        var location = (isPath ? "" : url.origin) + path
        if let query = url.query {
            guard ReturnPathNormalization.isHarmless(query) else { return nil }
            location += "?" + query
        }
        if parts.count > 1 {
            // A fragment is made of what a query is made of (RFC 3986 section 3.5).
            guard let fragment = String(parts[1]), ReturnPathNormalization.isHarmless(fragment),
                (try? HTTPURL("https://app.invalid/?" + fragment)) != nil
            else { return nil }
            location += "#" + fragment
        }
        return location
    }

    private static func wrongConfiguration(_ message: String) -> IdentityError {
        IdentityError(
            .configuration,
            .configurationInvalid,
            message,
            hint: "Write origins as \"https://shop.example\", and the default page as a path such as \"/\".",
            reference: "RFC 9700 section 4.11.1"
        )
    }
}

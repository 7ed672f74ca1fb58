internal import IdentityHTTP

/// Decides to which pages a browser may be redirected after a login or logout: pages of the app, and of origins that the app lists.
///
/// An attacker can choose the return path of a request (RFC 9700 section 4.11.1). A search for known bad patterns could miss one, so the
/// policy parses the text strictly (RFC 3986), and builds the location from the checked and normalized parts.
///
/// ``SessionManager`` applies ``SessionManager/Configuration/returnPaths`` when a login or logout begins and again when the browser
/// returns. Apps can use a policy for other redirects:
///
/// ```swift
/// let policy = try ReturnPathPolicy(origins: ["https://blog.example"], otherwise: "/")
/// response.redirect(to: try policy.location(for: request.query["next"] ?? "/"))
/// ```
public struct ReturnPathPolicy: Sendable, Equatable {
    /// The longest accepted text, in bytes.
    static let maximumLength = 2048

    private let origins: [String]
    private let fallback: String?

    /// Allows paths of this app only.
    public static let pathsOnly = ReturnPathPolicy(origins: [], fallback: nil)

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - origins: The allowed origins of absolute URLs, such as `https://shop.example` or `https://shop.example:8443`; scheme, host
    ///     and port must be equal. Empty by default. Plain http is allowed for loopback addresses only.
    ///   - defaultPage: The page to use instead of a refused page; the policy must allow this page. If the value is nil, as by default,
    ///     ``location(for:)`` throws for a refused page.
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/configurationInvalid`` for an invalid origin or default page.
    public init(origins: [String] = [], otherwise defaultPage: String? = nil) throws(IdentityError) {
        var accepted: [String] = []
        for origin in origins {
            guard let url = HTTPURL(origin: origin), url.isSecure(orLoopback: true) else {
                throw Self.wrongConfiguration(
                    "The origin \(origin) for return paths is neither an https origin nor an http origin with a loopback address."
                )
            }
            accepted.append(url.origin)
        }
        let strict = ReturnPathPolicy(origins: accepted, fallback: nil)
        guard let defaultPage else {
            self = strict
            return
        }
        guard let page = strict.checked(defaultPage) else {
            throw Self.wrongConfiguration(
                "The default page \(defaultPage) for return paths is not allowed by the policy."
            )
        }
        self.init(origins: accepted, fallback: page)
    }

    private init(origins: [String], fallback: String?) {
        self.origins = origins
        self.fallback = fallback
    }

    /// Checks an untrusted path or absolute URL; returns the normalized text, or the default page, to redirect the browser to.
    ///
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/returnPathRefused`` if the text is refused and no default page is set.
    public func location(for text: String) throws(IdentityError) -> String {
        if let location = checked(text) ?? fallback { return location }
        throw IdentityError(
            .rejected,
            .returnPathRefused,
            "The return path is malformed, or leads to a page that the return path policy does not allow.",
            hint: """
                Pass a path that begins with one slash, or a URL of an origin that the return path policy lists. The path or URL must \
                have at most \(Self.maximumLength) bytes, and no control characters, not even escaped ones. Escape other characters that \
                a URL must not contain, such as a space, "[" or "ä". The path must not contain two slashes in a row, or an escaped \
                slash, backslash or percent sign.
                """,
            reference: "RFC 9700 section 4.11.1"
        )
    }

    private func checked(_ text: String) -> String? {
        guard text.utf8.count <= Self.maximumLength else { return nil }
        let parts = text.utf8.split(separator: UInt8(ascii: "#"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let reference = parts.first.flatMap({ String($0) }) else { return nil }
        // A path gets a placeholder origin, so that the URL parser can read the path.
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
            // A fragment allows the same characters as a query (RFC 3986 section 3.5).
            guard let fragment = String(parts[1]), ReturnPathNormalization.isHarmless(fragment),
                (try? HTTPURL("https://app.invalid/?" + fragment)) != nil
            else { return nil }
            location += "#" + fragment
        }
        // Normalization can add a slash after the host. The normalized text is checked again later, so its length is limited too.
        return location.utf8.count <= Self.maximumLength ? location : nil
    }

    private static func wrongConfiguration(_ message: String) -> IdentityError {
        IdentityError(
            configuration: message,
            hint:
                "Write origins as \"https://shop.example\", and the default page as a path such as \"/\" or a URL of one of the origins.",
            reference: "RFC 9700 section 4.11.1"
        )
    }
}

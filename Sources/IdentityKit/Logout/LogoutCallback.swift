/// The untrusted parameters with which a browser returns from a provider's logout page.
public struct LogoutCallback: Sendable {
    let state: Secret?

    /// Parses the URL with which the browser returned: an absolute URL or a path, with or without a query.
    ///
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/callbackInvalid`` if the query is too long, malformed or repeats `state`.
    public init(url: String) throws(IdentityError) {
        let query = url.utf8.prefix { $0 != UInt8(ascii: "#") }.drop { $0 != UInt8(ascii: "?") }.dropFirst()
        do {
            state = try LoginCallback(form: Array(query)).value(of: "state")
        } catch {
            throw IdentityError(
                .rejected,
                .callbackInvalid,
                "The URL with which the browser returned from the provider's logout page is malformed or too long, or repeats `state`.",
                hint: PendingLogout.hint,
                reference: "OpenID Connect RP-Initiated Logout 1.0 section 3",
                cause: error
            )
        }
    }
}

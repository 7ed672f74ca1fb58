/// What a browser brought back from a provider's logout page: parameters, not yet trusted.
public struct LogoutCallback: Sendable {
    /// The `state`, nil when there is none.
    let state: Secret?

    /// Reads the return from its URL, a whole one or a path; it may have no query.
    ///
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/callbackInvalid`` for text that is too large, malformed or
    ///   names its `state` twice.
    public init(url: String) throws(IdentityError) {
        let query = url.utf8.prefix { $0 != UInt8(ascii: "#") }.drop { $0 != UInt8(ascii: "?") }.dropFirst()
        do {
            state = try LoginCallback(form: Array(query)).value(of: "state")
        } catch {
            throw IdentityError(
                .rejected,
                .callbackInvalid,
                "The return from the provider's logout page cannot be read.",
                hint: "The session has ended here all the same. Show the buyer a page that is right for anybody.",
                reference: "OpenID Connect RP-Initiated Logout 1.0 section 3",
                cause: error
            )
        }
    }
}

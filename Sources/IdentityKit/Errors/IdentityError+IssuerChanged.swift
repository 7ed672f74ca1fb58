extension IdentityError {
    /// The error when the issuer of a session's tokens is not the issuer of the session's provider, so that no token is sent there.
    package static func issuerChanged(from old: String, to new: String) -> IdentityError {
        IdentityError(
            .signInAgain,
            .issuerChanged,
            "The session's tokens were issued by \(old), but the issuer of the session's provider is \(new).",
            hint: """
                The tokens were not sent. Unless the buyer is signing out, let the buyer sign in again. If the provider itself changed \
                its issuer, configure the old and the new one, if this kind of provider has a list of issuers. If the configuration \
                now names another shop or client, give it another provider name.
                """,
            reference: "RFC 9700 section 4.4"
        )
    }
}

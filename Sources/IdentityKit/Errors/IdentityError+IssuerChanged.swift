extension IdentityError {
    /// The error when the issuer of a session's tokens is not the issuer of the session's provider, so that no token is sent there.
    package static func issuerChanged(from old: String, to new: String) -> IdentityError {
        IdentityError(
            .signInAgain,
            .issuerChanged,
            "The session's tokens were issued by \(old), but the issuer of the session's provider is \(new).",
            hint: """
                Let the buyer sign in again, unless the buyer is signing out. If the provider itself changed its issuer, add the old and \
                the new issuer to the provider's `issuers`, if this kind of provider has this member. If the configuration now names \
                another shop or client, give the provider another name in the configuration. This call did not send the tokens.
                """,
            reference: "RFC 9700 section 4.4"
        )
    }
}

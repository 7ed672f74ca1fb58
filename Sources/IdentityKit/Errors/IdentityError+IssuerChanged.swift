extension IdentityError {
    package static func issuerChanged(from old: String, to new: String) -> IdentityError {
        IdentityError(
            .signInAgain,
            .issuerChanged,
            "The session's tokens were issued by \(old), but the issuer of the session's provider is \(new).",
            hint: """
                Let the buyer sign in again, unless a logout reported this error. If the provider itself changed its issuer, add the old \
                and the new issuer to the provider's member `issuers` (not every kind of provider has it). If the configuration now names \
                another shop or client, configure that one as a provider with a new name. This call did not send the tokens.
                """,
            reference: "RFC 9700 section 4.4"
        )
    }
}

extension IdentityError {
    /// `canListIssuers` says whether the provider's configuration may have the member `issuers`, which the hint then mentions.
    package static func issuerChanged(
        from old: String,
        to new: String,
        canListIssuers: Bool = true
    ) -> IdentityError {
        let move = """
            If the provider itself changed its issuer, add the old and the new issuer to the provider's member `issuers` (not every kind \
            of provider has it).
            """
        return IdentityError(
            .signInAgain,
            .issuerChanged,
            "The session's tokens were issued by \(old), but the issuer of the session's provider is \(new).",
            hint: """
                Let the buyer sign in again, unless a logout reported this error. \(canListIssuers ? "\(move) " : "")If the configuration \
                now names another shop or client, restore the old values, and add the new shop or client as a second provider. This call \
                did not send the tokens.
                """,
            reference: "RFC 9700 section 4.4"
        )
    }
}

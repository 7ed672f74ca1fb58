/// Refuses a callback that another provider may have sent (mix-up attack, RFC 9700 section 4.4).
///
/// In this attack, a login begins at a malicious provider and ends at an honest one. Without the check, the app would send the honest
/// provider's code to the malicious provider.
extension SessionManager {
    func refuseCallbackOfAnotherProvider(
        _ callback: LoginCallback,
        for attempt: LoginAttempt,
        receivedFor provider: String?
    ) throws(IdentityError) {
        guard let provider else {
            try checkSender(of: callback, attempt)
            try checkAddress(of: callback, attempt)
            return
        }
        // If the app passes the provider, the address of the callback is not checked: a proxy in front of the app may change paths.
        guard provider.isIdentical(to: attempt.provider) else {
            throw IdentityError(
                .rejected,
                .responseIssuerMismatch,
                "The callback of a login at \(attempt.provider) was received for another provider.",
                hint: """
                    If the app uses SignInRoutes, look for forged callbacks in its access log. Otherwise give each provider a separate \
                    redirect URI, and call `complete` with the provider whose redirect URI received the callback (`provider:`). Then \
                    start the login again.
                    """,
                reference: "RFC 9700 section 4.4.2.2",
                isAttackSuspected: true
            )
        }
    }

    private func checkAddress(of callback: LoginCallback, _ attempt: LoginAttempt) throws(IdentityError) {
        guard let redirectURI = attempt.redirectURI, let address = callback.address, !address.hasPath(of: redirectURI)
        else { return }
        throw IdentityError(
            .rejected,
            .callbackInvalid,
            "The callback arrived at a path that is not the path of the login's redirect URI.",
            hint: """
                If a proxy in front of the app changes paths, pass `provider:` to `complete`. Otherwise pass the callback's URL as the \
                browser requested it, and compare the URL's path with the redirectURI of the provider or of LoginOptions. Then start the \
                login again.
                """,
            reference: "RFC 9700 section 4.4.2.2"
        )
    }

    private func checkSender(of callback: LoginCallback, _ attempt: LoginAttempt) throws(IdentityError) {
        let given = try callback.value(of: "iss")
        if let issuer = attempt.issuer, let given, given.isEqual(to: Secret(issuer)) { return }
        guard context.possibleSenders.all.contains(where: { maySend(callback, to: attempt, $0.descriptor) }) else {
            return
        }
        let namesAnother = attempt.issuer != nil && given != nil
        throw IdentityError(
            .rejected,
            .responseIssuerMismatch,
            namesAnother
                ? "More than one provider could have sent this callback, and its iss is not the issuer of this login."
                : "More than one provider could have sent this callback, and no iss shows that the provider of this login sent it.",
            hint: """
                Give each provider a separate redirect URI. As `provider:` of `complete`, pass the provider whose redirect URI received \
                the callback. Then start the login again.
                """,
            reference: "RFC 9700 section 4.4.2",
            // If the callback or the login has no issuer to compare, the likely cause is that two providers share a redirect URI.
            isAttackSuspected: namesAnother
        )
    }

    /// Whether `other` may have sent the callback; false if `other` is the login's provider.
    ///
    /// Also false if `other` has a redirect URI, and the callback arrived at the redirect URI of the login's provider instead.
    private func maySend(_ callback: LoginCallback, to attempt: LoginAttempt, _ other: ProviderDescriptor) -> Bool {
        guard !other.name.isIdentical(to: attempt.provider) else { return false }
        guard let address = callback.address, let redirectURI = attempt.redirectURI, address.matches(redirectURI),
            let configured = try? providers.provider(named: attempt.provider).descriptor.redirectURI,
            configured.isIdentical(to: redirectURI),
            let otherRedirectURI = other.redirectURI
        else { return true }
        return address.matches(otherRedirectURI)
    }
}

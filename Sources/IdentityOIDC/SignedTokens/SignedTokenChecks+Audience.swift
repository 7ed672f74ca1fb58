internal import IdentityKit

extension SignedTokenChecks {
    /// Checks `aud` and `azp`, and returns `azp`; nil if the token has no `azp`.
    func checkAudience(_ claims: JSONObject) throws(IdentityError) -> String? {
        let claim = claims["aud"]
        let audience = (claim?.string).map { [$0] } ?? claim?.strings ?? []
        func isAccepted(_ name: String) -> Bool { expected.audiences.contains { $0.isIdentical(to: name) } }
        func isForeign(_ name: String) -> Bool {
            !isAccepted(name) && !expected.trustedAudiences.contains { $0.isIdentical(to: name) }
        }
        guard audience.contains(where: isAccepted) else {
            throw errors.error(
                .idTokenAudience,
                "does not name this client in aud (\(audience.isEmpty ? "missing or invalid" : LoggableName.shown(audience)))",
                "section 3.1.3.7 item 3",
                advice:
                    "Compare clientID (publishableKey at Bolt) in the provider's configuration with the client's id at the provider."
            )
        }
        guard expected.allowsUntrustedAudiences || !audience.contains(where: isForeign) else {
            throw errors.error(
                .idTokenAudience,
                "also has an audience that is not trusted (\(LoggableName.shown(audience.filter(isForeign))))",
                "section 3.1.3.7 item 3",
                advice:
                    "If the provider adds this audience to the tokens of this client on purpose, add the audience to trustedAudiences "
                    + "(kind openid)."
            )
        }
        guard let party = claims["azp"] else { return nil }
        guard let name = party.string, isAccepted(name) else {
            throw errors.error(.idTokenAudience, "has an azp that does not name this client", "section 3.1.3.7 item 5")
        }
        return name
    }
}

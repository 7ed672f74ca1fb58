internal import FoundationEssentials

extension IDTokenClaims {
    /// The claims that a session keeps: without the claims that only the validation of the ID token needs, and without references to
    /// claims of other issuers, because the SDK does not verify these claims.
    package var kept: IDTokenClaims {
        IDTokenClaims(
            issuer: issuer,
            subject: subject,
            authenticatedAt: authenticatedAt,
            authorizedParty: authorizedParty,
            all: all.withoutUnverifiedClaims(or: ["nonce", "at_hash", "c_hash", "s_hash"])
        )
    }

    /// The claims as JSON, for the session's record in the store.
    var record: JSONValue {
        var object = JSONObject()
        object.append("iss", .string(issuer))
        object.append("sub", .string(subject))
        object.append("auth_time", authenticatedAt.map { .date($0) })
        object.append("azp", authorizedParty.map { .string($0) })
        object.append("all", .object(all))
        return .object(object)
    }

    /// Decodes a value of ``record``; nil if the value has another form.
    init?(record value: JSONValue) {
        guard let issuer = value["iss"]?.string, let subject = value["sub"]?.string, let all = value["all"]?.object
        else { return nil }
        self.init(
            issuer: issuer,
            subject: subject,
            authenticatedAt: value["auth_time"]?.date,
            authorizedParty: value["azp"]?.string,
            all: all
        )
    }
}

extension JSONObject {
    /// The members without references to claims of other issuers (OpenID Connect Core section 5.6.2), and without those in `names`.
    func withoutUnverifiedClaims(or names: [String] = []) -> JSONObject {
        var object = self
        for name in ["_claim_names", "_claim_sources"] + names { object[name] = nil }
        return object
    }
}

internal import FoundationEssentials

extension IDTokenClaims {
    /// The claims that a session keeps: without values that only validation needs, and without references to claims of other issuers,
    /// which nobody has verified.
    package var kept: IDTokenClaims {
        IDTokenClaims(
            issuer: issuer,
            subject: subject,
            authenticatedAt: authenticatedAt,
            authorizedParty: authorizedParty,
            all: all.withoutUnverifiedClaims(or: ["nonce", "at_hash", "c_hash", "s_hash"])
        )
    }

    /// The claims as a record of the store.
    ///
    /// The claims themselves are text within it, so that the depth to which an ID token may nest them stays readable.
    var record: JSONValue {
        var object = JSONObject()
        object["iss"] = .string(issuer)
        object["sub"] = .string(subject)
        object["auth_time"] = authenticatedAt.map { .date($0) }
        object["azp"] = authorizedParty.map { .string($0) }
        object["all"] = .string(String(decoding: JSONValue.object(all).serialized, as: UTF8.self))
        return .object(object)
    }

    /// Decodes a record; nil if it is not one.
    init?(record value: JSONValue) {
        guard let issuer = value["iss"]?.string, let subject = value["sub"]?.string, let text = value["all"]?.string,
            let all = (try? JSONValue(parsing: Array(text.utf8)))?.object
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
    /// The members, without references to claims of other issuers (OpenID Connect Core section 5.6.2) and without the named ones.
    func withoutUnverifiedClaims(or names: [String] = []) -> JSONObject {
        var object = self
        for name in ["_claim_names", "_claim_sources"] + names { object[name] = nil }
        return object
    }
}

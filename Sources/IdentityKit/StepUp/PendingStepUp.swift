internal import FoundationEssentials

/// The additional data of a login attempt for a step-up, a login that re-authenticates the buyer of an existing session.
struct PendingStepUp: Sendable {
    /// The session that the login replaces.
    let session: SessionID
    let requirement: StepUpRequirement
}

extension PendingStepUp {
    var record: JSONValue {
        var object = JSONObject()
        object.append("session", .string(session.rawValue))
        object.append("login", .bool(requirement.demandsLogin))
        object.append("max_age", requirement.maximumAge.map { .integer(Int($0.components.seconds)) })
        object.append("acr_values", .array(requirement.authenticationContexts.map { .string($0) }))
        return .object(object)
    }

    init?(record value: JSONValue) {
        guard let id = value["session"]?.string, let session = SessionID(rawValue: id),
            let demandsLogin = value["login"]?.bool, let contexts = value["acr_values"]?.strings
        else { return nil }
        let age = value["max_age"]?.number?.integer
        guard age != nil || value["max_age"] == nil else { return nil }
        self.init(
            session: session,
            requirement: StepUpRequirement(
                demandsLogin: demandsLogin,
                maximumAge: age.map { .seconds($0) },
                authenticationContexts: contexts
            )
        )
    }
}

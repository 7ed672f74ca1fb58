internal import IdentityHTTP
internal import IdentityKit

extension Output {
    func authorize(_ url: HTTPURL, mode: CallbackMode) {
        let advice =
            switch mode {
            case .loopback: "If no browser has opened, open this page:"
            case .stdin:
                "Open this page in a browser and sign in. Then paste the URL of the page to which you are redirected, and press return:"
            case .sandbox: "The sandbox's robot signs in at:"
            }
        event("authorize", ["url": .string(url.text)], text: "\(advice)\n\n  \(url.text)\n")
    }

    /// Prints the prompt of a device login, without control characters in the provider's texts.
    func device(_ prompt: DeviceLoginPrompt) {
        let direct = prompt.verificationURIComplete.map {
            "\nOr open this page and check that it shows the same code:\n\n  \($0.text)\n"
        }
        event(
            "device",
            [
                "user_code": .string(prompt.userCode),
                "verification_uri": .string(prompt.verificationURI.text),
                "verification_uri_complete": prompt.verificationURIComplete.map { .string($0.text) } ?? .null,
                "expires_at": .string(prompt.expiresAt.rfc3339),
            ],
            text: """
                Open this page in a browser, on any device:

                  \(prompt.verificationURI.text)

                and enter this code there:

                  \(prompt.userCode.printable)
                \(direct ?? "")
                Waiting until \(prompt.expiresAt.rfc3339) …

                """
        )
    }

    /// Prints a session with its secret id or, if `showsID` is false, with its reference; JSON has both.
    func session(_ session: Session, showsID: Bool) {
        let name = session.buyer.displayName ?? session.buyer.email?.value ?? session.buyer.subject
        let expiry = session.expiresAt.map { "expires \($0.rfc3339)" } ?? "without a known expiry"
        let state =
            if session.isAttackSuspected {
                ", blocked: the response to a refresh belongs to another login"
            } else if session.isGuest {
                ", a guest's, without a token"
            } else if session.endReason == .lostRotation {
                ", ended: a newer refresh token was probably lost"
            } else if session.needsLogin {
                ", ended by the provider"
            } else {
                session.isRefreshable ? ", refreshable" : ""
            }
        var members: JSONObject = [
            "id": .string(session.id.rawValue),
            "reference": .string(session.id.reference.rawValue),
            "provider": .string(session.provider),
            "issuer": .string(session.buyer.issuer),
            "subject": .string(session.buyer.subject),
            "scopes": .array(session.scopes.map { .string($0) }),
            "expires_at": session.expiresAt.map { .string($0.rfc3339) } ?? .null,
        ]
        if session.isAttackSuspected { members["attack_suspected"] = .bool(true) }
        event(
            "session",
            members,
            text: """
                \(showsID ? session.id.rawValue : session.id.reference.rawValue)  \(session.provider.printable)  \(name.printable)
                  subject \(session.buyer.subject.printable) at \(session.buyer.issuer.printable)
                  scopes \(session.scopes.joined(separator: " ").printable); token \(expiry)\(state)
                """
        )
    }
}

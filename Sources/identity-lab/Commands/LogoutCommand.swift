internal import IdentityHTTP
internal import IdentityKit
internal import IdentityPlatform

struct LogoutCommand: Command {
    static let name = "logout"
    static let summary = "End a session: delete it, detach its cart, and print the provider's logout page."
    static let options: [Option] = [.session, callback]
    static let examples = [
        "identity-lab logout --session ID",
        "identity-lab logout --session ID --callback stdin --json",
    ]
    private static let callback = Option(
        "\(Option.callback.name) \(Option.callbackModes)",
        "How to receive the URL with which the browser returns from the logout page; the command checks its state parameter. By "
            + "default loopback if postLogoutRedirectURI has a loopback address, otherwise stdin in a terminal, otherwise no wait."
    )

    private let session: SessionArgument
    private let mode: CallbackMode?

    init(_ arguments: Arguments) throws {
        session = try arguments.session()
        mode = try arguments.choice(Self.callback)
    }

    func run(_ lab: Lab) async throws {
        let deployment = try await lab.deployment()
        let session = try await session.id(in: deployment.sessions)
        let address = try await returnAddress(of: session, deployment)
        guard let address, let mode = mode ?? Self.mode(for: address) else {
            _ = try await end(session, deployment, lab.output, returningTo: address, awaitsReturn: false)
            return
        }
        var ended: LogoutResult?
        let transport = deployment.environment.transport
        let returned = try await mode.logoutReturn(to: address, transport: transport) { address in
            let result = try await end(
                session,
                deployment,
                lab.output,
                returningTo: address,
                awaitsReturn: mode == .stdin
            )
            ended = result
            return result.awaitedReturn == nil ? nil : result.browserURL
        }
        guard let returned, let ended else { return }
        try await compare(returned, ended, deployment)
        lab.output.event(
            "logout_return",
            ["confirmed": .bool(true)],
            text: "The browser came back from the provider's logout page."
        )
    }

    /// Returns the default mode; nil if the mode is `stdin` and no person can paste the URL, because standard input is not a terminal.
    private static func mode(for address: String) -> CallbackMode? {
        let mode = CallbackMode.standard(for: address)
        return mode == .stdin && isatty(0) == 0 ? nil : mode
    }

    /// Returns the address to which the provider sends the browser after the logout.
    ///
    /// If no address is configured, the result is nil, or an error if the command line contains `--callback`.
    private func returnAddress(of session: SessionID, _ deployment: Deployment) async throws -> String? {
        let provider = try await deployment.sessions.session(session).provider
        let descriptor = try? deployment.sessions.descriptor(of: provider)
        let address = descriptor?.postLogoutRedirectURI
        guard address != nil || mode == nil else {
            throw IdentityError(
                configuration: descriptor == nil
                    ? "--callback needs a session of a configured provider. The provider of this session is not configured."
                    : "--callback needs the configuration member providers.\(provider).postLogoutRedirectURI, which is missing.",
                hint: descriptor == nil
                    ? "Omit --callback."
                    : "Omit --callback. For a provider of kind shopify or openid, you can instead register a post-logout redirect URI at "
                        + "the provider, and set providers.\(provider).postLogoutRedirectURI to that URI."
            )
        }
        return address
    }

    private func end(
        _ session: SessionID,
        _ deployment: Deployment,
        _ output: Output,
        returningTo address: String?,
        awaitsReturn: Bool
    ) async throws -> LogoutResult {
        let result = try await deployment.draining {
            try await deployment.sessions.logout(session, options: LogoutOptions(returningTo: address))
        }
        var members: JSONObject = ["browser_url": result.browserURL.map { .string($0.text) } ?? .null]
        if !result.problems.isEmpty {
            members["problems"] = .array(result.problems.map { .string("\($0.code): \($0.message)") })
        }
        let problems = result.problems.map { "Warning: \($0.message.printable)" }
        let next =
            awaitsReturn && result.awaitedReturn != nil
            ? "Then paste the URL of the page to which the browser is redirected, and press return:\n" : ""
        let page =
            result.browserURL.map { "Send the browser to:\n\n  \($0.text)\n\n\(next)" }
            ?? "No logout page is known for this session."
        output.event("logout", members, text: (["Signed out.", page] + problems).joined(separator: "\n"))
        return result
    }

    private func compare(_ url: String, _ ended: LogoutResult, _ deployment: Deployment) async throws {
        let completed = try await deployment.sessions.completeLogout(
            try LogoutCallback(url: url),
            browserBinding: ended.awaitedReturn?.browserBinding,
            provider: ended.session.provider
        )
        guard completed.isConfirmed else {
            throw IdentityError(
                .rejected,
                .stateInvalid,
                "The return from the provider's logout page has no state.",
                hint:
                    "Open the printed logout page again, because the buyer may still be signed in at the provider. The session in the "
                    + "store has ended.",
                reference: "OpenID Connect RP-Initiated Logout 1.0 section 2"
            )
        }
    }
}

internal import IdentityKit

struct TokenCommand: Command {
    static let name = "token"
    static let summary = "Get a valid access token, refresh it if necessary, and print when it expires."
    static let options: [Option] = [.session, validFor, refresh, reveal]
    static let examples = [
        "identity-lab token --session ID",
        "identity-lab token --session ID --valid-for 600 --json",
        "identity-lab token --session ID --refresh",
    ]
    private static let validFor = Option(
        "--valid-for SECONDS",
        "How long the token must remain valid; by default 60, less for short-lived tokens."
    )
    private static let refresh = Option(
        "--refresh",
        "Refresh now, even if the token is still valid; useful if the provider states no expiry."
    )
    private static let reveal = Option(
        "--reveal",
        "Print the token itself. Everybody who sees it can act as the buyer."
    )

    private let session: SessionArgument
    private let validFor: Duration?
    private let refreshes: Bool
    private let reveals: Bool

    init(_ arguments: Arguments) throws {
        session = try arguments.session()
        refreshes = arguments.contains(Self.refresh)
        reveals = arguments.contains(Self.reveal)
        guard !refreshes || arguments[Self.validFor] == nil else {
            throw UsageError("--refresh and --valid-for cannot be combined.")
        }
        validFor = try arguments.seconds(Self.validFor)
    }

    func run(_ lab: Lab) async throws {
        let deployment = try await lab.deployment()
        let session = try await session.id(in: deployment.sessions)
        var got: SessionTokens
        do {
            got =
                refreshes
                ? try await deployment.sessions.refreshTokens(for: session)
                : try await deployment.sessions.tokens(for: session, validFor: validFor)
        } catch {
            // After an interruption, the command does not start to repair other sessions.
            if Task.isCancelled { await deployment.drain() } else { await deployment.repairAndDrain() }
            throw error
        }
        await deployment.repairAndDrain()
        // The call above may have started an early refresh in the background. Another call returns the tokens of that refresh, or the
        // reason why it failed. If the refresh ended the session, the call throws, and the old tokens are printed.
        if got.outcome == .stored, let again = try? await deployment.sessions.tokens(for: session, validFor: validFor) {
            await deployment.drain()
            got = again
        }
        let warnings = lab.nonDurableTokens.warning.map { ["\($0.code): \($0.message)"] } ?? []
        let expiresAt = got.tokens.expiresAt?.rfc3339
        var text =
            "\(Self.text(for: got.outcome)); \(expiresAt.map { "expires at \($0)" } ?? "the provider did not state its expiry")"
        var members: JSONObject = [
            "outcome": .string(got.outcome.rawValue),
            "expires_at": expiresAt.map { .string($0) } ?? .null,
            "warnings": .array(warnings.map { .string($0) }),
        ]
        if let reason = got.reason {
            members["reason"] = .string("\(reason.code): \(reason.message)")
            text += "\nThe refresh failed: \(reason.message.printable) [\(reason.code)]"
        }
        if let losses = got.losses {
            members["lost_scopes"] = .array(losses.scopes.map { .string($0) })
            members["lost_refresh_token"] = .bool(losses.isRefreshTokenLost)
            text += "\nThe refreshed tokens no longer have \(Self.text(for: losses))."
        }
        guard reveals else { return lab.output.event("token", members, text: text) }
        let token = got.tokens.accessToken.reveal()
        members["access_token"] = .string(token)
        lab.output.event("token", members, text: "\(text)\n\(token.printable)")
    }

    static func text(for losses: TokenLosses) -> String {
        let scopes = losses.scopes.map(\.printable).joined(separator: " ")
        let parts = [
            scopes.isEmpty ? nil : "the scopes \(scopes)", losses.isRefreshTokenLost ? "the refresh token" : nil,
        ]
        return parts.compactMap { $0 }.joined(separator: " and ")
    }

    static func text(for outcome: TokenOutcome) -> String {
        switch outcome {
        case .stored: "The stored token is valid"
        case .refreshedEarly: "The token was refreshed before it expired"
        case .refreshedLate: "The token had expired and was refreshed"
        case .waited: "Another task or process refreshed the token"
        case .stillValid: "The token could not be refreshed, but is still valid"
        default: outcome.rawValue.printable
        }
    }
}

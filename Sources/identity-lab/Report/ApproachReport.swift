/// The report of one approach: a provider, and one of the three entry points of `LoginFlow` or the routes of `IdentityWeb`.
struct ApproachReport: Sendable {
    var provider: String
    /// The displayed kind of the provider.
    var kind: String
    /// The displayed kind of the provider and client.
    var title: String
    /// The name of the entry point; `routes` for a sign-in through the routes of `IdentityWeb`.
    var entryPoint: String
    var facts = ApproachFacts()
    var steps: [RecordedStep] = []
    var duration = Duration.zero
    var problem: String?
}

/// The properties that are compared: one row of the table.
struct ApproachFacts: Sendable {
    var clientAuthentication = "–"
    var pkce = "–"
    var tokens = "–"
    var refresh = "–"
    var idToken = "–"
    var cartIdentity = "–"
    var logout = "–"
    var requests = 0

    static let head = [
        "Client", "PKCE", "Tokens", "Refresh", "ID token", "Cart", "Logout", "Requests",
    ]

    var cells: [String] {
        [clientAuthentication, pkce, tokens, refresh, idToken, cartIdentity, logout, "\(requests)"]
    }
}

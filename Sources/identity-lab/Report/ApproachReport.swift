/// One way to sign a buyer in, as it went: a provider with its kind of client, entered at one of three points.
struct ApproachReport: Sendable {
    /// The provider's name.
    var provider: String
    /// What kind of provider it is, in words.
    var kind: String
    /// What kind of provider and client it is, in words.
    var title: String
    var entryPoint: EntryPoint
    var facts = ApproachFacts()
    var steps: [RecordedStep] = []
    var duration = Duration.zero
    /// What went wrong, nil where everything held.
    var problem: String?
}

/// What tells the approaches apart, one row of the table.
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

internal import FoundationEssentials
internal import IdentityHTTP
internal import IdentityKit
internal import IdentitySandbox
internal import ShopifyStorefront
internal import StorefrontSandbox

/// Runs all steps of one provider: a login with each of the three entry points, carts, refreshes and logouts.
actor ProviderRun {
    private let provider: String
    private let services: RunEnvironment
    private let reporter: StepReporter
    private let runs: [ApproachRun]
    private var signedIn: [ApproachRun] = []

    init(_ provider: String, on services: RunEnvironment, reporter: StepReporter) throws {
        self.provider = provider
        self.services = services
        self.reporter = reporter
        runs = try LoginEntryPoint.allCases.map { try ApproachRun(provider, $0, on: services) }
    }

    /// Signs in, searches the store for plain tokens and fills carts; returns the latest expiry of the access tokens, if any is known.
    ///
    /// A failed step is reported. A run whose login failed takes part in no further step.
    func begin() async throws -> Date? {
        heading()
        for run in runs where try await signIn(run) { signedIn.append(run) }
        guard !signedIn.isEmpty else { return nil }
        try await searchStore()
        if hasCarts { try await fillCarts() }
        var last: Date?
        for run in signedIn {
            if let date = try await run.rememberToken() { last = max(last ?? date, date) }
        }
        return last
    }

    /// Refreshes the tokens, checks that the carts get the new access tokens, and signs out.
    func end(areTokensExpired: Bool) async throws {
        guard !signedIn.isEmpty else { return }
        heading()
        let areRefreshed = try await refresh(areTokensExpired)
        if hasCarts, areRefreshed { try await checkCarts() }
        try await signOut()
    }

    func cleanUp() async {
        for run in runs { await run.cleanUp() }
    }

    func report() async -> [ApproachReport] {
        var reports: [ApproachReport] = []
        for run in runs { reports.append(await run.report()) }
        return reports
    }

    private var hasCarts: Bool { services.configuration.storefront != nil }

    private func heading() {
        guard let descriptor = runs.first?.descriptor else { return }
        reporter.heading(ApproachNames.title(of: descriptor), provider: provider)
    }

    // MARK: Steps

    /// Runs a step that belongs to all `runs`, records its error in each run, and returns whether the step passed.
    @discardableResult
    private func step(_ title: String, of runs: [ApproachRun], _ work: () async throws -> String) async throws -> Bool {
        guard let error = try await reporter.step(title, work) else { return true }
        for run in runs { await run.fail(error) }
        return false
    }

    private func signIn(_ run: ApproachRun) async throws -> Bool {
        try await step("sign in, \((run.entryPoint ?? .async).title)", of: [run]) {
            let session = try await run.signIn(announce: reporter.askToSignIn)
            let buyer = session.buyer.displayName ?? session.buyer.email?.value ?? "a buyer"
            return "\(buyer), subject \(session.buyer.subject)"
        }
    }

    private func searchStore() async throws {
        try await step("tokens stored encrypted", of: signedIn) {
            guard let bytes = try services.store.storedBytes() else {
                return "skipped: the files of a database server cannot be searched"
            }
            var count = 0
            for run in signedIn {
                for secret in try await run.secrets() {
                    count += 1
                    guard bytes.firstRange(of: secret.revealBytes()) == nil else {
                        throw IdentityError.stepFailed("A file of the store contains a token in plain text.")
                    }
                }
            }
            guard !bytes.isEmpty else {
                throw IdentityError.stepFailed("The store has no files, or its files are empty.")
            }
            return "no plain-text token in the store's files (\(count) tokens, \(bytes.count) bytes searched)"
        }
    }

    private func fillCarts() async throws {
        try await cartStep("cart filled, checkout started") { run in try check(await run.fillCart()) }
        try await step("new checkout URL", of: signedIn) {
            guard let run = signedIn.first else { throw IdentityError.notSignedIn }
            return "\(try await run.checkoutAgain().url.reveal())"
        }
    }

    private func refresh(_ isExpired: Bool) async throws -> Bool {
        var areRefreshed = true
        let isDone = try await step(isExpired ? "access token expired" : "access token refreshed", of: signedIn) {
            var outcomes: [String] = []
            for run in signedIn {
                if let tokens = try await run.refresh(isExpired: isExpired) {
                    outcomes.append(TokenCommand.text(for: tokens.outcome))
                } else {
                    areRefreshed = false
                    outcomes.append(
                        "Not refreshable: the session has no refresh token, so the buyer has to sign in again"
                    )
                }
            }
            return Self.distinct(outcomes)
        }
        return isDone && areRefreshed
    }

    private func checkCarts() async throws {
        try await cartStep("cart checked after the refresh") { run in
            try check(await run.checkoutAgain(), instead: await run.oldToken)
        }
    }

    private func cartStep(_ title: String, _ identity: (ApproachRun) async throws -> CartIdentity) async throws {
        try await step(title, of: signedIn) {
            var identities: [String] = []
            for run in signedIn { identities.append(ApproachNames.text(for: try await identity(run))) }
            return Self.distinct(identities)
        }
    }

    private func signOut() async throws {
        try await step("sign out", of: signedIn) {
            var pages: [String] = []
            for run in signedIn {
                let cart = await run.cartID
                let result = try await run.signOut()
                try checkDetached(cart)
                pages.append(result.browserURL.map { "logout page \($0)" } ?? "no logout page of the provider")
            }
            return "session removed, cart detached; \(Self.distinct(pages))"
        }
    }

    // MARK: Checks of the sandbox's carts

    private func check(_ handoff: CheckoutHandoff, instead oldToken: Secret? = nil) throws -> CartIdentity {
        if let problem = handoff.problem { throw problem }
        guard let cart = state(of: handoff.cart.id) else { return handoff.identity }
        switch handoff.identity {
        case .customer:
            guard let token = cart.customerAccessToken else {
                throw IdentityError.stepFailed("The cart has no customer token.")
            }
            guard !(oldToken.map { $0.isEqual(to: Secret(token)) } ?? false) else {
                throw IdentityError.stepFailed("The cart still has the token from before the refresh.")
            }
        case .contact:
            guard cart.email != nil, !cart.addresses.isEmpty else {
                throw IdentityError.stepFailed("The cart has no contact or no address.")
            }
        case .guest:
            guard cart.customerAccessToken == nil, cart.email == nil else {
                throw IdentityError.stepFailed("The guest cart has a buyer's identity.")
            }
        }
        return handoff.identity
    }

    private func state(of id: CartID) -> SandboxStorefront.CartState? {
        services.sandbox?.storefront.cartStates.first { $0.id == id.rawValue }
    }

    private func checkDetached(_ id: CartID?) throws {
        guard let id, let cart = state(of: id) else { return }
        guard cart.customerAccessToken == nil, cart.email == nil, cart.addresses.isEmpty else {
            throw IdentityError.stepFailed("The cart still has the buyer's identity after the logout.")
        }
    }

    private static func distinct(_ texts: [String]) -> String {
        let different = texts.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        return different.joined(separator: "; ")
            + (texts.count > 1 && different.count == 1 ? " (\(texts.count) ×)" : "")
    }
}

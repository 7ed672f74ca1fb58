internal import FoundationEssentials
internal import IdentityHTTP
internal import IdentityKit
internal import IdentitySandbox
internal import ShopifyStorefront

/// One provider's part of the journey: entered at all three points, then everything up to the logouts.
actor Chapter {
    private let provider: String
    private let stage: Stage
    private let story: Storyteller
    private let walks: [Walk]
    /// The walks whose buyer has signed in.
    private var present: [Walk] = []

    init(_ provider: String, on stage: Stage, told story: Storyteller) throws {
        self.provider = provider
        self.stage = stage
        self.story = story
        walks = try EntryPoint.allCases.map { try Walk(provider, $0, on: stage) }
    }

    /// Signs in, looks into the store, fills carts.
    ///
    /// Steps that do not hold are told, and what rests on them is left out.
    ///
    /// - Returns: When the last access token expires; nil where that is not known.
    func begin() async throws -> Date? {
        heading()
        for walk in walks where try await signIn(walk) { present.append(walk) }
        guard !present.isEmpty else { return nil }
        try await searchStore()
        if hasCarts { try await fillCarts() }
        var last: Date?
        for walk in present {
            if let date = try await walk.noteToken() { last = max(last ?? date, date) }
        }
        return last
    }

    /// Renews the tokens, sees the carts follow, signs out.
    func end(areTokensExpired: Bool) async throws {
        guard !present.isEmpty else { return }
        heading()
        let areRenewed = try await renew(areTokensExpired)
        if hasCarts, areRenewed { try await followCarts() }
        try await signOut()
    }

    /// Leaves no session behind, however far the chapter came.
    func abandon() async {
        for walk in walks { await walk.abandon() }
    }

    func report() async -> [ApproachReport] {
        var reports: [ApproachReport] = []
        for walk in walks { reports.append(await walk.report(problem: nil)) }
        return reports
    }

    private var hasCarts: Bool { stage.configuration.storefront != nil }

    private func heading() {
        guard let descriptor = walks.first?.descriptor else { return }
        story.heading(Approaches.title(of: descriptor), provider: provider)
    }

    // MARK: Steps

    private func signIn(_ walk: Walk) async throws -> Bool {
        let name =
            switch walk.entryPoint {
            case .async: "async"
            case .completion: "completion handler"
            case .delegate: "delegate"
            }
        return try await story.step("sign in, \(name)") {
            let session = try await walk.signIn { [story] url, mode in
                if mode != .sandbox { story.invite(url, mode) }
            }
            let buyer = session.buyer.displayName ?? session.buyer.email?.value ?? "somebody"
            return ("\(buyer), subject \(session.buyer.subject)", true)
        } ?? false
    }

    private func searchStore() async throws {
        _ = try await story.step("stored encrypted") {
            guard let bytes = try stage.store.storedBytes() else {
                return ("kept by a database server, whose files are not at hand to be searched", ())
            }
            var count = 0
            for walk in present {
                for secret in try await walk.secrets() {
                    count += 1
                    guard bytes.firstRange(of: secret.revealBytes()) == nil else {
                        throw JourneyFailure("A token stands in the database file in the clear.")
                    }
                }
            }
            guard !bytes.isEmpty else { throw JourneyFailure("There is no database file.") }
            return ("token not found in database file (\(count) tokens, \(bytes.count) bytes searched)", ())
        }
    }

    private func fillCarts() async throws {
        _ = try await story.step("cart filled, buyer attached") {
            var identities: [String] = []
            for walk in present {
                let handoff = try await walk.fillCart()
                if let problem = handoff.problem { throw problem }
                try check(handoff)
                identities.append(Approaches.words(handoff.identity))
            }
            return (Self.distinct(identities), ())
        }
        _ = try await story.step("checkout URL, fresh") {
            guard let walk = present.first else { throw JourneyFailure("Nobody has signed in.") }
            return ("\(try await walk.checkoutAgain().url.reveal())", ())
        }
    }

    private func renew(_ isExpired: Bool) async throws -> Bool {
        try await story.step(isExpired ? "access token expired" : "access token renewed") {
            var words: [String] = []
            var areRenewed = true
            for walk in present {
                switch try await walk.renew(isExpired: isExpired) {
                case .tokens(let tokens): words.append(TokenCommand.words(tokens.outcome))
                case .signInAgain:
                    areRenewed = false
                    words.append(
                        "Not renewable: the provider gives no refresh token, so the buyer has to sign in again"
                    )
                }
            }
            return (Self.distinct(words), areRenewed)
        } ?? false
    }

    private func followCarts() async throws {
        _ = try await story.step("cart follows the token") {
            var identities: [String] = []
            for walk in present {
                let handoff = try await walk.checkoutAgain()
                if let problem = handoff.problem { throw problem }
                try check(handoff, instead: await walk.oldToken)
                identities.append(Approaches.words(handoff.identity))
            }
            return (Self.distinct(identities), ())
        }
    }

    private func signOut() async throws {
        _ = try await story.step("sign out") {
            var pages: [String] = []
            for walk in present {
                let cart = await walk.cartID
                let result = try await walk.signOut()
                try checkDetached(cart)
                pages.append(result.browserURL.map { "browser to \($0)" } ?? "the provider has no logout page")
            }
            return ("rows gone, cart detached; \(Self.distinct(pages))", ())
        }
    }

    // MARK: A look at the sandbox's carts from the side

    private func check(_ handoff: CheckoutHandoff, instead oldToken: Secret? = nil) throws {
        guard let sandbox = stage.sandbox,
            let cart = sandbox.storefront.cartStates.first(where: { $0.id == handoff.cart.id.rawValue })
        else { return }
        switch handoff.identity {
        case .customer:
            guard let held = cart.customerAccessToken else { throw JourneyFailure("The cart has no customer.") }
            guard !(oldToken.map { $0.isEqual(to: Secret(held)) } ?? false) else {
                throw JourneyFailure("The cart still has the old token.")
            }
        case .contact:
            guard cart.email != nil, !cart.addresses.isEmpty else {
                throw JourneyFailure("The cart has no contact or no address.")
            }
        default:
            guard cart.customerAccessToken == nil, cart.email == nil else {
                throw JourneyFailure("The guest's cart has a buyer.")
            }
        }
    }

    private func checkDetached(_ id: CartID?) throws {
        guard let sandbox = stage.sandbox, let id,
            let cart = sandbox.storefront.cartStates.first(where: { $0.id == id.rawValue })
        else { return }
        guard cart.customerAccessToken == nil, cart.email == nil, cart.addresses.isEmpty else {
            throw JourneyFailure("The cart is still the buyer's.")
        }
    }

    private static func distinct(_ words: [String]) -> String {
        let different = words.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        return different.joined(separator: "; ")
            + (words.count > 1 && different.count == 1 ? " (\(words.count) ×)" : "")
    }
}

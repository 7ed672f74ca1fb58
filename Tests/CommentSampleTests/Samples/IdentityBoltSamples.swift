import IdentityBolt
import IdentityKit

private func exchange(_ authorizationCode: String, _ codeVerifier: String, _ state: String) {}
private func signIn(_ buyer: Buyer) {}
private func createCustomer(for buyer: Buyer) {}
private func link(_ buyer: Buyer) {}
private func refuse(_ buyer: Buyer) {}

// swift-format-ignore
extension App {
    func boltCheckout(bolt: BoltProvider, presenter: any Presenter) {
        BoltCheckout.configure(provider: bolt, presenter: presenter)
        BoltCheckout.shared.startLogin { result in
            if case .completed(let authorizationCode, let codeVerifier, let state) = result {
                exchange(authorizationCode, codeVerifier, state)
            }
        }
    }

    func boltLoginFlow(delegate: any BoltLoginDelegate, url: String) async throws {
        let flow = BoltLoginFlow(delegate: delegate)
        show(try await flow.authorizationURL)
        await flow.handle(callbackURL: url)      // the URL to which Bolt redirected
    }

    func boltProvider(publishableKey: String, apiKey: Secret) throws {
        let provider = try BoltProvider(
            BoltProvider.Configuration(
                name: "bolt", environment: .sandbox, publishableKey: publishableKey,
                authentication: .confidential(apiKey: apiKey)
            ),
            environment: environment
        )
        _ = provider
    }

    func boltConfiguration(publishableKey: String, apiKey: Secret) {
        let configuration = BoltProvider.Configuration(
            name: "bolt", environment: .sandbox, publishableKey: publishableKey,
            authentication: .confidential(apiKey: apiKey)
        )
        _ = configuration
    }

    func boltAccount(of buyer: Buyer, isLinked: Bool, hasEmail: Bool) {
        switch BoltAccountLink.decide(for: buyer, subjectIsKnown: isLinked, emailIsKnown: hasEmail) {
        case .signIn: signIn(buyer)
        case .create: createCustomer(for: buyer)
        case .link: link(buyer)
        case .refuse: refuse(buyer)
        }
    }

    func sfccConfiguration(publishableKey: String) {
        var configuration = SFCCConfiguration(name: "bolt-sfcc", host: "shop.example", siteID: "Shop")
        configuration.publishableKey = publishableKey
        _ = configuration
    }

    func sfccProvider() throws {
        let provider = try SFCCProvider(
            SFCCConfiguration(name: "bolt-sfcc", host: "shop.example", siteID: "Shop"), environment: environment
        )
        _ = provider
    }
}

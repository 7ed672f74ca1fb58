// The web shop on Hummingbird.
//
//     swift run hummingbird-shop                          with an embedded sandbox, at http://127.0.0.1:8080
//     swift run hummingbird-shop --config FILE [--origin URL] [--port N]

internal import Hummingbird
internal import IdentityKit
internal import Logging
internal import ServiceLifecycle
internal import UnixSignals
internal import WebShop
internal import WebShopStart

/// Repairs interrupted refreshes and removes expired records while the server runs, then waits for running refreshes.
struct SessionUpkeep: Service {
    let shop: StartedShop

    func run() async throws {
        await cancelWhenGracefulShutdown { await shop.shop.sessions.maintain() }
        await shop.close()
    }
}

await ShopProgram.main { options in
    let logger = Logger(label: "shop")
    let shop = try await StartedShop(
        options,
        at: "http://127.0.0.1:\(options.port)",
        events: EventBridge(logger: logger)
    )
    let application = shopApplication(
        at: .hostname("127.0.0.1", port: Int(options.port)),
        logger: logger,
        onServerRunning: { _ in shop.announce() },
        answer: { await shop.respond(to: $0) }
    )
    // A service group ends its services in the reverse order: first the server finishes its last requests, and then `SessionUpkeep`
    // waits for running refreshes. The group must give them more than twice the longest timeout of a provider.
    var configuration = ServiceGroupConfiguration(
        services: [SessionUpkeep(shop: shop), application],
        gracefulShutdownSignals: [.sigterm, .sigint],
        logger: logger
    )
    configuration.maximumGracefulShutdownDuration = .seconds(60)
    try await ServiceGroup(configuration: configuration).run()
}

// The web shop on Hummingbird.
//
//     swift run hummingbird-shop                          with an embedded sandbox, at http://127.0.0.1:8080
//     swift run hummingbird-shop --config FILE [--origin URL] [--port N]

internal import Foundation
internal import Hummingbird
internal import IdentityKit
internal import Logging
internal import ServiceLifecycle
internal import UnixSignals
internal import WebShop

/// Repairs and sweeps beside the server, and waits for running refreshes when the server has ended.
struct SessionUpkeep: Service {
    let shop: StartedShop

    func run() async throws {
        await cancelWhenGracefulShutdown { await shop.shop.sessions.maintain() }
        await shop.close()
    }
}

/// Runs until SIGINT or SIGTERM.
func run(_ options: Options) async throws {
    let logger = Logger(label: "shop")
    let port = Int(options.port)
    let opened = try await StartedShop(
        options,
        origin: options.origin ?? "http://127.0.0.1:\(port)",
        events: EventBridge(logger: logger)
    )
    let application = shopApplication(
        at: .hostname("127.0.0.1", port: port),
        logger: logger,
        onServerRunning: { _ in opened.announce() },
        answer: { await opened.shop.respond(to: $0) }
    )
    // A service group ends its services in the reverse order: the server first, which answers its last requests. Their
    // refreshes are then awaited. Give it more than twice the longest timeout of a provider.
    var configuration = ServiceGroupConfiguration(
        services: [SessionUpkeep(shop: opened), application],
        gracefulShutdownSignals: [.sigterm, .sigint],
        logger: logger
    )
    configuration.maximumGracefulShutdownDuration = .seconds(60)
    try await ServiceGroup(configuration: configuration).run()
}

do {
    try await run(try Options(Array(CommandLine.arguments.dropFirst())))
} catch {
    print("✗ \(error)")
    exit(1)
}

// A whole web shop on the development server.
//
//     web-shop                                      with an embedded sandbox: fake providers, and a shop with two dozen products
//     web-shop --config FILE [--origin URL]         with the configured services; the origin is where browsers reach the shop
//     web-shop --port N                             another port than 8080
//
// In production, put the same shop behind a server framework: Documentation/Using/ServerApp.md. The folder Start is shared with
// the shops on Hummingbird and FlyingFox.

internal import Dispatch
internal import Foundation
internal import IdentityDevelopmentServer
internal import IdentityKit
internal import WebShop

/// Runs until SIGINT or SIGTERM.
func run(_ options: Options) async throws {
    var opened: StartedShop?
    let server = try await DevelopmentServer.start(port: options.port, publicOrigin: options.origin) { origin in
        let started = try await StartedShop(options, origin: origin)
        opened = started
        return { await started.shop.respond(to: $0) }
    }
    guard let opened else { return }
    if options.origin != nil { print("Lead its requests to \(server.origin), and pass the header Host on.") }
    opened.announce()

    let running = Task { await server.run() }
    let maintenance = Task { [sessions = opened.shop.sessions] in await sessions.maintain() }
    let signals = [SIGINT, SIGTERM].map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number)
        source.setEventHandler { running.cancel() }
        source.resume()
        return source
    }
    await running.value
    for source in signals { source.cancel() }
    maintenance.cancel()
    await maintenance.value
    await opened.close()
}

do {
    try await run(try Options(Array(CommandLine.arguments.dropFirst())))
} catch {
    print("✗ \(error)")
    exit(1)
}

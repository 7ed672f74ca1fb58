// The web shop on FlyingFox.
//
//     swift run flyingfox-shop                            with an embedded sandbox, at http://127.0.0.1:8080
//     swift run flyingfox-shop --config FILE [--origin URL] [--port N]

internal import Dispatch
internal import FlyingFox
internal import FlyingSocks
internal import Foundation
internal import IdentityKit
internal import WebShop

/// Runs until SIGINT or SIGTERM.
func run(_ options: Options) async throws {
    let opened = try await StartedShop(options, origin: options.origin ?? "http://127.0.0.1:\(options.port)")
    let server = HTTPServer(
        address: try .inet(ip4: "127.0.0.1", port: options.port),
        logger: .disabled,
        handler: WebHandler { await opened.shop.respond(to: $0) }
    )
    let running = Task { try await server.run() }
    do {
        try await server.waitUntilListening()
    } catch {
        // The port may be taken: then the server says so.
        running.cancel()
        try await running.value
        throw error
    }
    opened.announce()
    let maintenance = Task { await opened.shop.sessions.maintain() }

    let (received, signals) = AsyncStream.makeStream(of: Void.self)
    let sources = [SIGINT, SIGTERM].map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number)
        source.setEventHandler { signals.yield() }
        source.resume()
        return source
    }
    _ = await received.first { _ in true }
    for source in sources { source.cancel() }
    // Running requests end first; their refreshes are then awaited.
    await server.stop(timeout: 10)
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

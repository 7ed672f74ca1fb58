// The web shop on FlyingFox.
//
//     swift run flyingfox-shop                            with an embedded sandbox, at http://127.0.0.1:8080
//     swift run flyingfox-shop --config FILE [--origin URL] [--port N]

internal import FlyingFox
internal import FlyingSocks
internal import WebShopStart

await ShopProgram.main { options in
    let shop = try await StartedShop(options, at: "http://127.0.0.1:\(options.port)")
    let server = HTTPServer(
        address: try .inet(ip4: "127.0.0.1", port: options.port),
        // A callback can wait longer than the default of 15 seconds for a slow provider. The timeout would lose the authorization code.
        timeout: 120,
        logger: .disabled,
        handler: WebHandler { await shop.respond(to: $0) }
    )
    let running = Task { try await server.run() }
    do {
        try await server.waitUntilListening()
    } catch {
        // `run` may have failed, for example because the port is in use: its error names the reason.
        running.cancel()
        await shop.close()
        try await running.value
        throw error
    }
    // `stop` waits for the whole timeout, even if no request runs. Many hosts kill a program ten seconds after SIGTERM.
    try await shop.run(running) { await server.stop(timeout: 5) }
}

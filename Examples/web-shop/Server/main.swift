// The web shop on the development server.
//
//     web-shop                                      with an embedded sandbox: fake providers, and a shop with two dozen products
//     web-shop --config FILE [--origin URL]         with the configured services; the origin is where browsers reach the shop
//     web-shop --port N                             another port than 8080
//
// In production, put the same shop behind a server framework: Documentation/Using/ServerApp.md.

internal import IdentityDevelopmentServer
internal import WebShopStart

await ShopProgram.main { options in
    var opened: StartedShop?
    let server = try await DevelopmentServer.start(port: options.port, publicOrigin: options.origin) { origin in
        let shop = try await StartedShop(options, at: origin)
        opened = shop
        return { await shop.respond(to: $0) }
    }
    if options.origin != nil { print("Forward its requests to \(server.origin), with their Host header.") }
    let running = Task<Void, any Error> { await server.run() }
    try await opened?.run(running) {
        running.cancel()
        _ = await running.result
    }
}

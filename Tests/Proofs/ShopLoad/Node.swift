internal import Dispatch
internal import Foundation
internal import IdentityDevelopmentServer
internal import IdentityKit
internal import IdentityWeb
internal import TestProcesses
internal import WebShop

/// The settings of a node, which the driver passes in an environment variable.
struct NodeOrder: Codable, Sendable {
    static let variable = "SHOP_LOAD_ORDER"

    let configuration: String
    let variables: [String: String]
    let origin: String
}

/// One process with the web shop, whose sessions and carts are in PostgreSQL.
enum Node {
    /// Serves until SIGTERM or the end of standard input; then it finishes running requests and refreshes, and the process ends.
    static func run(port: UInt16) async throws {
        let text = ProcessInfo.processInfo.environment[NodeOrder.variable] ?? ""
        let order = try JSONDecoder().decode(NodeOrder.self, from: Data(text.utf8))
        let configuration = try IdentityConfiguration(
            json: Array(order.configuration.utf8),
            environmentVariables: order.variables
        )
        let shop = try await WebShop.open(configuration, publicOrigin: order.origin)
        let server = try await DevelopmentServer.start(port: port) { _ in
            { request in
                // The driver plays a trusted proxy, which writes the buyer's address into the header.
                var request = request
                request.clientAddress = request.headers["X-Forwarded-For"] ?? request.clientAddress
                return await shop.respond(to: request)
            }
        }
        let running = Task { await server.run() }
        signal(SIGTERM, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGTERM)
        source.setEventHandler { running.cancel() }
        // A signal before the source is registered has no effect.
        source.setRegistrationHandler {
            print("ready")
            fflush(nil)
        }
        source.resume()
        // The driver holds the other end of standard input, so the node ends also if the driver crashes or is killed.
        Thread.detachNewThread {
            // readLine() would lock the stream of standard input. fflush(nil) waits for this lock, and then every later fopen waits.
            LineReader.read(STDIN_FILENO) { _ in }
            running.cancel()
        }
        await running.value
        let lost = await shop.sessions.drain()
        source.cancel()
        print("drained, \(lost.count) sessions lost")
        if !lost.isEmpty { exit(3) }
    }
}

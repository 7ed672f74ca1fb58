import IdentityDevelopmentServer
import IdentityWeb

extension App {
    func developmentServer() async throws {
        let server = try await DevelopmentServer.start(port: 8080) { origin in
            let routes = try SignInRoutes(sessions: sessions, configuration: .init(publicOrigin: origin))
            return { request in
                await routes.handle(request) { context in
                    let session = try await context.requireSession()
                    return .html("<p>You are signed in with \(session.provider).</p>")
                }
            }
        }
        print("Open \(server.origin)")
        await server.run()
    }
}

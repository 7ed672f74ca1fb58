internal import Hummingbird
internal import IdentityWeb
internal import Logging
internal import NIOCore

/// The shop as a Hummingbird application: a request log, and the adapter behind it.
func shopApplication(
    at address: BindAddress,
    logger: Logger,
    onServerRunning: @escaping @Sendable (any Channel) async -> Void = { _ in },
    answer: @escaping @Sendable (WebRequest) async -> WebResponse
) -> some ApplicationProtocol {
    let router = Router(context: ClientContext.self)
    router.add(middleware: RequestLog(visible: ["q"]))
    router.add(middleware: WebMiddleware(answer: answer))
    return Application(
        router: router,
        configuration: ApplicationConfiguration(address: address),
        onServerRunning: onServerRunning,
        logger: logger
    )
}

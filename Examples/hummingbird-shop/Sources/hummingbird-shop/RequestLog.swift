internal import Hummingbird
internal import Logging

/// Logs each request with its status, and without secrets: the URL of a callback contains a code, which is a credential.
///
/// Hummingbird's own `LogRequestsMiddleware` logs the whole URL; use this one in its place.
struct RequestLog<Context: RequestContext>: RouterMiddleware {
    /// The query parameters whose values are logged.
    ///
    /// All other values are hidden, because a parameter that is added later may carry a secret.
    var visible: Set<String> = []

    func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        var status = 500
        defer {
            context.logger.info(
                "Request",
                metadata: [
                    "method": "\(request.method.rawValue)", "target": "\(redacted(request.head.path ?? ""))",
                    "status": "\(status)", "duration": "\(ContinuousClock.now - start)",
                ]
            )
        }
        do {
            let response = try await next(request, context)
            status = response.status.code
            return response
        } catch let error as any HTTPResponseError {
            status = error.status.code
            throw error
        }
    }

    /// The path, and the query with the names of its parameters and the values of the ``visible`` parameters.
    func redacted(_ target: String) -> String {
        guard let mark = target.firstIndex(of: "?") else { return target }
        let fields = target[target.index(after: mark)...].split(separator: "&").map { field -> String in
            guard let equals = field.firstIndex(of: "=") else { return "…" }
            return visible.contains(String(field[..<equals])) ? String(field) : "\(field[...equals])…"
        }
        return target[..<mark] + "?" + fields.joined(separator: "&")
    }
}

// For an app with routes in Hummingbird's router: the sign-in routes, and the session in every handler. Copy this file beside
// Adapter.swift.

internal import HTTPTypes
internal import Hummingbird
internal import IdentityWeb

/// A request context with the session of the browser.
protocol SignInRequestContext: RemoteAddressRequestContext {
    /// The session, the forged-request check and the cookies of this request; nil where ``SignInMiddleware`` did not run.
    var web: WebContext? { get set }
}

/// Handles the sign-in routes, and passes all other requests on with a `WebContext` in the request context.
///
/// ```swift
/// let router = Router(context: AppContext.self)
/// router.add(middleware: SignInMiddleware(routes: routes))
/// router.get("orders") { request, context in
///     let session = try await context.signIn.requireSession()
///     return "The orders of \(session.buyer.subject)"
/// }
/// ```
struct SignInMiddleware<Context: SignInRequestContext>: RouterMiddleware {
    let routes: SignInRoutes

    func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var (request, context) = (request, context)
        // The routes and the forged-request check read forms only. Other bodies, such as uploads, are left to the handler.
        let type = request.headers[.contentType]?.lowercased()
        let isForm = type?.hasPrefix("application/x-www-form-urlencoded") == true
        let web = routes.context(for: try await WebRequest(&request, context, readsBody: isForm))
        if let response = await web.dispatch() { return Response(response, to: request) }
        context.web = web
        do {
            var response = try await next(request, context)
            try response.finish(with: web)
            return response
        } catch let error as any HTTPResponseError {
            throw FinishedError(error: error, web: web)
        } catch {
            return Response(web.response(for: error), to: request)
        }
    }
}

/// An error of a handler, whose response gets the cookies and cache headers of the request.
///
/// It is thrown as an error, because a middleware such as `FileMiddleware` may handle it.
private struct FinishedError: HTTPResponseError {
    let error: any HTTPResponseError
    let web: WebContext

    var status: HTTPTypes.HTTPResponse.Status { error.status }

    func response(from request: Request, context: some RequestContext) throws -> Response {
        var response = try error.response(from: request, context: context)
        try response.finish(with: web)
        return response
    }
}

extension Response {
    /// Adds the cookies and cache headers of a request; a streamed response keeps its form.
    fileprivate mutating func finish(with web: WebContext) throws {
        var all = HTTPHeaders()
        for field in headers { try all.append(field.name.rawName, field.value) }
        web.finish(headers: &all)
        headers = HTTPFields(all)
    }
}

extension SignInRequestContext {
    /// The session, the forged-request check and the cookies of this request.
    ///
    /// - Throws: An error for status 500 if ``SignInMiddleware`` did not run.
    var signIn: WebContext {
        get throws {
            guard let web else { throw HTTPError(.internalServerError, message: "Add SignInMiddleware to the router.") }
            return web
        }
    }
}

internal import IdentityHTTP
internal import IdentityKit

struct RouteTable: Sendable {
    enum Route: Sendable, Equatable {
        case chooseProvider
        case login(String)
        case callback(String)
        case logout
        case logoutDone
        case backChannelLogout(String)
        case session
    }

    let origin: String
    private let basePath: String
    private let routes: [String: Route]

    init(_ configuration: SignInRoutes.Configuration, providers: [String]) throws(IdentityError) {
        let path = configuration.basePath
        guard let origin = try? HTTPURL(configuration.publicOrigin),
            path.isEmpty || path.utf8.first == UInt8(ascii: "/") && path.utf8.last != UInt8(ascii: "/"),
            // A browser would read `//host` at the beginning of a redirect as another host.
            !path.contains("//"), path.utf8.allSatisfy({ ASCII.pathOrQuery.contains($0) && $0 != UInt8(ascii: "?") })
        else {
            throw IdentityError(
                configuration:
                    "`basePath` must be empty, or start with a slash, not end with a slash, have no empty segments, and need no percent "
                    + "encoding.",
                hint: "Set basePath to a path such as /auth, or to \"\" for no base path."
            )
        }
        self.origin = origin.origin
        basePath = path
        var routes: [String: Route] = [
            path + "/login": .chooseProvider, path + "/logout": .logout, path + "/logout/done": .logoutDone,
            path + "/session": .session,
        ]
        for name in providers {
            let segment = FormEncoding.escape(name)
            routes[path + "/login/" + segment] = .login(name)
            routes[path + "/callback/" + segment] = .callback(name)
            routes[path + "/backchannel-logout/" + segment] = .backChannelLogout(name)
        }
        self.routes = routes
    }

    subscript(path: String) -> Route? { routes[path] }

    /// Whether the path is that of a route for one provider; true even for an unknown provider, so that the app does not get the request.
    func owns(_ path: String) -> Bool {
        ["login/", "callback/", "backchannel-logout/"].contains { path.utf8.starts(with: (basePath + "/" + $0).utf8) }
    }

    /// Whether a path of this app, with or without query and fragment, is that of a route.
    func contains(_ location: String) -> Bool {
        let path = String(decoding: location.utf8.prefix { !"?#".utf8.contains($0) }, as: UTF8.self)
        return routes[path] != nil || owns(path)
    }

    func callbackAddress(of provider: String) -> String { origin + callbackPath(of: provider) }

    var logoutReturnAddress: String { origin + logoutDonePath }
    var loginPath: String { basePath + "/login" }
    func callbackPath(of provider: String) -> String { basePath + "/callback/" + FormEncoding.escape(provider) }
    var logoutPath: String { basePath + "/logout" }
    var logoutDonePath: String { basePath + "/logout/done" }

    /// The link that begins a sign-in at a provider.
    ///
    /// If `provider` is nil, the link leads to the list of providers. If there is only one provider, that page redirects to its sign-in.
    func loginPath(of provider: String? = nil, returningTo path: String?) -> String {
        loginPath + (provider.map { "/" + FormEncoding.escape($0) } ?? "")
            + (path.map { "?return=" + FormEncoding.escape($0) } ?? "")
    }
}

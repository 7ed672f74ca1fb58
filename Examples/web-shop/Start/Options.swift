internal import IdentityWeb

/// The command line of a shop's program.
public struct Options: Sendable {
    /// The configuration file; nil for the embedded sandbox.
    public var file: String?
    /// Where browsers reach the shop; nil for the server's own address.
    public var origin: String?
    /// The port of the server.
    public var port: UInt16 = 8080

    init(_ arguments: some Collection<String>) throws {
        var rest = Array(arguments)[...]
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { throw Self.unknown }
            switch name {
            case "--config": file = value
            case "--origin": origin = Self.normalized(value)
            case "--port":
                guard let number = UInt16(value) else { throw Self.unknown }
                port = number
            default: throw Self.unknown
            }
        }
    }

    /// An origin in the form that browsers send; another text stays unchanged, and `SignInRoutes` refuses the text with an error.
    private static func normalized(_ origin: String) -> String {
        guard let url = try? HTTPURL(origin), url.path == "/", url.query == nil else { return origin }
        return url.origin
    }

    private static let unknown = IdentityError(
        .configuration,
        .configurationInvalid,
        "An argument of the command line is unknown, or its value is missing or not valid.",
        hint: "Use only these arguments: [--config FILE [--origin URL]] [--port N]"
    )
}

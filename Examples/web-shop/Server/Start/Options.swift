internal import IdentityKit

/// The command line.
struct Options {
    var file: String?
    var origin: String?
    var port: UInt16 = 8080

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { throw Self.unknown }
            switch name {
            case "--config": file = value
            case "--origin": origin = value
            case "--port":
                guard let number = UInt16(value) else { throw Self.unknown }
                port = number
            default: throw Self.unknown
            }
        }
    }

    private static let unknown = IdentityError(
        .configuration,
        .configurationInvalid,
        "The command line has unknown arguments.",
        hint: "The arguments are: [--config FILE [--origin URL]] [--port N]"
    )
}
